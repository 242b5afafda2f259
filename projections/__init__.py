"""The read models: each is a fold over the log and can be thrown away and rebuilt."""
