"""A version of a memory as the document of an index."""

from __future__ import annotations

from domain.memory import MemoryState
from domain.recorded import RecordedEvent
from domain.visibility import ANSWERING
from projections.lexical.analyzer import analyze
from projections.lexical.documents import Document, document_text
from projections.rows import epistemic_status, repo


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
