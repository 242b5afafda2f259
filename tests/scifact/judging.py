"""Every claim assessed by the shipped policies: totals beside the expected ones, and how fast."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from domain.context import Context
from domain.validation.shipped import SINGLE_TRUSTED, TWO_INDEPENDENT
from ops.memoranda import Memoranda
from read_api.list_filters import PAGE_MAX, MemoryFilters
from tests.scifact.conversion import Claim

POLICIES: Final = (SINGLE_TRUSTED, TWO_INDEPENDENT)
FOLLOWED_SECONDS: Final = 60.0
INSUFFICIENT: Final = "insufficient_independent_support"
EXPECTED: Final = {
    SINGLE_TRUSTED: {
        ("validated", ()): 332,
        ("rejected", ("no_support", "contradiction")): 173,
        ("candidate", ("no_support",)): 304,
    },
    TWO_INDEPENDENT: {
        ("validated", ()): 24,
        ("candidate", (INSUFFICIENT,)): 308,
        ("rejected", ("no_support", "contradiction")): 173,
        ("candidate", ("no_support",)): 304,
    },
}
"""Of SciFact's own claims, by policy: recommended status and blockers, and how many."""
EXPECTED_MIXED: Final = {
    SINGLE_TRUSTED: {("contested", ("contradiction",)): 200},
    TWO_INDEPENDENT: {("contested", (INSUFFICIENT, "contradiction")): 200},
}
"""Of the mixed ones."""

Outcome = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Judged:
    """What came out for each claim, by its identity key and policy."""

    outcomes: Mapping[tuple[str, str], Outcome]
    seconds: float
    processor_seconds: float

    def totals(self, claims: Iterable[Claim], policy: str) -> Counter[Outcome]:
        """How many of some claims came to each outcome."""
        return Counter(self.outcomes[claim.key, policy] for claim in claims)


def claim_ids(memoranda: Memoranda, context: Context) -> dict[str, str]:
    """The id of each claim in the workspace, by its identity key."""
    found: dict[str, str] = {}
    cursor: str | None = None
    memoranda.runner.wait_for(context.workspace, memoranda.log.head(), FOLLOWED_SECONDS)
    while True:
        filters = MemoryFilters(kind="claim", limit=PAGE_MAX, cursor=cursor)
        page = memoranda.read.memories(context, filters)
        found |= {item["identity_key"]: item["id"] for item in page["items"]}
        cursor = page["next_cursor"]
        if cursor is None:
            return found


def judge(memoranda: Memoranda, context: Context, claims: Iterable[Claim]) -> Judged:
    """Assess each claim by each policy, and record it: what `POST /v1/claims/{id}/assess` does."""
    ids = claim_ids(memoranda, context)
    outcomes: dict[tuple[str, str], Outcome] = {}
    started, worked = time.perf_counter(), time.process_time()
    for claim in claims:
        for policy in POLICIES:
            asking = replace(context, request_id=f"assess {claim.name}")
            key = f"assess {claim.key} {policy}"
            answer = memoranda.assessor.assess(asking, ids[claim.key], policy, key=key)
            outcomes[claim.key, policy] = _outcome(answer["assessment"])
    return Judged(outcomes, time.perf_counter() - started, time.process_time() - worked)


def _outcome(assessment: Mapping[str, Any]) -> Outcome:
    blockers = tuple(blocker["blocker"] for blocker in assessment["blockers"])
    return assessment["recommended"], blockers


def totals_table(found: Mapping[Outcome, int], expected: Mapping[Outcome, int]) -> Iterable[str]:
    """A line for each outcome, with how many were expected."""
    for outcome in sorted({*found, *expected}):
        recommended, blockers = outcome
        name = f"{recommended}: {', '.join(blockers) or 'no blocker'}"
        count, wanted = found.get(outcome, 0), expected.get(outcome, 0)
        verdict = "" if count == wanted else "   DIFFERS"
        yield f"  {name:<60} {count:>5}   expected {wanted:>5}{verdict}"
