"""Public failures of peers where something that was deleted lived on, as inputs."""

from __future__ import annotations

from random import Random

import pytest

from projections.lexical.analyzer import query_terms
from projections.lexical.eligibility import Basis, Filters
from read_api.deadlines import Deadline
from read_api.list_filters import MemoryFilters
from read_api.lookups import Question
from tests.erasure.world import WORDS

APPROVED = {"mode": "apply_approved", "approval_policy": "editors"}


def test_report_13_what_was_consolidated_from_a_deleted_memory_is_told_and_can_be_deleted(
    talk, data
):
    # Given a memory, and a summary of it that quotes it
    quoted = {"format": "text", "value": "xqzywarble, said a"}
    a, c = talk.remember(content=quoted), talk.remember(content=quoted)
    members = {"memory_ids": [a, c], "canonical_id": c, "reason": "the same"}
    proposal = talk.send("consolidate", **members)["proposal_id"]
    talk.send("consolidate", mode={**APPROVED, "proposal_id": proposal}, **members)
    # When it is deleted, then the summary is listed and marked
    assert talk.forget(a)["erasure"]["derived"] == [c]
    [item] = talk.recall("xqzywarble")["items"]
    assert (item["record"]["id"], item["needs_review"]) == (c, True)
    assert WORDS.found_under(data)
    # When that is deleted too, then the word is nowhere
    assert talk.forget(c)["erasure"]["derived"] == []
    assert WORDS.found_under(data) == {}


@pytest.mark.parametrize("seed", range(4))
def test_report_33_no_store_keeps_what_another_one_has_deleted(talk, seed):
    # Given random commands on a few memories
    dice = Random(seed)
    memories = [talk.remember(content={"format": "text", "value": "otter"}) for _ in range(8)]
    for memory in dice.sample(memories, 8):
        act = dice.choice(["tombstone", "application_delete", "expire", "update", "hide", "keep"])
        if act == "update":
            talk.update(memory, content={"format": "text", "value": "otter again"})
        elif act == "hide":
            talk.update(memory, lifecycle="tombstoned")
        elif act != "keep":
            late = {"expires_at": "2030-01-01T00:00:00Z"} if act == "expire" else {}
            talk.forget(memory, act, **late)
    # Then what the index finds is what the read models show as active, and what recall gives
    talk.caught_up()
    shown = talk.memoranda.read.memories(talk.who, MemoryFilters(limit=100))["items"]
    active = sorted(item["id"] for item in shown if item["lifecycle"] == "active")
    index, head = talk.memoranda.memtables.of("w"), talk.memoranda.log.head()
    index.follow(head, Deadline.after(30))
    basis = Basis(head, talk.memoranda.log.appended_at(head), "ana")
    question = Question(query_terms("otter"), None, Filters())
    hits = index.look(basis, question, Deadline.after(30)).hits
    assert sorted(hit.memory_id for hit in hits) == active
    assert sorted(item["record"]["id"] for item in talk.recall("otter")["items"]) == active
