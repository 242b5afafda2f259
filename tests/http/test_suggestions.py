"""Memories that say the same in one slot: suggested, and nothing is written."""

from __future__ import annotations

import pytest

from tests.http.api import change, memory
from tests.http.test_proposals import apply, proposing, reject


def slotted(value, **more):
    said = {"slot": more.pop("slot", "tea"), "object": value}
    content = {"format": "text_and_properties", "value": {"text": "said", "properties": said}}
    return {**memory(), "content": content, **more}


@pytest.fixture
def state(api):
    def said(value, names=None, **more):
        return api.do("remember", slotted(value, **more), **(names or {}))["record"]["id"]

    return said


def test_memories_of_one_slot_and_value_are_suggested_and_nothing_is_written(api, state, store):
    twins = [state("hot"), state("hot")]
    state("cold")
    state("hot", slot="soup")
    before = store.log.head()

    found = api.read("/v1/proposals/suggestions")

    assert found["items"] == [
        {
            "slot": "tea",
            "canonical_id": twins[0],
            "members": [{"memory_id": key, "version": 1} for key in twins],
            "proposals": [],
        }
    ]
    assert store.log.head() == before


def test_spellings_of_one_value_are_duplicates(api, state):
    state("caf\u00e9")
    state("cafe\u0301")

    assert len(api.read("/v1/proposals/suggestions")["items"]) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"valid_from": "2020-01-01T00:00:00Z", "valid_until": "2021-01-01T00:00:00Z"},
        {"valid_from": "2999-01-01T00:00:00Z"},
        {"expires_at": "2020-01-01T00:00:00Z"},
        {"visibility": "private", "names": {"actor": "bob"}},
        {"names": {"workspace": "elsewhere"}},
    ],
)
def test_what_does_not_hold_now_or_is_not_seen_is_no_duplicate(api, state, other):
    """The same statement about two separate periods is two statements."""
    state("hot")
    state("hot", **other)

    assert api.read("/v1/proposals/suggestions")["items"] == []


def test_what_was_forgotten_superseded_or_corrected_is_suggested_no_more(api, state):
    forgotten, superseded, corrected = ([state("hot", slot=s) for _ in "ab"] for s in "xyz")
    assert len(api.read("/v1/proposals/suggestions")["items"]) == 3
    api.do("forget", {"memory_id": forgotten[0], "mode": "tombstone", "reason": "r"})
    proposal = api.do("consolidate", proposing(superseded), key=None)["proposal_id"]
    apply(api, proposal, superseded)
    cold = slotted("cold", slot="z")["content"]
    api.do("update", change(corrected[0], content=cold))

    assert api.read("/v1/proposals/suggestions")["items"] == []


def test_a_suggestion_names_the_open_proposals_about_it(api, state):
    twins = [state("hot"), state("hot")]
    proposal_id = api.do("consolidate", proposing(twins), key=None)["proposal_id"]
    api.do("consolidate", proposing([twins[0], state("cold")]), key=None)

    def named():
        [found] = api.read("/v1/proposals/suggestions")["items"]
        return found["proposals"]

    assert named() == [proposal_id]
    reject(api, proposal_id)
    assert named() == []


def test_suggestions_come_in_pages_that_neither_repeat_nor_skip(api, state):
    for slot in "abcde":
        state("hot", slot=slot)
        state("hot", slot=slot)

    seen, cursor, pages = [], "", 0
    while cursor is not None:
        mark = f"&cursor={cursor}" if cursor else ""
        page = api.read(f"/v1/proposals/suggestions?limit=2{mark}")
        seen += [item["slot"] for item in page["items"]]
        cursor, pages = page["next_cursor"], pages + 1

    assert sorted(seen) == list("abcde")
    assert pages == 3
