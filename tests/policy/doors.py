"""The doors through which a case of the policy can be asked, each a function of the case.

A door answers a case, and says how it takes an event that must be refused. The table prints the
doors that are listed here and no others; a new one is a function pair in `DOORS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from domain.canonical import JsonObject
from domain.errors import MemorandaError
from domain.instants import optional_instant, parse_instant
from domain.resolver.events import PolicyEvent
from domain.resolver.policies import NEWEST_RECORDED
from domain.resolver.resolve import Question, Words, resolve
from domain.resolver.spelling import read_event
from domain.resolver.validation import admit
from domain.slots import slot_ref
from projections.lexical.cosine import Cosine

SECRET: Final = bytes(32)


@dataclass(frozen=True)
class Door:
    """`answer` gives the wire form of the answer to a case, `refusal` the reason for an event."""

    name: str
    answer: Callable[[Mapping[str, Any]], JsonObject]
    refusal: Callable[[Mapping[str, Any]], str | None]


def ref(key: str) -> str:
    """What stands for a key in structure."""
    return slot_ref(SECRET, key)


def events_of(said: list[JsonObject]) -> list[PolicyEvent]:
    """In the order of the array, which is that of arrival."""
    return [read_event(one, position, ref) for position, one in enumerate(said, 1)]


def question_of(query: Mapping[str, Any], policy: str = NEWEST_RECORDED) -> Question:
    """The query of a case, for the resolver."""
    asked = Words(query["text"], Cosine()) if "text" in query else ref(query["key"])
    return Question(
        session=query["session"],
        asked=asked,
        as_of_us=parse_instant(query["as_of"], "as_of"),
        policy=policy,
        as_known_us=optional_instant(query.get("as_known_at"), "as_known_at"),
        limit=query.get("limit"),
    )


def _resolved(case: Mapping[str, Any]) -> JsonObject:
    return resolve(events_of(case["events"]), question_of(case["query"])).as_wire()


def _refused(case: Mapping[str, Any]) -> str | None:
    history = events_of(case["history"])
    try:
        admit(history, read_event(case["event"], len(history) + 1, ref))
    except MemorandaError as refusal:
        return refusal.reason
    return None


DOORS: Final = (Door("resolver", _resolved, _refused),)
