"""Why read models cannot be used as they are."""

from __future__ import annotations


class ViewsFormatError(Exception):
    """The read models have another format than this program: rebuild them from the log."""


class ViewsDamagedError(Exception):
    """The read models are not what was written: rebuild them from the log."""
