"""Recorded recalls without asking for them."""

from __future__ import annotations

from domain.contract import RecallInput
from domain.ids import RECALL
from read_api.recordings import Page, Returned, recording
from tests.recall.world import LogRecorder, World

LIMITS = {
    "max_items": 10,
    "max_depth": 2,
    "max_payload_bytes": 65536,
    "max_cost": 100,
    "timeout_ms": 60_000,
    "supernode_threshold": 20,
}


def record_recall(
    world: World, *, items, edges, skipped, truncated=False, private=False, by=None
) -> str:
    """The id of a recall that gave these targets."""
    said = RecallInput(objective="what was asked", seed_ids=[], limits=LIMITS)
    page = Page(
        returned=Returned(items, edges, skipped),
        position=world.log.head(),
        as_of_us=world.clock.now,
        basis={"position": world.log.head()},
        scores=[],
        outcomes=[{"outcome": "timeout"}] if truncated else [],
        usage={
            "items": len(items),
            "depth": 0,
            "payload_bytes": 0,
            "cost": 0,
            "elapsed_ms": 1,
        },
        truncated=truncated,
        pages=(),
        private=private,
    )
    context = world.context(by)
    recall_id = world.new_id(RECALL)
    LogRecorder(world).record(context, recall_id, recording(context, said, page))
    return recall_id
