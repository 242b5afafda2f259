"""Who, when and where: ids, times, contexts and decisions of the tests. No clock, no dice."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from domain.context import CONTRACT_PERMISSIONS, Context
from domain.decisions import Decision
from domain.envelope import EventContext
from domain.ids import encode_id
from domain.instants import parse_instant, server_time
from domain.recorded import RecordedEvent
from domain.registry import Event
from domain.slots import slot_ref


def an_id(prefix: str, number: int = 1) -> str:
    """A public id; ids of one prefix sort as their numbers."""
    return encode_id(prefix, UUID(int=number))


MEMORY: Final = an_id("mem_", 1)
OTHER: Final = an_id("mem_", 2)
THIRD: Final = an_id("mem_", 3)
EDGE: Final = an_id("rel_")
PROPOSAL: Final = an_id("prop_")
GUARD: Final = an_id("guard_")
RECEIPT: Final = an_id("receipt_")
START_US: Final = parse_instant("2026-01-01T00:00:00Z", "start")
MINUTE_US: Final = 60_000_000
SLOT_SECRET: Final = b"slots" * 7


def time_of(minute: int) -> str:
    """The recording time of the event at a position of a history."""
    return server_time(START_US + minute * MINUTE_US)


def ref_of(slot: str) -> str:
    """The slot_ref that decisions of these tests give to a slot."""
    return slot_ref(SLOT_SECRET, slot)


def context(**changes: Any) -> Context:
    fields: dict[str, Any] = {
        "workspace": "w",
        "actor": "ana",
        "session": "s1",
        "permissions": CONTRACT_PERMISSIONS,
        "request_id": "req-1",
    }
    return Context(**{**fields, **changes})


def event_context(**changes: Any) -> EventContext:
    fields: dict[str, Any] = {
        "workspace": "w",
        "actor": "ana",
        "agent": None,
        "session": "s1",
        "request": "req-1",
        "correlation": "req-1",
        "trace": None,
    }
    return EventContext(**{**fields, **changes})


def decision(minute: int = 100, **changes: Any) -> Decision:
    """A decision at a minute after the start; new ids count from 901 for each prefix."""
    made: dict[str, int] = {}

    def new_id(prefix: str) -> str:
        made[prefix] = made.get(prefix, 900) + 1
        return an_id(prefix, made[prefix])

    return Decision(
        context=context(**changes),
        now=time_of(minute),
        now_us=START_US + minute * MINUTE_US,
        new_id=new_id,
        slot_ref=ref_of,
    )


def recorded(
    *facts: Event,
    stream: str = MEMORY,
    version: int = 1,
    position: int = 1,
    minute: int | None = None,
    **ctx: Any,
) -> RecordedEvent:
    """Facts as they stand in the log; recorded at the minute of their position by default."""
    at = time_of(position if minute is None else minute)
    return RecordedEvent(
        position=position,
        appended_us=START_US + position * MINUTE_US,
        stream=stream,
        version=version,
        topic=facts[0].TOPIC,
        recorded_at=at,
        recorded_us=parse_instant(at, "recorded_at"),
        context=event_context(**ctx),
        facts=facts,
        erased=False,
        key=None,
        hash=f"{position:064x}",
    )
