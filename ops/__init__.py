"""Where everything is put together and run: settings, wiring, server, command line."""
