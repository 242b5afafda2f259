"""From the session log of a coding agent to windows that are posted (docs/spec/bundle.md §2)."""
