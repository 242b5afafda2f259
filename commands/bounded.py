"""A mapping that stays small: what was used longest ago goes first."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Bounded(Generic[K, V]):
    """At most `most` entries. Not safe to share between threads: its owner has a lock."""

    def __init__(self, most: int) -> None:
        self._entries: OrderedDict[K, V] = OrderedDict()
        self._most = most

    def get(self, key: K) -> V | None:
        """The value, which is now the youngest; None where there is none."""
        value = self._entries.get(key)
        if value is not None:
            self._entries.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Keep a value as the youngest."""
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._most:
            self._entries.popitem(last=False)

    def drop(self, key: K) -> None:
        """Keep it no longer, if it is here."""
        self._entries.pop(key, None)

    def clear(self) -> None:
        """Keep nothing."""
        self._entries.clear()
