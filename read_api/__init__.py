"""Questions in, answers out; nothing here can change a memory."""
