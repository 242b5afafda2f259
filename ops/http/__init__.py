"""The HTTP doors: the contract route, reading routes, health; one subject a file."""
