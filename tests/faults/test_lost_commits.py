"""Every commit happens, and every time the driver says that the connection was lost."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from domain.canonical import JsonObject
from domain.events import CommandRecorded
from ops.wiring import Memoranda, open_memoranda
from tests.circumstances import context
from tests.inputs import envelope
from tests.laws.faults import FaultyConnection, faults
from tests.laws.worlds import caught_up

__all__ = ["faults"]
ROUNDS = 200
CALLERS = 8


@pytest.fixture
def losing(faults: type[FaultyConnection], tmp_path: Path) -> Iterator[Memoranda]:
    """A store whose every commit happens and is then told to have failed."""
    memoranda = open_memoranda(tmp_path / "data")
    faults.planned[:] = ["after"] * (ROUNDS * (CALLERS + 1))
    yield memoranda
    faults.planned.clear()
    memoranda.close()


def test_eight_callers_whose_every_commit_is_lost_have_one_event_each(losing: Memoranda) -> None:
    together = threading.Barrier(CALLERS, timeout=60)

    def remember(key: str) -> JsonObject:
        body = envelope("remember", envelope_changes={"idempotency_key": key})
        receipt: JsonObject = losing.execute(context(), body)["result"]["result"]["receipt"]
        return receipt

    def caller(number: int) -> list[tuple[JsonObject, JsonObject]]:
        """In each round what all send under one key, and what nobody else sends."""
        receipts = []
        for at in range(ROUNDS):
            together.wait()
            receipts.append((remember(f"shared-{at}"), remember(f"own-{number}-{at}")))
        return receipts

    with ThreadPoolExecutor(CALLERS) as pool:
        told = list(pool.map(caller, range(CALLERS)))

    # One event each: a receipt for every key, and a memory for every receipt
    stored = losing.log.after(0, 10**6)
    keys = Counter(
        fact.payload.idempotency_key
        for event in stored
        for fact in event.facts
        if isinstance(fact, CommandRecorded) and fact.payload is not None
    )
    assert set(keys.values()) == {1}
    assert len(keys) == ROUNDS * (CALLERS + 1)
    assert Counter(event.topic for event in stored) == {
        "memory.remembered": len(keys),
        "command.recorded": len(keys),
    }
    # Equal receipts: one caller was first, the others were answered as it was
    for at in range(ROUNDS):
        shared = [receipts[at][0] for receipts in told]
        assert sum(not receipt["replayed"] for receipt in shared) == 1
        assert all({**receipt, "replayed": False} == shared_first(shared) for receipt in shared)
    assert not any(own["replayed"] for receipts in told for _, own in receipts)
    # And the connection was lost at every one of the commits
    assert len(FaultyConnection.made) > ROUNDS
    assert caught_up(losing).runner.failure is None


def shared_first(receipts: list[JsonObject]) -> JsonObject:
    """The receipt of the caller that was first."""
    return next(receipt for receipt in receipts if not receipt["replayed"])
