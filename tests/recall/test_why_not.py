"""Why a memory was no item of a recall: one reason, and the limits to raise (policy.md §2.8)."""

from __future__ import annotations

from itertools import pairwise
from typing import get_args

import pytest

from domain.errors import MemorandaError
from ops.http.read_models import Reason
from read_api.verdicts import DETAILS, RANK, Verdict
from tests.recall.asking import ids
from tests.recall.recordings import record_recall

PAST = "2020-01-01T00:00:00Z"
FUTURE = "2999-01-01T00:00:00Z"


def told(world, memory, recall, by=None):
    answer = world.why_not(recall["recall_id"], memory, by)
    assert answer["detail"] == DETAILS[answer["reason"]]
    return answer


def reason(world, memory, objective="otter", by=None, **how):
    """Why a memory is no item of a recall that is asked now."""
    recall = world.recall(objective, (), by, **how)
    assert memory not in ids(recall)
    return told(world, memory, recall, by)["reason"]


def test_every_reason_is_documented_and_said_in_words():
    assert set(get_args(Reason)) == set(DETAILS)


def test_an_item_is_told_to_be_one_with_its_rank_and_page(world):
    memories = [world.remember(text) for text in ("otter otter", "otter x", "otter x y z")]
    first, second = world.pages("otter", max_items=2)

    was = told(world, memories[1], first)
    late = told(world, memories[2], second)
    before = told(world, memories[0], second)

    assert (was["item"], was["reason"], was["rank"], was["page"]) == (True, "returned", 2, 1)
    assert (late["item"], late["reason"], late["rank"], late["page"]) == (True, "returned", 3, 2)
    assert (before["item"], before["reason"]) == (False, "on_earlier_page")
    assert (before["by"], before["rank"], before["page"]) == (first["recall_id"], 1, 1)


def test_whatever_does_not_hold_has_the_reason_of_the_policy(world):
    forgotten = world.remember("otter")
    world.forget(forgotten)
    later = world.remember("otter", valid_from=FUTURE)
    ended = world.remember("otter", valid_until=PAST)
    expired = world.remember("otter", expires_at=PAST)
    hidden = world.remember("otter")
    world.update(hidden, lifecycle="tombstoned")
    put_away = world.remember("otter")
    world.update(put_away, lifecycle="expired")
    kept, original = world.remember("x"), world.remember("otter")
    world.consolidate([kept, original], canonical=kept)
    recall = world.recall("otter")
    since = world.remember("otter")

    found = {
        memory: (one["reason"], one["by"])
        for memory in (forgotten, later, ended, expired, hidden, put_away, original, since)
        for one in [told(world, memory, recall)]
    }

    assert found == {
        forgotten: ("deleted", f"{forgotten}@2"),
        later: ("not_yet_valid", None),
        ended: ("validity_ended", None),
        expired: ("expired", None),
        hidden: ("hidden", f"{hidden}@2"),
        put_away: ("expired", f"{put_away}@2"),
        original: ("superseded", f"{original}@2"),
        since: ("recorded_later", None),
    }


def test_what_is_judged_is_the_version_of_the_basis(world):
    memory = world.remember("heron")
    recall = world.recall("otter")
    world.update(memory, content={"format": "text", "value": "otter"})
    world.update(memory, lifecycle="tombstoned")

    answer = told(world, memory, recall)

    assert (answer["reason"], answer["version"]) == ("no_lexical_match", 1)


def test_a_word_that_a_correction_took_away_is_told_with_the_correction(world):
    memory = world.remember("otter")
    world.update(memory, content={"format": "text", "value": "heron"})
    world.update(memory, add_tags=["x"])

    answer = told(world, memory, world.recall("otter"))

    assert (answer["reason"], answer["version"], answer["by"]) == ("corrected", 1, f"{memory}@2")


def test_a_version_that_was_forgotten_by_itself_is_deleted(world):
    memory = world.remember("otter")
    world.update(memory, content={"format": "text", "value": "an otter again"})
    world.forget(memory, scope="event", version=2)

    answer = told(world, memory, world.recall("otter"))

    assert (answer["reason"], answer["by"]) == ("deleted", f"{memory}@3")


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("kinds", {"kinds": ["claim"]}),
        ("tags", {"tags": ["red", "blue"]}),
        ("epistemic_status", {"epistemic_status": ["proven"]}),
        ("min_confidence", {"min_confidence": 0.6}),
        ("slot", {"slot": "city"}),
        ("repo", {"repo": "den"}),
    ],
)
def test_a_filter_is_named(world, name, asked):
    memory = world.claim(note="otter", more={"tags": ["green"], "confidence": 0.5})

    answer = told(world, memory, world.recall("otter", more=asked))

    assert (answer["reason"], answer["filter"]) == ("filtered", name)


def test_another_session_than_was_asked_for_is_a_reason_of_its_own(world):
    memory = world.remember("otter")

    answer = told(world, memory, world.recall("otter", more={"session_id": "tuesday"}))

    assert (answer["reason"], answer["filter"]) == ("other_session", "session_id")


def test_a_memory_without_a_word_of_the_question_is_told_so(world):
    memory = world.remember("heron")

    assert reason(world, memory) == "no_lexical_match"


# --- Limits ---------------------------------------------------------------------------------------


def again(world, recall, raised, objective="otter", seeds=(), by=None, **limits):
    """The same question at the same basis, with limits raised."""
    basis = recall["basis"]
    more = {"as_of": basis["as_of"], "as_known_position": basis["position"]}
    return world.recall(objective, seeds, by, more=more, **{**limits, **raised})


def test_rank_37_is_told_with_the_limit_that_suffices(world):
    for number in range(36):
        world.remember(f"otter number{number}")
    last = world.remember("otter with a lot of other words around it")
    recall = world.recall("otter")

    answer = told(world, last, recall)

    assert (answer["reason"], answer["rank"]) == ("rank_cutoff", 37)
    assert (answer["limit"], answer["raise"]) == ("max_items", {"max_items": 37})
    assert last in ids(again(world, recall, answer["raise"]))
    assert last not in ids(again(world, recall, {"max_items": 36}))


def chain(world, length):
    memories = [world.remember("otter"), *(world.remember(f"n{at}") for at in range(length))]
    for one, other in pairwise(memories):
        world.relate(one, other)
    return memories


def test_what_is_further_than_the_depth_is_told_with_the_depth(world):
    memories = chain(world, 4)
    recall = world.recall("otter", max_depth=1)

    answer = told(world, memories[4], recall)

    assert (answer["reason"], answer["limit"]) == ("max_depth_reached", "max_depth")
    assert answer["raise"] == {"max_depth": 4}
    assert memories[4] in ids(again(world, recall, {"max_depth": 4}, max_depth=1))


def test_what_is_behind_a_supernode_is_told_with_its_degree(world):
    hub = world.remember("otter")
    leaves = [world.remember(f"leaf{at}") for at in range(5)]
    for leaf in leaves:
        world.relate(hub, leaf)
    recall = world.recall("otter", supernode_threshold=2)

    answer = told(world, leaves[0], recall)

    assert (answer["reason"], answer["raise"]) == ("supernode_blocked", {"supernode_threshold": 5})
    assert leaves[0] in ids(again(world, recall, answer["raise"], supernode_threshold=2))


def test_what_costs_too_much_is_told_with_the_least_cost_that_suffices(world):
    hub = world.remember("otter")
    leaves = [world.remember(f"leaf{at}") for at in range(5)]
    for leaf in leaves:
        world.relate(hub, leaf)
    recall = world.recall("otter", max_cost=2)

    answer = told(world, leaves[3], recall)

    least = answer["raise"]["max_cost"]
    assert (answer["reason"], answer["limit"]) == ("cost_budget_exhausted", "max_cost")
    assert leaves[3] in ids(again(world, recall, {"max_cost": least}))
    assert leaves[3] not in ids(again(world, recall, {"max_cost": least - 1}))


def test_what_did_not_fit_is_told_with_the_bytes_that_suffice(world):
    memories = [world.remember("otter " * (9 - at)) for at in range(6)]
    recall = world.recall("otter", max_payload_bytes=1_500)
    missed = memories[5]

    answer = told(world, missed, recall)

    assert answer["reason"] == "payload_budget_exhausted"
    least = answer["raise"]["max_payload_bytes"]
    assert missed in ids(again(world, recall, {"max_payload_bytes": least}))
    assert missed not in ids(again(world, recall, {"max_payload_bytes": least - 1}))


def test_what_is_too_large_alone_is_told_so_before_and_after_it_was_skipped(world):
    large = world.remember("otter " * 500)
    small = world.remember("otter and heron")
    first, second = world.pages("otter", max_payload_bytes=1_000)
    assert second["skipped_items"] == [large]

    for recall in (first, second):
        answer = told(world, large, recall)
        assert answer["reason"] == "item_exceeds_payload_budget"
        assert answer["limit"] == "max_payload_bytes"
        assert large in ids(again(world, recall, answer["raise"], max_payload_bytes=1_000))
    assert told(world, small, first)["reason"] == "payload_budget_exhausted"
    assert told(world, small, second)["reason"] == "returned"


def test_several_limits_that_were_met_are_all_named_and_the_first_is_the_reason(world):
    memories = chain(world, 3)
    recall = world.recall("otter", max_depth=1, max_items=1, max_cost=1)

    answer = told(world, memories[3], recall)

    assert answer["reason"] == "max_depth_reached"
    assert list(answer["raise"]) == ["max_depth", "max_cost", "max_items"]
    assert memories[3] in ids(again(world, recall, answer["raise"]))


def test_a_limit_that_cannot_be_raised_enough_is_named_without_a_value():
    said = Verdict(RANK, 1, rank=10_001, raised={"max_items": 10_001, "max_cost": 7})

    assert said.wire("recall", "mem", 1)["raise"] == {"max_items": None, "max_cost": 7}


def test_what_came_after_the_time_was_up_is_told_with_the_time(world):
    memory = world.remember("asked")
    recall = {"recall_id": record_recall(world, items=[], edges=[], skipped=[], truncated=True)}

    answer = told(world, memory, recall)

    assert (answer["reason"], answer["limit"], answer["raise"]) == ("timeout", "timeout_ms", {})


def test_what_the_index_lost_is_told_as_damaged(world):
    memory = world.remember("otter")
    recall = world.recall("otter", max_items=1, more={"tags": ["none"]})
    world.update(memory, add_tags=["none"])
    plain = world.recall("heron")
    world.memtables.of("w")._fold._hide_lost(memory)

    assert told(world, memory, plain)["reason"] == "event_damaged"
    assert told(world, memory, recall)["reason"] == "filtered"


# --- Who asks -------------------------------------------------------------------------------------


def test_what_the_asker_may_not_see_is_absent_as_if_it_never_was(world):
    bob = {"actor": "bob"}
    world.remember("otter")
    private = world.remember("otter", bob, visibility="private")
    foreign = world.remember("otter", {"workspace": "w2"})
    gone = world.remember("otter", bob, visibility="private")
    world.forget(gone, by=bob)
    recall = world.recall("otter")

    nothing = told(world, "mem_00000000000000000000000000", recall)

    assert nothing["reason"] == "absent"
    for memory in (private, foreign, gone, "rel_x", "", "mem_x"):
        answer = told(world, memory, recall)
        assert {**answer, "memory_id": None} == {**nothing, "memory_id": None}


def test_what_is_private_to_the_asker_of_a_recall_is_absent_for_others(world):
    recall = world.recall("otter")
    later = world.remember("otter", visibility="private")

    assert told(world, later, recall)["reason"] == "recorded_later"
    assert told(world, later, recall, {"actor": "bob"})["reason"] == "absent"


def test_a_private_memory_was_no_item_of_what_somebody_else_asked(world):
    bob = {"actor": "bob"}
    private = world.remember("otter", bob, visibility="private")
    recall = world.recall("otter")

    assert told(world, private, recall, bob)["reason"] == "other_owner"
    assert told(world, private, recall)["reason"] == "absent"


@pytest.mark.parametrize("asked", ["recall_00000000000000000000000000", "recall_x", "mem_x", ""])
def test_a_recall_that_is_not_there_is_not_found(world, asked):
    memory = world.remember("otter")

    with pytest.raises(MemorandaError, match="the recall is not here"):
        world.why_not(asked, memory)


def test_a_private_recall_is_not_found_for_others(world):
    bob = {"actor": "bob"}
    world.remember("otter", bob, visibility="private")
    recall = world.recall("otter", (), bob)

    with pytest.raises(MemorandaError, match="the recall is not here"):
        world.why_not(recall["recall_id"], "mem_x")


def test_a_question_that_was_erased_explains_nothing_but_what_needs_no_question(world):
    item, missed = world.remember("otter"), world.remember("heron")
    ended = world.remember("heron", valid_until=PAST)
    recall = world.recall("otter")
    world.log.destroy_key("w", recall["recall_id"], 1)

    assert told(world, missed, recall)["reason"] == "objective_erased"
    assert told(world, item, recall)["reason"] == "returned"
    assert told(world, ended, recall)["reason"] == "validity_ended"


def test_a_question_that_may_quote_what_was_forgotten_is_for_those_who_may_read_it(world):
    gone, missed = world.remember("otter"), world.remember("heron")
    recall = world.recall("otter")
    world.forget(gone)

    reader = {"permissions": frozenset({"read"})}
    assert told(world, missed, recall, reader)["reason"] == "objective_hidden"
    assert told(world, missed, recall)["reason"] == "no_lexical_match"


def test_what_only_something_forgotten_had_kept_out_is_an_item_when_asked_again(world):
    best = world.remember("otter otter otter")
    second = world.remember("otter and some words")
    recall = world.recall("otter", max_items=1)
    assert told(world, second, recall)["reason"] == "rank_cutoff"
    world.forget(best)

    answer = told(world, second, recall)

    assert (answer["reason"], answer["rank"]) == ("answer_changed", 1)
    assert ids(again(world, recall, {}, max_items=1)) == [second]
