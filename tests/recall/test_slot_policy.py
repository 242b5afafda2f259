"""`policy: newest-recorded/v1` on recall: one winner a slot, before anything is ranked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.contract import RecallInput
from domain.instants import optional_instant, parse_instant, server_time
from domain.resolver.answers import Answer
from domain.resolver.events import INHERITED, Expiry, Payload, PolicyEvent, Statement, Tombstone
from domain.resolver.policies import NEWEST_RECORDED
from domain.resolver.resolve import Question, resolve
from domain.slots import slot_ref
from projections.lexical.eligibility import Filters
from read_api.deadlines import Deadline
from read_api.slot_choice import choose_in_slots
from tests.recall.asking import Asker, ids, new_world
from tests.recall.recordings import LIMITS
from tests.recall.world import SECRET, START_US

NEWEST = {"policy": NEWEST_RECORDED}
EXPLAINED = {**NEWEST, "explain": True}


def reasons(answer: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    return {one["id"]: (one["reason"], one.get("by")) for one in answer["excluded"]["items"]}


def test_one_memory_of_a_slot_answers_and_the_basis_names_the_policy(world):
    world.claim(note="otter", slot="city", object="Rome")
    newer = world.claim(note="otter", slot="city", object="Oslo")
    other = world.claim(note="otter", slot="town", object="Rome")

    answer = world.recall("otter", more=NEWEST)

    assert set(ids(answer)) == {newer, other}
    assert answer["basis"]["policy"] == NEWEST_RECORDED
    assert len(ids(world.recall("otter"))) == 3


def test_who_lost_is_told_with_the_reason_the_winner_and_what_decided(world):
    same = world.claim(note="otter", slot="city", object="Oslo")
    older = world.claim(note="otter", slot="city", object="Rome")
    newer = world.claim(note="heron", slot="city", object="Oslo")

    for more in ({}, {"slot": "city"}):
        answer = world.recall("otter heron", more={**EXPLAINED, **more})

        assert ids(answer) == [newer]
        assert answer["items"][0]["contested"] is True
        assert reasons(answer) == {
            older: ("shadowed", f"{newer}@1"),
            same: ("same_value", f"{newer}@1"),
        }
        assert answer["excluded"]["counts"] == {"same_value": 1, "shadowed": 1}
        assert all(one["score"] > 0 for one in answer["excluded"]["items"])
        assert answer["conflicts"] == [
            {
                "slot": "city",
                "winner": newer,
                "losers": [older],
                "candidates": sorted([older, newer]),
                "decided_by": "recorded_at",
            }
        ]


def test_a_question_in_words_tells_of_losers_that_match_and_of_no_others(world):
    world.claim(note="otter", slot="city", object="Rome")
    newer = world.claim(note="heron", slot="city", object="Oslo")

    answer = world.recall("heron", more=EXPLAINED)

    assert ids(answer) == [newer]
    assert answer["excluded"]["items"] == []
    assert answer["conflicts"][0]["winner"] == newer


def test_what_lost_is_not_found_by_its_words_nor_by_its_id_nor_through_a_relationship(world):
    older = world.claim(note="otter", slot="city", object="Rome")
    world.claim(note="heron", slot="city", object="Oslo")
    near = world.remember("heron too")
    world.relate(near, older)

    assert ids(world.recall("otter", more=NEWEST)) == []
    assert older not in ids(world.recall("heron", [older, near], more=NEWEST))


def test_the_words_of_what_lost_change_no_score(world):
    world.remember("otter")
    winner = world.claim(note="otter", slot="city", object="Oslo")
    before = world.recall("otter", more=NEWEST)["items"]
    world.clock.now -= 10_000_000
    for _ in range(3):
        world.claim(note="otter otter", slot="city", object="Rome")
    world.clock.now += 10_000_000

    after = world.recall("otter", more=NEWEST)["items"]

    assert [item["score"] for item in after] == [item["score"] for item in before]
    assert winner in {item["record"]["id"] for item in after}


def test_the_winner_is_chosen_within_the_filters(world):
    older = world.claim(note="otter", slot="city", object="Rome", more={"tags": ["seen"]})
    newer = world.claim(note="otter", slot="city", object="Oslo")

    assert ids(world.recall("otter", more={**NEWEST, "tags": ["seen"]})) == [older]
    assert ids(world.recall("otter", more=NEWEST)) == [newer]


def test_what_others_keep_private_wins_over_nothing_that_they_may_not_see(world):
    own = world.claim(note="otter", slot="city", object="Rome")
    secret = world.claim(
        {"actor": "bob"}, note="otter", slot="city", object="Oslo", more={"visibility": "private"}
    )

    assert ids(world.recall("otter", more=NEWEST)) == [own]
    assert ids(world.recall("otter", by={"actor": "bob"}, more=NEWEST)) == [secret]
    assert world.recall("otter", more=EXPLAINED)["conflicts"] == []


def test_a_correction_keeps_the_place_of_the_memory_that_it_corrects(world):
    older = world.claim(note="otter", slot="city", object="Rome")
    newer = world.claim(note="otter", slot="city", object="Oslo")
    said = {"note": "otter", "slot": "city", "object": "Roma"}
    world.update(older, content={"format": "properties", "value": said})

    assert ids(world.recall("otter", more=NEWEST)) == [newer]


def test_pages_hold_winners_only_each_once(world):
    winners = []
    for slot in ("a", "b", "c"):
        world.claim(note="otter", slot=slot, object="Rome")
        winners.append(world.claim(note="otter", slot=slot, object="Oslo"))

    pages = list(world.pages("otter", more=NEWEST, max_items=1))

    assert sorted(one for page in pages for one in ids(page)) == sorted(winners)


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_what_was_the_answer_and_is_forgotten_now_still_stands_before_the_others(world, mode):
    older = world.claim(note="otter", slot="city", object="Rome")
    newer = world.claim(note="otter heron", slot="city", object="Oslo")
    before = world.log.head()
    world.forget(newer, mode)

    assert ids(world.recall("otter", more=NEWEST)) == [older]
    past = {**EXPLAINED, "as_known_position": before}
    answer = world.recall("otter", more={**past, "slot": "city"})
    assert ids(answer) == []
    assert reasons(answer) == {
        older: ("shadowed", f"{newer}@1"),
        newer: ("payload_erased", f"{newer}@2"),
    }
    assert answer["conflicts"][0]["winner"] == newer
    assert "Oslo" not in repr(answer)
    # By words only what is not forgotten is told of.
    assert reasons(world.recall("otter heron", more=past)) == {older: ("shadowed", f"{newer}@1")}


def test_what_was_forgotten_since_stands_before_nothing_outside_its_filters(world):
    older = world.claim({"session": "tuesday"}, note="otter", slot="city", object="Rome")
    newer = world.claim(note="otter", slot="city", object="Oslo")
    before = world.log.head()
    world.forget(newer)

    for more in ({"session_id": "tuesday"}, {"kinds": ["observation"]}):
        asked = {**NEWEST, **more, "as_known_position": before}
        assert ids(world.recall("otter", more=asked)) == [older]


def test_a_version_that_had_no_text_at_the_basis_stands_before_nothing(world):
    older = world.claim(note="otter", slot="city", object="Rome")
    newer = world.claim(note="otter", slot="city", object="Oslo")
    world.forget(newer, scope="event", version=1)
    before = world.log.head()
    world.remember("something else")

    assert ids(world.recall("otter", more={**NEWEST, "as_known_position": before})) == [older]


def test_why_not_names_what_the_policy_chose_instead(world):
    same = world.claim(note="otter", slot="city", object="Oslo")
    older = world.claim(note="otter", slot="city", object="Rome")
    newer = world.claim(note="otter", slot="city", object="Oslo")
    other = world.claim(note="heron", slot="town", object="Rome")
    near = world.remember("heron")
    world.relate(older, near)
    recall = world.recall("otter", more=NEWEST)

    found = {
        memory: (one["reason"], one["version"], one["by"])
        for memory in (same, older, other, near)
        for one in [world.why_not(recall["recall_id"], memory, None)]
    }

    assert ids(recall) == [newer]
    assert found == {
        same: ("same_value", 1, f"{newer}@1"),
        older: ("shadowed", 1, f"{newer}@1"),
        other: ("no_lexical_match", 1, None),
        near: ("no_lexical_match", 1, None),
    }


def test_where_time_is_up_before_the_policy_has_chosen_nothing_is_selected(world):
    world.claim(note="otter", slot="city", object="Rome")
    world.claim(note="otter", slot="city", object="Oslo")
    said = RecallInput(objective="otter", seed_ids=[], limits=LIMITS, **NEWEST)
    chosen = world.choose(said)
    with world.views.connect() as connection:
        late = choose_in_slots(connection, chosen, NEWEST_RECORDED, Filters(), Deadline.after(0.0))

    assert late is None


# --- The same as the resolver ----------------------------------------------------------------

SLOTS = ("city", "town")
MOMENTS = [server_time(START_US + 1_000_000 * n) for n in range(8)]
MOMENT = st.sampled_from(MOMENTS)
MAYBE = st.none() | MOMENT
STEP = st.one_of(
    st.tuples(st.just("claim"), st.sampled_from(SLOTS), st.sampled_from("xyz"), MAYBE, MAYBE),
    st.tuples(st.just("claim"), st.sampled_from(SLOTS), st.sampled_from("xyz"), MAYBE, MAYBE),
    st.tuples(st.just("correct"), st.integers(0, 9), st.sampled_from("xyz")),
    st.tuples(st.just("expire"), st.integers(0, 9), MOMENT),
    st.tuples(
        st.just("forget"), st.integers(0, 9), st.sampled_from(["tombstone", "application_delete"])
    ),
)
STEPS = st.lists(st.tuples(STEP, MOMENT), min_size=1, max_size=8)


@dataclass
class Mirror:
    """A world, and its history in the words of the policy."""

    world: Asker
    events: list[PolicyEvent] = field(default_factory=list)
    versions: dict[str, int] = field(default_factory=dict)
    slots: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)

    def do(self, step: tuple[Any, ...], at: str) -> None:
        self.world.clock.now = parse_instant(at, "at")
        if step[0] == "claim":
            self._claim(*step[1:])
        elif self.versions:
            memory = sorted(self.versions)[step[1] % len(self.versions)]
            if memory not in self.gone:
                self._change(memory, step)

    def _claim(self, slot: str, value: str, start: str | None, end: str | None) -> None:
        if start and end and end <= start:
            start = None
        bounds = {"valid_from": start, "valid_until": end}
        memory = self.world.claim(note="otter", slot=slot, object=value, more=bounds)
        self.slots[memory] = slot
        self._add(
            memory,
            Statement,
            target=None,
            valid_from=optional_instant(start, "from"),
            valid_until=optional_instant(end, "until"),
            payload=Payload(slot, value, None),
            slot_ref=slot_ref(SECRET, slot),
        )

    def _change(self, memory: str, step: tuple[Any, ...]) -> None:
        tip = f"{memory}@{self.versions[memory]}"
        slot = self.slots[memory]
        match step:
            case ("correct", _, value):
                said = {"note": "otter", "slot": slot, "object": value}
                self.world.update(memory, content={"format": "properties", "value": said})
                inherited = dict.fromkeys(("valid_from", "valid_until", "expires_at"), INHERITED)
                self._add(
                    memory,
                    Statement,
                    target=tip,
                    payload=Payload(slot, value, None),
                    slot_ref=slot_ref(SECRET, slot),
                    **inherited,
                )
            case ("expire", _, end):
                # An update is a version too, so that a statement says the same once more.
                self.world.update(memory, expires_at=end)
                last = next(one for one in reversed(self.events) if one.id == tip)
                inherited = dict.fromkeys(("valid_from", "valid_until", "expires_at"), INHERITED)
                self._add(
                    memory,
                    Statement,
                    target=tip,
                    payload=last.payload,
                    slot_ref=last.slot_ref,
                    **inherited,
                )
                self._beside(memory, Expiry, target=tip, expires_us=parse_instant(end, "end"))
            case ("forget", _, mode):
                self.world.forget(memory, mode)
                self.gone.add(memory)
                self._beside(memory, Tombstone, scope="lineage", target=tip)

    def _add(self, memory: str, kind: Any, **said: Any) -> None:
        self.versions[memory] = self.versions.get(memory, 0) + 1
        self._beside(memory, kind, id=f"{memory}@{self.versions[memory]}", **said)

    def _beside(self, memory: str, kind: Any, **said: Any) -> None:
        now = self.world.clock.now
        plain = {
            "id": f"{len(self.events):03} of {memory}",
            "session": "all",
            "position": self.world.log.head(),
            "appended_us": now,
            "recorded_us": now,
        }
        self.events.append(kind(**{**plain, **said}))

    def resolved(self, slot: str, position: int, as_of: str) -> Answer:
        question = Question(
            session="all",
            asked=slot_ref(SECRET, slot),
            as_of_us=parse_instant(as_of, "as_of"),
            policy=NEWEST_RECORDED,
            as_known_position=position,
        )
        return resolve(self.events, question)


def memory_of(statement: str) -> str:
    return statement.partition("@")[0]


@settings(max_examples=40, deadline=None)
@given(STEPS, st.data())
def test_a_recall_chooses_what_the_resolver_chooses_at_every_basis(steps, data):
    with new_world() as world:
        mirror = Mirror(world)
        heads = []
        for step, at in steps:
            mirror.do(step, at)
            heads.append(world.log.head())
        for slot in SLOTS:
            head, as_of = data.draw(st.sampled_from(heads)), data.draw(MOMENT)
            expected = mirror.resolved(slot, head, as_of)
            more = {**EXPLAINED, "slot": slot, "as_known_position": head, "as_of": as_of}
            answer = world.recall("otter", more=more)
            assert ids(answer) == [memory_of(one) for one in expected.selected]
            if not answer["items"] and not answer["excluded"]["items"]:
                continue  # no text has the name of the slot any more, so nobody is told of it
            told = {(o["id"], o["reason"], o.get("by")) for o in answer["excluded"]["items"]}
            for one in expected.excluded:
                memory = memory_of(one.id)
                if one.reason in {"shadowed", "same_value"}:
                    assert (memory, one.reason, one.by) in told
                if one.reason == "payload_erased":
                    last = mirror.versions[memory] + 1
                    assert (memory, one.reason, f"{memory}@{last}") in told
            conflicts = [(c["winner"], c["losers"], c["decided_by"]) for c in answer["conflicts"]]
            assert conflicts == [
                (memory_of(c.winner or ""), [memory_of(one) for one in c.losers], c.decided_by)
                for c in expected.conflicts
            ]


def hold_as_others(world, others) -> None:
    """Others remember, in private where they are another actor, and forget some of it."""
    for by, slot, value, gone in others:
        more = {"visibility": "private"} if "actor" in by else {}
        made = world.claim(by, slot=slot, object=value, more=more)
        if gone:
            world.forget(made, "application_delete", by=by)
