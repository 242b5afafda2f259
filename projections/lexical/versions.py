"""A version of a memory as the document of an index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from domain.memory import MemoryState
from domain.recorded import RecordedEvent
from domain.stand_ins import StandIn, stand_ins
from domain.visibility import ANSWERING
from projections.lexical.analyzer import analyze
from projections.lexical.documents import Document, document_text
from projections.lexical.places import stand_in_id
from projections.rows import epistemic_status, repo


def stand_in_documents(event: RecordedEvent, state: MemoryState) -> Iterator[Document]:
    """Those of what a tangled memory says while the branch that it shows does not hold."""
    for name, one in _named(state):
        made = document_of(event, one.state)
        yield replace(made, memory_id=name, valid_from_us=one.from_us, valid_until_us=one.until_us)


def stand_in_names(state: MemoryState) -> list[str]:
    """What the documents of a memory's stand-ins are called."""
    return [name for name, _ in _named(state)]


def _named(state: MemoryState) -> Iterator[tuple[str, StandIn]]:
    turns: Counter[int] = Counter()
    for one in stand_ins(state):
        yield stand_in_id(state.id, one.shows, turns[one.shows]), one
        turns[one.shows] += 1


def document_of(event: RecordedEvent, state: MemoryState) -> Document:
    """The document of a version; without terms where its text is gone."""
    terms: dict[str, float] = {}
    if state.content is not None:
        text = document_text(state.kind, state.content, state.tags, state.identity_key)
        terms = analyze(text)
    private = state.home.visibility == "private"
    return Document(
        memory_id=state.id,
        version=state.version,
        from_position=event.position,
        terms=terms,
        valid_from_us=state.bounds.from_us,
        valid_until_us=state.bounds.until_us,
        expires_at_us=state.bounds.expires_us,
        active=state.lifecycle in ANSWERING and state.content is not None,
        private_owner=state.home.owner if private else None,
        home_session=state.home.session,
        kind=state.kind,
        tags=frozenset(state.tags),
        epistemic_status=epistemic_status(state.content),
        confidence=state.confidence,
        slot=state.slot_ref,
        repo=repo(state.content),
    )
