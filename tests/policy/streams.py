"""Generated event sets: everything that a stream from elsewhere may hold, sane or not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from hypothesis import strategies as st

from domain.instants import server_time
from domain.resolver.events import (
    INHERITED,
    Bound,
    Expiry,
    Inherited,
    Payload,
    PolicyEvent,
    Statement,
    Supersession,
    Tombstone,
)
from domain.resolver.policies import POLICIES
from domain.resolver.resolve import Question, Words
from projections.lexical.cosine import Cosine
from tests.policy.doors import ref

OWN: Final = "s-harbor"
FOREIGN: Final = "s-lagoon"
KEYS: Final = ("berth.fee", "crew diet")
VALUES: Final = ("quince", "medlar", "caf\u00e9", "cafe\u0301", 7)

# Few of each, so that targets are met, forks and cycles happen, and instants are equal.
IDS: Final = st.sampled_from([f"e{n}" for n in range(7)])
TIMES: Final = st.integers(0, 6)
BOUNDS: Final = st.one_of(st.none(), TIMES)


def _events(session: str) -> st.SearchStrategy[PolicyEvent]:
    common: dict[str, st.SearchStrategy[Any]] = {
        "id": IDS,
        "session": st.just(session),
        "position": st.just(0),
        "appended_us": TIMES,
        "recorded_us": TIMES,
    }
    said = st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES))
    inherited: st.SearchStrategy[Bound] = st.one_of(st.just(INHERITED), BOUNDS)

    def statements(target: Any, bound: Any) -> st.SearchStrategy[Statement]:
        names = ("valid_from", "valid_until", "expires_at")
        return st.builds(
            lambda said, **rest: Statement(
                slot_ref=ref(said[0]), payload=Payload(*said, source="logbook"), **rest
            ),
            said=said,
            target=target,
            **dict.fromkeys(names, bound),
            **common,
        )

    item = st.builds(Tombstone, scope=st.sampled_from(["lineage", "event"]), target=IDS, **common)
    slot = st.builds(
        Tombstone, scope=st.just("key"), target=st.sampled_from(KEYS).map(ref), **common
    )
    return st.one_of(
        statements(st.none(), BOUNDS),
        statements(IDS, inherited),
        statements(IDS, inherited),
        item,
        slot,
        st.builds(Expiry, target=IDS, expires_us=BOUNDS, **common),
        st.builds(
            Supersession,
            targets=st.lists(IDS, min_size=1, max_size=2).map(tuple),
            canonical=IDS,
            **common,
        ),
    )


def arrived(events: list[PolicyEvent]) -> list[PolicyEvent]:
    """The events in this order of arrival: positions from 10 on, in steps of 10."""
    return [replace(event, position=10 * n) for n, event in enumerate(events, 1)]


STREAMS: Final = st.lists(_events(OWN), max_size=12).map(arrived)
FOREIGN_EVENTS: Final = st.lists(_events(FOREIGN), max_size=6)
TOMBSTONES: Final = _events(OWN).filter(lambda event: isinstance(event, Tombstone))

_ASKED: Final = st.one_of(
    st.sampled_from(KEYS).map(ref),
    st.sampled_from(["quince berth", "caf\u00e9", "7", "* -"]).map(lambda t: Words(t, Cosine())),
)


def questions(**fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[Question]:
    """Both policies, both kinds of question, both axes."""
    return st.builds(
        Question,
        **{
            "session": st.just(OWN),
            "asked": _ASKED,
            "as_of_us": TIMES,
            "policy": st.sampled_from(sorted(POLICIES)),
            "as_known_us": st.one_of(st.none(), TIMES),
            "as_known_position": st.one_of(st.none(), st.integers(0, 130)),
            "limit": st.one_of(st.none(), st.integers(0, 3)),
            **fixed,
        },
    )


NOW: Final = {"as_known_us": st.none(), "as_known_position": st.none()}
"""Under current knowledge."""


def spelled(event: PolicyEvent, minutes: int) -> dict[str, Any]:
    """The JSON of an event, its timestamps in an offset of so many minutes from UTC."""

    def time(at: int) -> str:
        local = server_time(at + minutes * 60_000_000).removesuffix("Z")
        return f"{local}{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"

    wire: dict[str, Any] = {
        "id": event.id,
        "session": event.session,
        "source": "logbook",
        "recorded_at": time(event.recorded_us),
        "appended_at": time(event.appended_us),
    }
    match event:
        case Statement(payload=Payload() as said):
            bounds = {n: getattr(event, n) for n in ("valid_from", "valid_until", "expires_at")}
            given = {n: b for n, b in bounds.items() if not isinstance(b, Inherited)}
            wire |= {n: None if b is None else time(b) for n, b in given.items()}
            wire |= {"type": "assertion", "key": said.key, "value": said.value}
            if event.target is not None:
                wire |= {"type": "correction", "target": event.target}
        case Tombstone():
            wire |= {"type": "tombstone", "scope": event.scope, "target": event.target}
            wire |= {"key": next((k for k in KEYS if ref(k) == event.target), None)}
        case Expiry():
            until = event.expires_us
            wire |= {"type": "expiry", "target": event.target}
            wire |= {"expires_at": None if until is None else time(until)}
        case Supersession():
            wire |= {"type": "supersession", "targets": list(event.targets)}
            wire |= {"canonical": event.canonical}
    return wire


def is_readable(event: PolicyEvent) -> bool:
    """Whether an event can be spelled: it does not name itself, and can hold at some instant."""
    if not isinstance(event, Statement):
        return getattr(event, "target", None) != event.id
    start, end = event.valid_from, event.valid_until
    return event.target != event.id and not (
        isinstance(start, int) and isinstance(end, int) and end <= start
    )
