"""While memories become one, every recall finds either the originals or the one that stays."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.builders import text
from tests.engine.building import Caller
from tests.inputs import BUDGET

WORDS = (
    "bilby",
    "dibbler",
    "dunnart",
    "kowari",
    "mulgara",
    "numbat",
    "potoroo",
    "quokka",
    "quoll",
    "tuan",
)
"""One for each round: no recall of a round finds what another one was about."""
POLLERS = 2
RECALLS = 51
"""That each poller makes in a round, at least: more than a thousand in all."""
BEFORE, AFTER = 10, 5
"""Of these, before the members become one, and after that was answered."""
MEMBERS = 3

pytestmark = pytest.mark.timeout(180)


def polled(store, word, begun, applied):
    """What each of a poller's recalls found, in order.

    It releases `begun` when it is at work, and goes on until `applied` is set, and a bit longer.
    """
    caller = Caller(store)
    limits = {**BUDGET, "max_depth": 1, "timeout_ms": 60_000}
    found, after = [], 0
    while after < AFTER or len(found) < RECALLS:
        if len(found) == BEFORE:
            begun.release()
        after += applied.is_set()
        answer = caller.send("recall", objective=word, limits=limits)
        assert answer["completeness"]["complete"], answer["completeness"]
        found.append(frozenset(item["record"]["id"] for item in answer["items"]))
    return found


def test_every_recall_finds_all_originals_or_the_one_that_stays_alone(store):
    ana = Caller(store)
    counted = 0
    for number, word in enumerate(WORDS):
        ids = [ana.remember(content=text(f"{word} smiles")) for _ in range(MEMBERS)]
        said = {"memory_ids": ids, "canonical_id": ids[number % MEMBERS]}
        proposal_id = ana.send("consolidate", **said)["proposal_id"]
        mode = {"mode": "apply_approved", "proposal_id": proposal_id, "approval_policy": "p"}
        begun, applied = threading.Semaphore(0), threading.Event()
        with ThreadPoolExecutor(POLLERS) as pool:
            polling = [pool.submit(polled, store, word, begun, applied) for _ in range(POLLERS)]
            for _ in range(POLLERS):
                assert begun.acquire(timeout=60)
            ana.send("consolidate", mode=mode, **said)
            applied.set()
            seen = [future.result() for future in polling]

        originals, canonical = frozenset(ids), frozenset([said["canonical_id"]])
        for found in seen:
            turn = found.index(canonical)
            assert found[:turn] == [originals] * turn
            assert found[turn:] == [canonical] * (len(found) - turn)
            assert turn >= BEFORE
            counted += len(found)
    assert counted >= 1000
