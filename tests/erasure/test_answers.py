"""What a forget answers: what stays, what is out of reach, and what has to be looked at again."""

from __future__ import annotations

import pytest

from domain.erasure import OUT_OF_REACH, STAYS
from domain.errors import MemorandaError
from domain.events import ErasureCompleted, ErasureStep
from read_api.list_filters import MemoryFilters
from tests.circumstances import context
from tests.erasure.test_steps import erasures
from tests.erasure.world import BOTH, tell

APPROVED = {"mode": "apply_approved", "approval_policy": "editors"}


def text(value):
    return {"format": "text", "value": value}


def citing(*sources):
    return [{"source_id": source, "locator": None, "observed_at": None} for source in sources]


def test_an_application_delete_says_what_stays_and_what_it_cannot_reach(talk):
    memory = talk.remember()

    answer = talk.forget(memory)

    assert answer["erasure"] == {
        "completed": True,
        "stays": list(STAYS),
        "out_of_reach": list(OUT_OF_REACH),
        "derived": [],
        "originals": [],
    }
    [completed] = talk.memoranda.log.after(0, 100, topics=(ErasureCompleted.TOPIC,))
    [fact] = completed.facts
    assert fact.payload.stays == answer["erasure"]["stays"]
    assert fact.payload.out_of_reach == answer["erasure"]["out_of_reach"]


def test_a_tombstone_says_that_the_content_stays(talk):
    advice = talk.forget(talk.remember(), "tombstone")["erasure"]

    assert advice.keys() == {"stays", "out_of_reach", "derived", "originals"}
    assert {"content", "questions"} <= set(advice["stays"])
    assert erasures(talk.memoranda) == []


def test_an_expiry_erases_nothing_and_says_nothing(talk):
    answer = talk.forget(talk.remember(), "expire", expires_at="2030-01-01T00:00:00Z")

    assert "erasure" not in answer


def test_a_repeated_forget_is_answered_from_its_receipt_alone(talk):
    talk.forget(talk.remember())
    who, body = talk.sent[-1]

    again = talk.memoranda.execute(who, body)["result"]["result"]

    assert again["receipt"]["replayed"] is True
    assert again.keys() == {"receipt", "mode"}
    assert len(erasures(talk.memoranda)) == 1


def test_what_was_counted_stands_in_the_log_and_no_word_of_it(talk):
    told = tell(talk, long=1)
    talk.forget(told.memory)

    topics = (ErasureStep.TOPIC, ErasureCompleted.TOPIC)
    facts = [fact for event in talk.memoranda.log.after(0, 10**4, topics=topics)
             for fact in event.facts]  # fmt: skip
    counts = {getattr(fact, "mode", "completed"): fact.counts for fact in facts}
    # Four versions, three questions that found it, one proposal.
    assert counts == {
        "requested": {"versions": 4},
        "keys_destroyed": {"keys": 4},
        "views_cleared": {},
        "caches_cleared": {},
        "questions_destroyed": {"keys": 4, "recalls": 3, "proposals": 1},
        "completed": {"versions": 4, "keys": 8, "recalls": 3, "proposals": 1},
    }
    assert all(fact.targets == [(told.memory, 4)] for fact in facts)


def test_the_numbers_of_a_recall_outlive_its_question(talk):
    told = tell(talk, long=1)
    before = talk.memoranda.read.recall(talk.who, told.recalls[0])
    talk.forget(told.memory)

    after = talk.memoranda.read.recall(talk.who, told.recalls[0])

    assert before["details"]["objective"] is not None
    assert (after["details"]["objective"], after["details"]["filters"]) == (None, None)
    assert after["details"]["usage"] == before["details"]["usage"]
    assert after["details"]["limits"] == before["details"]["limits"]
    records = {item["record"]["id"]: item["record"] for item in after["items"]}
    assert records[told.memory]["erased"] is True


def test_questions_that_found_other_things_keep_their_words(talk):
    memory, other = talk.remember(content=text("otter")), talk.remember(content=text("heron"))
    kept = talk.recall("heron")["recall_id"]
    foreign = context(workspace="w2")
    talk.send("remember", foreign, content=text("otter"))
    abroad = talk.send("recall", foreign, objective="otter")["recall_id"]

    talk.forget(memory)

    read = talk.memoranda.read
    assert read.recall(talk.who, kept)["details"]["objective"] == "heron"
    assert read.recall(foreign, abroad)["details"]["objective"] == "otter"
    assert talk.memoranda.log.stream("w", other)[0].erased is False


def test_a_question_of_somebody_else_goes_too(talk):
    memory = talk.remember(content=text("otter"))
    recall = talk.send("recall", context(actor="bea"), objective="otter")["recall_id"]

    talk.forget(memory)

    [event] = talk.memoranda.log.stream("w", recall)
    assert event.erased


def test_of_one_version_the_questions_go_that_may_have_seen_its_text(talk):
    # Given questions before, at, and after the version that is destroyed
    memory = talk.remember(content=text("otter one"))
    before = talk.recall("otter")["recall_id"]
    talk.update(memory, content=text("otter two"))
    at = talk.recall("otter")["recall_id"]
    talk.update(memory, add_tags=["later"])
    carried = talk.recall("otter")["recall_id"]
    # When
    talk.forget(memory, scope="event", version=2)
    talk.update(memory, content=text("otter three"))
    after = talk.recall("otter")["recall_id"]
    # Then
    log = talk.memoranda.log
    erased = [log.stream("w", recall)[0].erased for recall in (before, at, carried, after)]
    assert erased == [False, True, True, False]


def test_all_memories_of_a_slot_are_one_erasure(talk):
    said = {"format": "properties", "value": {"slot": "the roof", "object": "leaks"}}
    memories = [talk.remember(content=said) for _ in range(6)]
    recalls = [talk.recall("leaks")["recall_id"] for _ in range(2)]

    answer = talk.forget(memories[0], scope="key")

    assert answer["erasure"]["completed"] is True
    log = talk.memoranda.log
    assert len(erasures(talk.memoranda)) == 1
    assert all(log.stream("w", stream)[0].erased for stream in (*memories, *recalls))


def test_the_erasures_of_a_batch_are_carried_out_together(talk):
    memories = [talk.remember(content=text(f"otter {number}")) for number in range(20)]
    recall = talk.recall("otter")["recall_id"]
    bodies = [{"contract_version": "v1", "operation": "forget", "idempotency_key": f"f{memory}",
               "input": {"memory_id": memory, "mode": "application_delete", "reason": "r"}}
              for memory in memories]  # fmt: skip
    start = talk.memoranda.log.head()

    answers = talk.memoranda.execute_many(talk.who, bodies)

    assert all(one["result"]["result"]["erasure"]["completed"] for one in answers)
    events = talk.memoranda.log.after(start, 1000, topics=(ErasureStep.TOPIC,))
    modes = [fact.mode for event in events for fact in event.facts]
    assert modes == sorted(modes, key=modes.index), "all of one step, then all of the next"
    assert talk.memoranda.log.stream("w", recall)[0].erased


# --- Derived memories -----------------------------------------------------------------------------


def derived_in(talk, memory):
    """Memories made from one: by a relationship, by a consolidation, by a citation."""
    summary = talk.remember(content=text("heron, a summary"))
    talk.send("relate", source_id=summary, target_id=memory, kind="derived_from")
    canonical = talk.remember(content=text("heron, the canonical one"))
    members = {"memory_ids": [memory, canonical], "canonical_id": canonical, "reason": "same"}
    proposal = talk.send("consolidate", **members)["proposal_id"]
    talk.send("consolidate", mode={**APPROVED, "proposal_id": proposal}, **members)
    citing_it = talk.remember(content=text("heron, as was said"), provenance=citing(memory))
    return sorted([summary, canonical, citing_it])


def reviews(talk, who=None):
    """What each door says of the herons: recall, GET, the list, trace."""
    asking = who or talk.who
    talk.caught_up()
    read = talk.memoranda.read
    items = talk.send("recall", asking, objective="heron")["items"]
    found = {item["record"]["id"]: {item["needs_review"]} for item in items}
    for memory, marks in found.items():
        marks.add(read.memory(asking, memory).body["needs_review"])
        target = {"kind": "memory", "id": memory}
        gaps = talk.send("trace", asking, target=target)["gaps"]
        marks.add(any(gap["gap"] == "needs_review" for gap in gaps))
    for item in read.memories(asking, MemoryFilters(limit=100))["items"]:
        if item["id"] in found:
            found[item["id"]].add(item["needs_review"])
    assert all(len(marks) == 1 for marks in found.values()), "all doors say the same"
    return sorted(memory for memory, marks in found.items() if marks == {True})


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_what_was_made_of_a_forgotten_memory_is_listed_and_marked(talk, mode):
    memory = talk.remember(content=text("otter"))
    derived = derived_in(talk, memory)
    talk.remember(content=text("heron of its own"))
    assert reviews(talk) == []

    answer = talk.forget(memory, mode)

    assert answer["erasure"]["derived"] == derived
    assert reviews(talk) == derived


def test_a_later_version_is_a_review(talk):
    memory = talk.remember(content=text("otter"))
    [first, *others] = derived_in(talk, memory)
    talk.forget(memory)

    talk.update(first, add_tags=["reviewed"])

    assert reviews(talk) == others
    old = talk.memoranda.read.memory(talk.who, first, 1).body
    assert old["needs_review"] is True


def test_an_expiry_asks_for_no_review(talk):
    memory = talk.remember(content=text("otter"))
    derived_in(talk, memory)

    talk.forget(memory, "expire", expires_at="2030-01-01T00:00:00Z")

    assert reviews(talk) == []


def test_a_destroyed_version_asks_for_a_review_and_an_expiry_after_it_for_no_other(talk):
    memory = talk.remember(content=text("otter"))
    talk.update(memory, content=text("another"))
    derived = derived_in(talk, memory)

    answer = talk.forget(memory, scope="event", version=1)
    assert (answer["erasure"]["derived"], reviews(talk)) == (derived, derived)
    for one in derived:
        talk.update(one, add_tags=["reviewed"])
    talk.forget(memory, "expire", expires_at="2030-01-01T00:00:00Z")

    assert reviews(talk) == []


def test_a_relationship_that_was_withdrawn_derives_nothing(talk):
    memory, summary = talk.remember(content=text("otter")), talk.remember(content=text("heron"))
    edge = talk.send("relate", source_id=summary, target_id=memory, kind="derived_from")
    target = {"kind": "relationship", "id": edge["relationship"]["id"]}
    talk.send("update", target=target, patch={"lifecycle": "tombstoned"})

    assert talk.forget(memory)["erasure"]["derived"] == []
    assert reviews(talk) == []


def test_what_a_memory_was_made_from_needs_no_review_when_it_is_forgotten(talk):
    origin, memory = talk.remember(content=text("heron")), talk.remember(content=text("otter"))
    talk.send("relate", source_id=memory, target_id=origin, kind="derived_from")
    talk.send("relate", source_id=memory, target_id=memory, kind="derived_from")

    assert talk.forget(memory)["erasure"]["derived"] == []
    assert reviews(talk) == []


def test_what_is_private_to_others_is_neither_listed_nor_a_reason(talk):
    # Given a summary that somebody keeps to himself, and one of something that he keeps so
    bea = context(actor="bea")
    shared = talk.remember(content=text("otter"))
    hers = talk.send("remember", bea, content=text("otter"), visibility="private")["record"]["id"]
    summary = talk.send(
        "remember", bea, content=text("heron"), visibility="private", provenance=citing(shared)
    )["record"]["id"]
    public = talk.remember(content=text("heron in public"), provenance=citing(hers))
    # When both are forgotten by who may
    listed = talk.forget(shared)["erasure"]["derived"]
    told = talk.send("forget", bea, memory_id=hers, mode="application_delete", reason="r")
    # Then
    assert (listed, told["erasure"]["derived"]) == ([], [public])
    assert (reviews(talk), reviews(talk, bea)) == ([], [summary, public])


def test_forgetting_a_canonical_memory_names_the_originals_whose_text_is_still_there(talk):
    one, two, canonical = (talk.remember(content=text(f"otter {n}")) for n in range(3))
    members = {"memory_ids": [one, two, canonical], "canonical_id": canonical, "reason": "same"}
    proposal = talk.send("consolidate", **members)["proposal_id"]
    talk.send("consolidate", mode={**APPROVED, "proposal_id": proposal}, **members)
    talk.forget(one)

    answer = talk.forget(canonical)

    assert answer["erasure"]["originals"] == [two]


# --- Proposals ------------------------------------------------------------------------------------


def consolidated(talk, *, apply):
    members = [talk.remember(content=text(f"otter {number}")) for number in range(2)]
    said = {"memory_ids": members, "canonical_id": members[0], "reason": f"both say {BOTH}"}
    proposal = talk.send("consolidate", **said)["proposal_id"]
    approved = {"mode": {**APPROVED, "proposal_id": proposal}, **said}
    if apply:
        talk.send("consolidate", **approved)
    return members, approved


def test_an_applied_consolidation_stays_applied_when_its_reason_is_erased(talk):
    members, approved = consolidated(talk, apply=True)
    talk.forget(members[1])

    again = talk.send("consolidate", **approved)

    assert (again["applied"], again["rationale"], again["receipt"]["replayed"]) == (
        True, None, False,
    )  # fmt: skip


def test_a_proposal_whose_reason_was_erased_cannot_be_applied(talk):
    members, approved = consolidated(talk, apply=False)
    talk.forget(members[1], scope="event", version=1)

    with pytest.raises(MemorandaError) as refused:
        talk.send("consolidate", **approved)

    assert (refused.value.code, refused.value.field) == ("POLICY_APPROVAL_REQUIRED", "reason")
    assert "propose again" in refused.value.message


def test_a_rationale_about_a_tombstoned_member_is_not_told_again(talk):
    members, _ = consolidated(talk, apply=True)
    who, body = talk.sent[-1]
    assert BOTH in talk.memoranda.execute(who, body)["result"]["result"]["rationale"]

    talk.forget(members[1], "tombstone")

    assert talk.memoranda.execute(who, body)["result"]["result"]["rationale"] is None
