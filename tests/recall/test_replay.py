"""A replay says identical, and is seen to say otherwise (spec/policy.md §3.6)."""

from __future__ import annotations

from contextlib import closing, contextmanager

import pytest

from domain.decisions import Fact
from domain.errors import MemorandaError
from domain.events import MemoryRemembered, RecallRecorded
from domain.resolver.policies import POLICIES
from projections.lexical import scoring
from read_api import recall as recalling
from read_api.deadlines import Deadline
from read_api.memtables import Memtables
from read_api.replay import REASONS
from tests.projections.databases import current
from tests.projections.store_log import StoreLog
from tests.recall.asking import ids, new_world
from tests.recall.recordings import record_recall

READS = {"permissions": frozenset({"read"})}


def replayed(world, recall, by=None):
    """A replay; the log is not any longer after it."""
    head = world.log.head()
    said = world.replay(recall["recall_id"], by)
    assert world.log.head() == head
    if said["verdict"] == "not_comparable":
        assert said["detail"] == REASONS[said["reason"]]
        assert said["replayed"] is said["first_difference"] is None
    else:
        assert said["reason"] is said["detail"] is None
    return said


def difference(world, recall):
    """The path at which a replay differs, and both values."""
    said = replayed(world, recall)
    assert said["verdict"] == "differs"
    first = said["first_difference"]
    return first["path"], first["recorded"], first["replayed"]


def filled(world):
    """Two memories that match, related to one that does not."""
    made = [world.remember(text) for text in ("otter river", "otter", "heron")]
    world.relate(made[0], made[2])
    return made


def test_both_answers_are_told_with_all_that_is_compared(world):
    filled(world)
    recall = world.recall("otter river")
    world.remember("otter river otter")

    said = replayed(world, recall)

    assert (said["verdict"], said["first_difference"]) == ("identical", None)
    assert said["recorded"] == said["replayed"]
    assert [one["id"] for one in said["recorded"]["items"]] == ids(recall)
    assert said["recorded"]["items"][0]["score"] == recall["items"][0]["score"]
    assert [one["id"] for one in said["recorded"]["relationships"]]
    assert {"policy", "ranker", "adapter", "analyzer", "meaning"} <= said["recorded"][
        "basis"
    ].keys()
    assert said["position"] == world.log.head()


def test_every_page_is_replayed_after_the_pages_before_it(world):
    for number in range(5):
        world.remember("otter " * (number + 1))
    world.remember("otter " + "x" * 5_000)
    pages = list(world.pages("otter", max_items=2, max_payload_bytes=2_000))
    assert any(page["skipped_items"] for page in pages)

    for page in pages:
        assert replayed(world, page)["verdict"] == "identical"


# --- What is forgotten since ----------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_an_item_that_was_forgotten_is_all_that_is_missing(world, mode):
    gone, *others = filled(world)
    recall = world.recall("otter river")
    world.forget(gone, mode)

    said = replayed(world, recall)

    assert said["verdict"] == "identical_except_erased"
    assert said["first_difference"]["path"] == "items[0].id"
    assert [one["id"] for one in said["replayed"]["items"]] == others[:1]


def test_what_is_forgotten_takes_its_words_out_of_the_scores_of_others(world):
    filled(world)
    beside = world.remember("a stone in a river")
    recall = world.recall("otter")
    world.forget(beside)

    said = replayed(world, recall)

    assert said["verdict"] == "identical_except_erased"
    assert said["first_difference"]["path"].endswith("].score")


def test_an_erased_winner_still_stands_before_the_others_of_its_slot(world):
    world.claim(note="otter", slot="den")
    winner = world.claim(note="otter too", slot="den")
    other = world.remember("otter again")
    recall = world.recall("otter", more={"policy": "newest-recorded/v1"})
    assert set(ids(recall)) == {winner, other}
    world.forget(winner)

    said = replayed(world, recall)

    assert said["verdict"] == "identical_except_erased"
    assert [one["id"] for one in said["replayed"]["items"]] == [other]


def test_what_is_forgotten_excuses_no_other_difference(world, monkeypatch):
    gone, *_ = filled(world)
    recall = world.recall("otter river")
    world.forget(gone)
    monkeypatch.setattr(recalling, "RANKER", "bm25-context/2")

    assert difference(world, recall)[0] == "basis.ranker"


def test_what_is_forgotten_is_no_reason_for_a_newcomer_nor_for_another_one_missing(world, tmp_path):
    gone, other, far = filled(world)
    recall = world.recall("otter river")
    world.forget(gone)
    with changed(world, tmp_path / "less", {other: "reed"}) as less:
        assert difference(less, recall)[0] == "items[1]"
    apart = world.remember("stone")
    wider = world.recall("otter river")
    world.forget(far)
    with changed(world, tmp_path / "more", {apart: "otter"}) as more:
        assert difference(more, wider)[0] == "items[1]"


# --- Replay is seen to differ ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["RANKER", "ANALYZER"])
def test_another_ranker_or_analyzer_is_the_first_difference(world, monkeypatch, name):
    filled(world)
    recall = world.recall("otter")
    was = getattr(recalling, name)
    monkeypatch.setattr(recalling, name, "another")

    assert difference(world, recall) == (f"basis.{name.lower()}", was, "another")


def test_another_parameter_is_seen_in_the_first_score(world, monkeypatch):
    filled(world)
    recall = world.recall("otter")
    monkeypatch.setattr(scoring, "K1", 1.2)

    path, before, now = difference(world, recall)

    assert path == "items[0].score"
    assert before == recall["items"][0]["score"] != now


def test_another_policy_of_the_recording_is_the_first_difference(world, tmp_path):
    filled(world)
    recall = world.recall("otter")

    def other(fact):
        said = fact.payload
        basis = {**said.basis, "policy": "surface-all/v0"}
        return fact.model_copy(update={"payload": said.model_copy(update={"basis": basis})})

    with copied(world, tmp_path, {recall["recall_id"]: other}) as copy:
        expected = ("basis.policy", "surface-all/v0", "surface-all/v1")
        assert difference(copy, recall) == expected


def test_a_policy_of_the_same_name_that_decides_otherwise_is_the_first_difference(
    world, monkeypatch
):
    world.claim(note="otter", slot="den")
    world.claim(note="otter too", slot="den")
    name = "newest-recorded/v1"
    recall = world.recall("otter", more={"policy": name})
    surfaced = world.recall("otter")
    monkeypatch.setitem(POLICIES, name, POLICIES["surface-all/v1"])

    path, before, now = difference(world, recall)

    assert path == "basis.meaning"
    assert before != now
    assert replayed(world, surfaced)["verdict"] == "identical"


def test_a_recall_of_a_program_that_recorded_less_is_held_to_what_it_recorded(world, tmp_path):
    filled(world)
    recall = world.recall("otter")

    def older(fact):
        said = fact.payload
        kept = {name: one for name, one in said.basis.items() if name != "meaning"}
        return fact.model_copy(update={"payload": said.model_copy(update={"basis": kept})})

    with copied(world, tmp_path, {recall["recall_id"]: older}) as copy:
        assert replayed(copy, recall)["verdict"] == "identical"


def test_one_changed_event_in_a_copy_of_the_store_is_found(world, tmp_path):
    _, second, _ = filled(world)
    recall = world.recall("otter river")

    with changed(world, tmp_path / "same", {}) as copy:
        assert replayed(copy, recall)["verdict"] == "identical"
    with changed(world, tmp_path / "text", {second: "reed"}) as copy:
        path, before, now = difference(copy, recall)
    assert path == "items[0].score"
    assert now > before


def test_another_edge_is_found(world, tmp_path):
    filled(world)
    recall = world.recall("otter river")
    [edge] = recall["relationships"]

    def hidden(fact):
        return fact.model_copy(update={"lifecycle": "tombstoned"})

    with copied(world, tmp_path, {edge["id"]: hidden}) as copy:
        assert difference(copy, recall)[0] == "items[2]"


def changed(world, folder, texts):
    """A copy of the store in which memories have other texts."""

    def with_text(text):
        content = {"format": "text", "value": text}

        def change(fact):
            if not isinstance(fact, MemoryRemembered):
                return fact
            said = fact.payload.model_copy(update={"content": content})
            return fact.model_copy(update={"payload": said})

        return change

    return copied(world, folder, {memory: with_text(text) for memory, text in texts.items()})


@contextmanager
def copied(world, folder, changes):
    """The events of a world in files of their own, some of them changed, with all made of them."""
    folder.mkdir(exist_ok=True)
    log = StoreLog(folder)
    log.parts = current().parts
    for event in world.log.after(0, 10**6):
        change = changes.get(event.stream, lambda fact: fact)
        facts = [Fact(event.stream, change(fact)) for fact in event.facts]
        log.append(facts, event.context, event.recorded_us)
    with closing(log), new_world() as copy:
        assert log.head() == world.log.head()
        copy.log = log
        copy.memtables = Memtables(log)
        copy.clock = world.clock
        yield copy


# --- What cannot be compared ----------------------------------------------------------------------


def test_a_recall_that_ran_out_of_time_is_not_comparable(world):
    memory = world.remember("otter")
    recall = record_recall(world, items=[(memory, 1)], edges=[], skipped=[], truncated=True)

    said = replayed(world, {"recall_id": recall})

    assert (said["verdict"], said["reason"]) == ("not_comparable", "timeout")
    assert [one["id"] for one in said["recorded"]["items"]] == [memory]


def test_a_recall_that_had_not_seen_everything_is_not_comparable(world):
    world.remember("otter")
    world.follows = False
    recall = world.recall("otter", timeout_ms=1)
    world.follows = True

    assert replayed(world, recall)["verdict"] == "not_comparable"


def test_an_erased_question_is_not_comparable(world):
    filled(world)
    recall = world.recall("otter")
    world.log.destroy_key("w", recall["recall_id"], 1)

    said = replayed(world, recall)

    assert (said["verdict"], said["reason"]) == ("not_comparable", "objective_erased")
    assert said["recorded"]["basis"] is None
    assert [one["score"] for one in said["recorded"]["items"]] == [None] * len(ids(recall))


def test_a_question_that_may_quote_what_was_forgotten_is_hidden(world):
    gone, *_ = filled(world)
    recall = world.recall("otter")
    world.forget(gone)

    said = replayed(world, recall, READS)

    assert (said["verdict"], said["reason"]) == ("not_comparable", "objective_hidden")
    assert replayed(world, recall)["verdict"] == "identical_except_erased"


# --- Who may ask ----------------------------------------------------------------------------------


def test_whoever_may_read_a_recall_may_replay_it_and_nobody_else(world):
    filled(world)
    world.remember("otter", {"actor": "bob"}, visibility="private")
    shared = world.recall("otter")
    private = world.recall("otter", (), {"actor": "bob"})

    assert replayed(world, shared, {"actor": "bob"})["verdict"] == "identical"
    assert replayed(world, private, {"actor": "bob"})["verdict"] == "identical"
    for by in ({"actor": "ann"}, {"actor": "bob", "workspace": "x"}):
        with pytest.raises(MemorandaError, match="the recall") as refused:
            world.replay(private["recall_id"], by)
        assert refused.value.code == "NOT_FOUND"


def test_what_is_private_and_forgotten_excuses_nothing_for_others(world, monkeypatch):
    filled(world)
    private = world.remember("otter", {"actor": "bob"}, visibility="private")
    recall = world.recall("otter")
    world.forget(private, by={"actor": "bob"})
    monkeypatch.setattr(scoring, "K1", 1.2)

    assert difference(world, recall)[0] == "items[0].score"


def test_a_replay_records_nothing(world):
    filled(world)
    recall = world.recall("otter")
    before = len(world.log.after(0, 10**6, topics=(RecallRecorded.TOPIC,)))

    replayed(world, recall)

    assert len(world.log.after(0, 10**6, topics=(RecallRecorded.TOPIC,))) == before == 1


def test_read_models_that_do_not_follow_are_told(world, monkeypatch):
    filled(world)
    recall = world.recall("otter")
    world.remember("otter")
    world.follows = False
    monkeypatch.setattr(Deadline, "remaining_s", lambda _: 0.0)

    with pytest.raises(MemorandaError) as refused:
        world.replay(recall["recall_id"])

    assert refused.value.reason == "NOT_CAUGHT_UP"
