"""A takeaway as its stream says it: what it says now and said before, and on what evidence.

`claim` on the wire (spec/bundle.md §1): one evolving claim with one current memory.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from domain.bundle_events import CitationAdded, Takeaway, TakeawayAdded, TakeawayMoved
from domain.canonical import JsonObject
from domain.event_bases import Target
from domain.ids import CONCEPT, WINDOW
from domain.instants import Micros, parse_instant
from domain.recorded import RecordedEvent
from domain.visibility import Home

CitedAs: TypeAlias = Literal["authorised", "restated", "late", "repeated"]


class Evidence(NamedTuple):
    """When evidence was observed; its order decides which of two is newer (spec/bundle.md §4.7).

    Of equal times the window's hash decides, then its id, so that any order ends alike.
    """

    observed_us: Micros
    window_hash: str
    window_id: str


NO_EVIDENCE = Evidence(-(2**63), "", "")
"""Older than every other: of what was erased nobody knows when it was observed."""


class Saying(NamedTuple):
    """What a takeaway says from a version of its stream on; `said` is None where it was erased.

    `mode` says how it came from the saying before, None for the first.
    """

    version: int
    memory_id: str
    window_id: str
    mode: Literal["revision", "supersession"] | None
    recorded_at: str
    said: Takeaway | None


class Cited(NamedTuple):
    """A citation; `citation` is None where it was erased, with the memory it belonged to."""

    version: int
    memory_id: str
    window_id: str
    cited_as: CitedAs
    recorded_at: str
    citation: JsonObject | None
    reason: str | None
    offered: JsonObject | None


class TakeawayState(NamedTuple):
    """A takeaway with all of its history; the last saying is the current one."""

    id: str
    concept_id: str
    home: Home
    sayings: tuple[Saying, ...]
    cited: tuple[Cited, ...]
    evidence: Evidence
    """The newest that says what the takeaway says now."""

    @property
    def now(self) -> Saying:
        """The current saying."""
        return self.sayings[-1]


def apply_takeaway(state: TakeawayState | None, event: RecordedEvent) -> TakeawayState | None:
    """The state after one stored event of a takeaway."""
    for fact in event.facts:
        if isinstance(fact, TakeawayAdded):
            said = _saying(event, fact, None)
            home = Home(fact.session, fact.visibility, fact.owner)
            concept = _named(fact.targets, CONCEPT)
            state = TakeawayState(
                event.stream, concept, home, (said,), (_first(said),), _evidence(_first(said))
            )
        elif isinstance(fact, TakeawayMoved) and state is not None:
            said = _saying(event, fact, fact.mode)
            state = state._replace(
                sayings=(*state.sayings, said),
                cited=(*state.cited, _first(said)),
                evidence=_evidence(_first(said)),
            )
        elif isinstance(fact, CitationAdded) and state is not None:
            state = _cited(state, event, fact)
    return state


def _saying(
    event: RecordedEvent,
    fact: TakeawayAdded | TakeawayMoved,
    mode: Literal["revision", "supersession"] | None,
) -> Saying:
    window = _named(fact.targets, WINDOW)
    return Saying(event.version, fact.target_id, window, mode, event.recorded_at, fact.payload)


def _named(targets: list[Target], prefix: str) -> str:
    return next((key for key, _ in targets if key.startswith(prefix)), "")


def _first(said: Saying) -> Cited:
    """The citation that authorises a saying."""
    words = said.said
    return Cited(
        said.version,
        said.memory_id,
        said.window_id,
        "authorised",
        said.recorded_at,
        None if words is None else words.citation,
        None if words is None else words.reason,
        None,
    )


def cited_by(event: RecordedEvent, fact: CitationAdded) -> Cited:
    """The citation that an event of a takeaway adds; it hangs on nothing that was before."""
    words = fact.payload
    return Cited(
        event.version,
        fact.target_id,
        _named(fact.targets, WINDOW),
        fact.mode,
        event.recorded_at,
        None if words is None else words.citation,
        None if words is None else words.reason,
        None if words is None else words.offered,
    )


def _cited(state: TakeawayState, event: RecordedEvent, fact: CitationAdded) -> TakeawayState:
    one = cited_by(event, fact)
    newer = max(state.evidence, _evidence(one)) if fact.mode == "restated" else state.evidence
    return state._replace(cited=(*state.cited, one), evidence=newer)


def _evidence(one: Cited) -> Evidence:
    if one.citation is None:
        return NO_EVIDENCE
    observed = parse_instant(one.citation["observed_at"], "observed_at")
    return Evidence(observed, one.citation["window_hash"], one.window_id)
