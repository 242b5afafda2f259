"""The rows of a key store, and what is asked of whatever keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol


class WorkspaceRow(NamedTuple):
    """The wrapped keys of one workspace: its key by the master key, its root by its key."""

    workspace: str
    wrapped_key: bytes
    wrapped_root: bytes
    audit_key_id: str


class KeyRow(NamedTuple):
    """A data key, `reserved`, `audit` or `destroyed`; `wrapped` is None for a destroyed one.

    Of a workspace that was imported one of the state `audit` is no key, but the secret of its
    slots (`key_levels.slots_key`).
    """

    key_id: str
    workspace: str
    wrapped: bytes | None
    state: str


class KeyRows(Protocol):
    """Keeps the rows. Its owner has a lock. What it returned from is durable.

    Raises `StoreError`s: nothing is changed then, but with OutcomeUnknownError.
    """

    @property
    def name(self) -> str:
        """What to restore from a backup if it is damaged."""
        ...

    def any_workspace(self) -> WorkspaceRow | None:
        """Some workspace's row."""
        ...

    def workspace(self, workspace: str) -> WorkspaceRow | None:
        """A workspace's row; None where it has none yet."""
        ...

    def add_workspace(self, row: WorkspaceRow, keys: Sequence[KeyRow]) -> None:
        """A new workspace and its keys that are never destroyed, those of the state `audit`.

        Nothing where another process was first.
        """
        ...

    def keys(self, workspace: str, key_ids: Sequence[str]) -> list[KeyRow]:
        """The rows of these keys, in no order; one that is not this workspace's is left out."""
        ...

    def add_keys(self, rows: Sequence[KeyRow]) -> None:
        """New keys."""
        ...

    def destroy(self, workspace: str, key_ids: Sequence[str]) -> None:
        """Leave nothing of these keys but a row that says so, where there was none too.

        Raises StoreError, before anything is changed, for a key that may not be destroyed.
        """
        ...

    def rewrap(self, wrapped: Callable[[WorkspaceRow], bytes]) -> int:
        """Put what it gives in place of every `wrapped_key`, all at once; how many differ now.

        Nothing is changed where it raises.
        """
        ...

    def changed(self) -> bool:
        """Whether a key that was read may have been destroyed by another process since then."""
        ...

    def compact(self) -> None:
        """Leave nothing of destroyed keys in the files of the tables."""
        ...

    def close(self) -> None:
        """Close it for good."""
        ...
