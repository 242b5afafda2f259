"""A concept as its stream says it: a topic of one owner in one repository (spec/bundle.md §1)."""

from __future__ import annotations

from typing import NamedTuple

from domain.bundle_events import ConceptOpened, ConceptOpening
from domain.recorded import RecordedEvent
from domain.visibility import Home


class ConceptState(NamedTuple):
    """A topic, and when it was opened; `said` is None only in a log that lost its key."""

    id: str
    home: Home
    said: ConceptOpening | None
    opened_at: str


def apply_concept(state: ConceptState | None, event: RecordedEvent) -> ConceptState | None:
    """The state after one stored event of a concept, which has no second one."""
    for fact in event.facts:
        if isinstance(fact, ConceptOpened):
            home = Home(fact.session, fact.visibility, fact.owner)
            state = ConceptState(event.stream, home, fact.payload, event.recorded_at)
    return state
