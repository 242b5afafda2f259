"""What can go wrong with the log and the key store. Messages say what to do about it."""

from __future__ import annotations

from domain.ports import UnavailableError


class StoreError(UnavailableError):
    """The store could not do it; unless a subclass says otherwise, nothing was written."""


class StoreBusyError(StoreError):
    """Another process held the store for longer than the busy timeout. Try again."""


class StoreFullError(StoreError):
    """No room, or no permission, to write. Nothing was written; the store is still usable."""


class StoreFormatError(StoreError):
    """The files are not what this program reads."""


class OutcomeUnknownError(StoreError):
    """The connection failed at the commit: the rows are there all or not at all.

    Look for them (`load`) before doing anything again.
    """


class StreamConflictError(StoreError):
    """Somebody else has appended to a stream first. Nothing was written.

    `streams` names the streams whose versions clash with stored events, or with each other.
    """

    def __init__(self, streams: frozenset[str]) -> None:
        super().__init__("a version of a stream is taken: load the stream and decide again")
        self.streams = streams


class PlacesTakenError(StoreError):
    """The log holds events at or after the places that were asked for. Nothing was written."""

    def __init__(self) -> None:
        super().__init__(
            "the log has events at or after the positions of these: import into an empty store"
        )


class WrongMasterKeyError(StoreError):
    """The master key is not the one that the key store was made with."""


class KeyMissingError(StoreError):
    """A key that an event names is not in the key store: it is no key of this workspace."""
