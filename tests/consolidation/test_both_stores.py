"""Proposals and duplicates are told alike, whichever database holds the read models."""

from __future__ import annotations

from domain.events import SettingsChange
from read_api.duplicates import SuggestionFilters
from read_api.proposals import ProposalFilters
from tests.circumstances import context
from tests.engine.building import Caller

STATUSES = ("open", "applied", "rejected", "stale")


def seen(store):
    store.read.wait("w", store.log.head())
    return store.read


def listed(store, status=None, **who):
    page = seen(store).proposals(context(**who), ProposalFilters(status=status))
    return [item["proposal_id"] for item in page["items"]]


def suggested(store, **who):
    page = seen(store).suggestions(context(**who), SuggestionFilters())
    return [[one["memory_id"] for one in item["members"]] for item in page["items"]]


def twins(caller, number, **more):
    """Two memories that say the same in one slot, with a NUL in it."""
    value = {"text": f"twin\0{number}", "properties": {"slot": f"slot {number}"}}
    content = {"format": "text_and_properties", "value": value}
    return [caller.remember(content=content, **more) for _ in range(2)]


def test_each_proposal_is_listed_by_how_it_stands(store):
    ana = Caller(store)
    members = [twins(ana, number) for number in range(4)]
    ids = [ana.send("consolidate", memory_ids=pair)["proposal_id"] for pair in members]
    mode = {"mode": "apply_approved", "proposal_id": ids[1], "approval_policy": "p"}
    ana.send("consolidate", memory_ids=members[1], mode=mode)
    store.reject_proposal(context(), ids[2], "no", "k")
    target = {"kind": "memory", "id": members[3][0]}
    ana.send("update", target=target, patch={"confidence": 0.5})

    assert listed(store) == ids
    assert [listed(store, status) for status in STATUSES] == [[one] for one in ids]
    # Superseded ones are duplicates no more; what was corrected still says the same.
    assert sorted(suggested(store)) == sorted(members[number] for number in (0, 2, 3))


def test_private_ones_are_told_to_their_owner_alone(store):
    ana = Caller(store)
    pair = twins(ana, 0, visibility="private")
    proposal_id = ana.send("consolidate", memory_ids=pair)["proposal_id"]

    assert (listed(store), suggested(store)) == ([proposal_id], [pair])
    assert (listed(store, actor="bea"), suggested(store, actor="bea")) == ([], [])


def test_strict_sessions_see_their_own_alone(store):
    store.settings.change(
        context(permissions=frozenset({"policy"})), SettingsChange(session_isolation="strict")
    )
    pair = twins(Caller(store), 0)
    twins(Caller(store, context(session="s2")), 0)
    proposal_id = Caller(store).send("consolidate", memory_ids=pair)["proposal_id"]

    assert (listed(store), suggested(store)) == ([proposal_id], [pair])
    assert listed(store, session="s2") == []
    assert pair not in suggested(store, session="s2")
