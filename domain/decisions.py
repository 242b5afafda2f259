"""What a decision is given, and what it says. No clock, no dice: both are passed in."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from domain.canonical import JsonObject, canonical
from domain.context import Context
from domain.instants import Micros
from domain.registry import Event


class Decision(NamedTuple):
    """The circumstances of one command.

    `now` and `now_us` are the recording time that its events get; `new_id` makes an id for a
    prefix; `slot_ref` turns a slot into its keyed reference.
    """

    context: Context
    now: str
    now_us: Micros
    new_id: Callable[[str], str]
    slot_ref: Callable[[str], str]


class Fact(NamedTuple):
    """An event to be appended to a stream, at the version after its last one."""

    stream: str
    event: Event


def appended(known: tuple[JsonObject, ...], more: list[JsonObject]) -> tuple[JsonObject, ...]:
    """Provenance with new references appended, without identical repeats (§5, remember)."""
    merged = {canonical(reference): reference for reference in more}
    seen = {canonical(reference) for reference in known}
    return (*known, *(said for key, said in merged.items() if key not in seen))
