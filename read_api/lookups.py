"""What is asked of a full-text index, what it says, and what it is told of a version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from domain.memory import MemoryState
from domain.recorded import RecordedEvent
from domain.visibility import ANSWERING
from projections.lexical.analyzer import Term, analyze
from projections.lexical.columns import BoolArray
from projections.lexical.documents import Document, document_text
from projections.lexical.eligibility import Filters
from projections.lexical.memtable import Hit
from projections.rows import epistemic_status, repo


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked up: terms, how many matches are wanted at most (None for all), and filters.

    `prefer_repo` names the repo whose memories are told apart; None where none is preferred.
    """

    terms: Sequence[Term]
    limit: int | None
    filters: Filters
    prefer_repo: str | None = None


class Look:
    """One look at the index: the matches, best first, and which memories are eligible.

    `stopped` says that time was up before all matches had their score; there are none then.
    """

    def __init__(
        self,
        row_at: Callable[[str], int | None],
        eligible: BoolArray,
        preferred: BoolArray,
        hits: list[Hit],
        *,
        stopped: bool,
    ) -> None:
        self._row_at = row_at
        self._eligible = eligible
        self._preferred = preferred
        self.hits = hits
        self.stopped = stopped

    def eligible(self, memory_id: str) -> bool:
        """Whether a memory is recallable at the basis and within the filters."""
        return self._in(self._eligible, memory_id)

    def preferred(self, memory_id: str) -> bool:
        """Whether an eligible memory is of the preferred repo."""
        return self._in(self._preferred, memory_id)

    def _in(self, mask: BoolArray, memory_id: str) -> bool:
        row = self._row_at(memory_id)
        return row is not None and row < len(mask) and bool(mask[row])


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
