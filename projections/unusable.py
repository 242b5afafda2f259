"""Why read models cannot be used as they are."""

from __future__ import annotations

from collections.abc import Iterable


class ViewsFormatError(Exception):
    """The read models have another format than this program: rebuild them from the log."""


class ViewsDamagedError(Exception):
    """The read models are not what was written: rebuild them from the log."""


class ViewsDifferError(Exception):
    """What was built anew is not what is live: one of the two is wrong, and nothing was changed."""

    def __init__(self, found: Iterable[str]) -> None:
        super().__init__(
            "the read models that were built anew are not the live ones: "
            f"{'; '.join(found)}. Nothing was changed. If the live ones are wrong, run "
            "`memoranda rebuild --without-comparing`"
        )
