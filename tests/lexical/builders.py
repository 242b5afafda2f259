"""One builder a thing: every field has a default, a test names what it is about."""

from __future__ import annotations

from typing import Any

from projections.lexical.analyzer import analyze, query_terms
from projections.lexical.documents import Document
from projections.lexical.eligibility import Basis, Filters

NOW = 1_000
ACTOR = "actor-1"


def document(memory_id: str, text: str = "", *, version: int = 1, **fields: Any) -> Document:
    """A version that every recall by `ACTOR` at `NOW` may give, found by the words of a text.

    It is alone in its session, so that no neighbour lends it words.
    """
    fields.setdefault("from_position", version)
    fields.setdefault("terms", analyze(text))
    defaults = {
        "valid_from_us": 0,
        "valid_until_us": None,
        "expires_at_us": None,
        "active": True,
        "private_owner": None,
        "home_session": f"session-of-{memory_id}",
        "kind": "observation",
        "tags": frozenset(),
        "epistemic_status": None,
        "confidence": None,
        "slot": None,
        "repo": None,
    }
    return Document(memory_id=memory_id, version=version, **{**defaults, **fields})


def basis(
    position: int = 1_000_000,
    as_of_us: int = NOW,
    actor: str = ACTOR,
    session: str | None = None,
) -> Basis:
    return Basis(position=position, as_of_us=as_of_us, actor=actor, session=session)


def never():
    return False


def search(index, question, *, at=None, limit=None, **filters):
    """The hits of a question in words."""
    mask = index.eligible(at or basis(), Filters(**filters))
    return index.search(query_terms(question), mask, limit, never)


def found(index, question, **how):
    """The memories that a question finds, best first."""
    return [hit.memory_id for hit in search(index, question, **how)]
