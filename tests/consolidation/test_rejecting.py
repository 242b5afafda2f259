"""Deciding against proposals in process, as every door does it."""

from __future__ import annotations

from contextlib import closing

import pytest

from domain.errors import Code, MemorandaError
from ops.wiring import open_memoranda
from tests.circumstances import context
from tests.engine.building import Caller


@pytest.fixture
def store(tmp_path):
    with closing(open_memoranda(tmp_path / "data")) as opened:
        yield opened


@pytest.fixture
def proposal(store):
    ana = Caller(store)
    return ana.send("consolidate", memory_ids=[ana.remember(), ana.remember()])["proposal_id"]


def reject(store, proposal, key="k", **who):
    return store.reject_proposal(context(**who), proposal, "not the same", key)


def test_who_may_neither_consolidate_nor_review(store, proposal):
    head = store.log.head()
    for granted in ({"write"}, {"read", "trace", "forget", "policy", "operate"}, set()):
        with pytest.raises(MemorandaError) as refusal:
            reject(store, proposal, permissions=frozenset(granted))
        assert refusal.value.code is Code.PERMISSION_DENIED
    assert store.log.head() == head

    for number, granted in enumerate(({"review"}, {"consolidate"})):
        answer = reject(store, proposal, key=f"k{number}", permissions=frozenset(granted))
        assert answer["status"] == "rejected"


def test_one_key_is_one_command_whatever_the_command(store, proposal):
    reject(store, proposal, key="mine")
    with pytest.raises(MemorandaError) as refusal:
        Caller(store).send("remember", key="mine")
    assert refusal.value.code is Code.IDEMPOTENCY_CONFLICT

    Caller(store).send("remember", key="other")
    with pytest.raises(MemorandaError) as refusal:
        reject(store, proposal, key="other")
    assert refusal.value.code is Code.IDEMPOTENCY_CONFLICT


def test_a_rejection_is_traced_by_its_key(store, proposal):
    reject(store, proposal, key="mine")

    traced = Caller(store).send("trace", target={"kind": "mutation", "id": "mine"}, key=None)

    assert traced["details"]["operation"] == "reject_proposal"
    assert traced["details"]["committed_id"] == proposal
    assert traced["actor_id"] == "ana"


def test_a_near_miss_of_an_id_rejects_nothing(store, proposal):
    for wrong in (proposal.upper(), f"{proposal} ", proposal[:-1], "prop_nothing", ""):
        with pytest.raises(MemorandaError) as refusal:
            reject(store, wrong)
        assert refusal.value.code is Code.NOT_FOUND
    assert store.read.proposal(context(), proposal)["status"] == "open"
