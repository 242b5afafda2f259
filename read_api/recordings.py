"""What is recorded of an answered recall, and what can be read back from it.

Ids, versions and counts are structure and outlive every erasure; the question, its filters, the
scores and the reasons are payload (spec/operations.md §6.7). The text of a record is neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from domain.canonical import JsonObject
from domain.context import Context
from domain.contract import RecallInput
from domain.event_bases import Target
from domain.events import Recalled, RecallRecorded
from domain.instants import Micros
from domain.limits import BUDGETS
from domain.memory import MemoryState
from domain.visibility import Home, Viewer
from read_api.histories import History

USAGE: Final = ("depth", "payload_bytes", "cost", "elapsed_ms")
"""Counters of `usage` beside `items`."""


@dataclass(frozen=True, slots=True)
class Returned:
    """What one page gave: memories and relationships at their versions.

    `skipped` are memories that alone exceeded the payload budget and were named instead.
    """

    items: Sequence[Target]
    edges: Sequence[Target]
    skipped: Sequence[Target]


@dataclass(frozen=True, slots=True)
class Page:
    """An answered page, as far as it is recorded.

    `pages` are the recall ids of the pages before: what they gave this one does not give again.
    `told` says that on one of them the client learned of an item too large for its budget.
    `outcomes` are objects with the outcome's name under `outcome` and what it concerns; `scores`
    are objects {id, version, score, reasons} of the items.
    """

    returned: Returned
    position: int
    as_of_us: Micros
    basis: JsonObject
    scores: list[JsonObject]
    outcomes: list[JsonObject]
    usage: dict[str, int]
    truncated: bool
    pages: Sequence[str]
    private: bool
    told: bool = False


def recording(context: Context, said: RecallInput, page: Page) -> RecallRecorded:
    """The event of an answered page; private where it gave something private."""
    limits = said.limits.model_dump()
    given = page.returned
    counts = {
        "items": len(given.items),
        "edges": len(given.edges),
        "skipped": len(given.skipped),
        "position": page.position,
        "as_of_us": page.as_of_us,
        "page": len(page.pages) + 1,
        "truncated": int(page.truncated),
        **{name: page.usage[name] for name in USAGE},
        **limits,
    }
    return RecallRecorded(
        session=context.session,
        visibility="private" if page.private else "workspace",
        owner=context.actor,
        targets=[*given.items, *given.edges, *given.skipped],
        counts=counts,
        payload=Recalled(
            objective=said.objective,
            seed_ids=said.seed_ids,
            limits=limits,
            filters=filters_of(said),
            basis={
                **page.basis,
                **({"pages": list(page.pages)} if page.pages else {}),
                **({"told": True} if page.told else {}),
            },
            items=page.scores,
            outcomes=page.outcomes,
            usage=dict(page.usage),
        ),
    )


def filters_of(said: RecallInput) -> JsonObject:
    """All that a question says beside objective, seeds, limits and page token."""
    return said.model_dump(
        exclude={"objective", "seed_ids", "limits", "page_token"}, exclude_defaults=True
    )


def asked(fact: RecallRecorded) -> RecallInput | None:
    """The question of a recorded recall, without its page; None where it was erased."""
    said = fact.payload
    if said is None:
        return None
    return RecallInput.model_validate(
        {
            "objective": said.objective,
            "seed_ids": said.seed_ids,
            "limits": said.limits,
            **said.filters,
        }
    )


def earlier_pages(fact: RecallRecorded) -> Sequence[str]:
    """The recall ids of the pages before; none where they were erased with the question."""
    pages: Sequence[str] = () if fact.payload is None else fact.payload.basis.get("pages", ())
    return pages


def was_told(fact: RecallRecorded) -> bool:
    """Whether the client knew of an item too large for its budget when it asked for the page."""
    return fact.payload is not None and fact.payload.basis.get("told") is True


def returned(fact: RecallRecorded) -> Returned:
    """What a recorded page gave."""
    items = fact.counts["items"]
    edges = items + fact.counts["edges"]
    return Returned(fact.targets[:items], fact.targets[items:edges], fact.targets[edges:])


def visible_to(viewer: Viewer, fact: RecallRecorded) -> bool:
    """Whether who looks may know of a recorded recall."""
    return Home(fact.session, fact.visibility, fact.owner).visible_to(viewer)


def quotes_forgotten(fact: RecallRecorded, memories: Mapping[str, History[MemoryState]]) -> bool:
    """Whether a recall gave what was forgotten since: its question may hold the same words."""
    return bool(forgotten_of(fact, memories))


def forgotten_of(
    fact: RecallRecorded, memories: Mapping[str, History[MemoryState]]
) -> frozenset[str]:
    """Those of the memories that a recall gave which are forgotten since."""
    return frozenset(
        key for key, at in fact.targets if key in memories and _forgotten(memories[key].last, at)
    )


def _forgotten(last: MemoryState, version: int) -> bool:
    """Whether a version is forgotten, or may have been made from one that is."""
    return last.forgotten is not None or any(dead <= version for dead in last.dead_versions)


def recall_details(recall_id: str, fact: RecallRecorded, *, reads: bool, hides: bool) -> JsonObject:
    """The `details` of a recall's trace; question, scores and reasons with read permission only.

    `outcomes`, `basis` and the question are null where the payload was erased; the question, and
    why each item was selected, also where they are to be hidden, with what it found.
    """
    counts, said = fact.counts, fact.payload
    details: JsonObject = {
        "record_kind": "recall",
        "objective_trace": recall_id,
        "completeness": "truncated" if counts["truncated"] else "complete",
        "page": counts["page"],
        "limits": {name: counts[name] for name in BUDGETS},
        "usage": {name: counts[name] for name in ("items", *USAGE)},
        "outcomes": None if said is None else [made["outcome"] for made in said.outcomes],
        "basis": None if said is None else said.basis,
    }
    if reads:
        said = None if hides else said
        details["objective"] = None if said is None else said.objective
        details["seed_ids"] = None if said is None else said.seed_ids
        details["filters"] = None if said is None else said.filters
        details["items"] = None if said is None else said.items
    return details
