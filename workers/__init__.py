"""Wake up, catch up with the log, go back to sleep."""
