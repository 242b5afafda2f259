"""Real data that is shipped with the program; ATTRIBUTION.md names its authors and terms."""
