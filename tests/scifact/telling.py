"""Claims as a person would read them: what is said, what speaks for and against it, and what of it.

What is printed is read from the store, not from SciFact's files.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Final

from domain.context import Context
from ops.memoranda import Memoranda
from read_api.claim_questions import EvidenceQuestion
from tests.scifact.conversion import Claim
from tests.scifact.judging import POLICIES, Judged, Outcome

WIDTH: Final = 100
SENTENCES_MAX: Final = 2
"""Of each stance; the others are counted."""
_MARKS: Final = {"supports": "for", "contradicts": "against"}


def chosen(claims: Sequence[Claim], judged: Judged, count: int) -> list[Claim]:
    """As many kinds of outcomes as there are, in turn, each claim the next of its kind."""
    kinds: dict[tuple[Outcome, ...], list[Claim]] = {}
    for claim in claims:
        kind = tuple(judged.outcomes[claim.key, policy] for policy in POLICIES)
        kinds.setdefault(kind, []).append(claim)
    turns = max(map(len, kinds.values()), default=0)
    mixed = [kind[turn] for turn in range(turns) for kind in kinds.values() if turn < len(kind)]
    return mixed[:count]


def told(
    memoranda: Memoranda, context: Context, claim_id: str, outcomes: dict[str, Outcome]
) -> Iterator[str]:
    """Some lines about a claim."""
    record = memoranda.read.memory(context, claim_id).body
    yield from _wrapped(f"“{record['content']['value']['text']}”", "")
    evidence = memoranda.claims.evidence(context, claim_id, EvidenceQuestion())
    for stance, word in _MARKS.items():
        speaking = evidence[stance]
        for piece in speaking[:SENTENCES_MAX]:
            yield from _wrapped(f"{word}: {_said(memoranda, context, piece)}", "    ")
        if len(speaking) > SENTENCES_MAX:
            yield f"    {word}: {len(speaking) - SENTENCES_MAX} more"
    for policy, (recommended, blockers) in outcomes.items():
        because = f", since {' and '.join(blockers)}".replace("_", " ") if blockers else ""
        yield f"    {policy}: {recommended}{because}"


def _said(memoranda: Memoranda, context: Context, piece: dict[str, Any]) -> str:
    value = memoranda.read.memory(context, piece["memory"]["id"]).body["content"]["value"]
    return f"{value['text']} ({value['properties']['title'].rstrip('.')})"


def _wrapped(text: str, indent: str) -> Iterator[str]:
    shown = " ".join(text.split())
    later = indent + "  "
    yield from textwrap.wrap(shown, WIDTH, initial_indent=indent, subsequent_indent=later)
