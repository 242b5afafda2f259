"""No command reaches into another workspace, whatever id it knows."""

from __future__ import annotations

import pytest

from tests.circumstances import context
from tests.engine.building import Caller


@pytest.fixture
def stranger(store):
    """The same actor in another workspace."""
    return Caller(store, context(workspace="elsewhere"))


@pytest.mark.parametrize("operation", ["update", "forget", "relate", "consolidate"])
def test_an_id_of_another_workspace_is_not_found(ana, stranger, store, operation):
    # Given two memories of one workspace, and one of another
    here = [ana.remember() for _ in range(2)]
    own = stranger.remember()
    head = store.log.head()
    said = {
        "update": {"target": {"kind": "memory", "id": here[0]}},
        "forget": {"memory_id": here[0]},
        "relate": {"source_id": own, "target_id": here[0]},
        "consolidate": {"memory_ids": [own, here[0]]},
    }
    # When
    error = stranger.refused(operation, **said[operation])
    # Then it is as if it did not exist, and nothing is recorded
    assert error["code"] == "NOT_FOUND"
    assert store.log.head() == head


def test_an_edge_of_another_workspace_is_not_found(ana, stranger):
    ends = [ana.remember() for _ in range(2)]
    edge = ana.send("relate", source_id=ends[0], target_id=ends[1])["relationship"]["id"]

    error = stranger.refused("update", target={"kind": "relationship", "id": edge})

    assert error["code"] == "NOT_FOUND"


def test_a_proposal_of_another_workspace_was_never_made(ana, stranger):
    members = {"memory_ids": [ana.remember() for _ in range(2)]}
    proposal = ana.send("consolidate", **members)["proposal_id"]
    mode = {"mode": "apply_approved", "proposal_id": proposal, "approval_policy": "editors"}

    error = stranger.refused("consolidate", mode=mode, **members)

    assert error["code"] == "NOT_FOUND"
