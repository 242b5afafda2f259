"""Programs that make files of the repository; the product does not need them to run."""
