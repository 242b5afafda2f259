"""A rejection goes with its proposal, and its reason with the members that it may quote."""

from __future__ import annotations

import pytest

from ops.standalone_verifier import verify_export
from tests.backup.worlds import World
from tests.engine.building import Caller
from tests.exports.history import exported, forget, imported, text_of

REASON = "cormorants are no herons"


@pytest.fixture
def told(tmp_path):
    """A world with a rejected proposal, and its ids."""
    world = World(tmp_path / "world")
    with world.open() as talk:
        members = [talk.remember(content=text_of(words)) for words in ("heron", "cormorant")]
        proposal = talk.send("consolidate", memory_ids=members)["proposal_id"]
        talk.memoranda.reject_proposal(talk.who, proposal, REASON, "key")
    return world, proposal, members


def read(world, proposal):
    with world.open() as talk:
        talk.memoranda.read.wait(talk.who.workspace, talk.memoranda.log.head())
        return talk.memoranda.read.proposal(talk.who, proposal)


def test_it_is_a_rejection_in_the_store_that_imports_it(told, tmp_path):
    world, proposal, members = told
    file = tmp_path / "all.jsonl"
    exported(world, file, sanitized=False)
    assert verify_export(file).wrong == 0

    other = World(tmp_path / "other")
    imported(other, file)

    found = read(other, proposal)
    assert (found["status"], found["ended"]["reason"]) == ("rejected", REASON)
    with other.open() as talk:
        replayed = talk.memoranda.read.proposal_replay(talk.who, proposal)
        assert (replayed["verdict"], replayed["first_difference"]) == ("identical", None)
        mode = {"mode": "apply_approved", "proposal_id": proposal, "approval_policy": "p"}
        refused = Caller(talk.memoranda).refused("consolidate", memory_ids=members, mode=mode)
    assert refused["reason"] == "PROPOSAL_REJECTED"


@pytest.mark.parametrize(
    ("mode", "sanitized"), [("tombstone", True), ("application_delete", False)]
)
def test_its_reason_is_left_out_with_what_it_may_quote(told, tmp_path, mode, sanitized):
    world, proposal, members = told
    with world.open() as talk:
        forget(talk, members[1], mode, "asked to")
    file = tmp_path / "some.jsonl"
    exported(world, file, sanitized=sanitized)

    assert REASON.encode() not in file.read_bytes()
    assert verify_export(file).wrong == 0
    assert read(world, proposal)["status"] == "rejected"
    assert world.verified(tmp_path / "copy").wrong == 0
