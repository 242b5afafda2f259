"""The write side: a command comes in, events are recorded."""
