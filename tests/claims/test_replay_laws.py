"""Whatever was recorded, every assessment replays."""

from __future__ import annotations

import itertools
from contextlib import closing, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import MemorandaError
from ops.wiring import open_memoranda
from tests.claims.stories import ONE, REVIEWED, TWO, Story
from tests.laws.worlds import law

WORKSPACES = itertools.count()
PEOPLE = ("ann", "bob")
NUMBER = st.integers(0, 11)
ACTOR = st.sampled_from(PEOPLE)
LIFECYCLE = st.sampled_from(["active", "superseded", "expired", "tombstoned"])
COMMANDS = st.lists(
    st.one_of(
        st.tuples(st.just("claims"), ACTOR, st.sampled_from(["PostgreSQL", "MySQL"])),
        st.tuples(st.just("remembers"), ACTOR, st.booleans()),
        *(
            st.tuples(
                st.just("relates"),
                *(ACTOR, NUMBER, NUMBER),
                st.sampled_from(["supports", "supports", "contradicts", "derived_from"]),
            ),
        )
        * 3,
        st.tuples(st.just("changes"), NUMBER, LIFECYCLE),
        st.tuples(st.just("changes_edge"), NUMBER, LIFECYCLE),
        st.tuples(st.just("forgets"), NUMBER, st.sampled_from(["tombstone", "application_delete"])),
        st.tuples(st.just("reviews"), NUMBER, st.sampled_from([ONE, TWO, REVIEWED])),
        *(
            st.tuples(
                st.just("assesses"), NUMBER, st.sampled_from([ONE, TWO, REVIEWED]), st.booleans()
            ),
        )
        * 2,
    ),
    min_size=8,
    max_size=30,
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with closing(open_memoranda(tmp_path_factory.mktemp("store") / "data")) as opened:
        yield opened


class Played:
    """A workspace in which commands were carried out, each that was not refused."""

    def __init__(self, store, commands):
        self.story = Story(store, workspace=f"law {next(WORKSPACES)}")
        self.memories, self.claimed, self.edges, self.decisions = [], [], [], []
        for name, *said in commands:
            with suppress(MemorandaError):
                getattr(self, name)(*said)

    def claims(self, actor, value):
        self.claimed.append(self.story.claim(value, by=actor))
        self.memories.append(self.claimed[-1])

    def remembers(self, actor, private):
        more = {"visibility": "private"} if private else {}
        self.memories.append(self.story.remember("seen", by=actor, **more))

    def relates(self, actor, source, target, kind):
        if self.memories:
            ends = [self.memories[one % len(self.memories)] for one in (source, target)]
            if kind != "derived_from" and self.claimed:
                ends[1] = self.claimed[target % len(self.claimed)]
            self.edges.append(self.story.relate(*ends, kind, by=actor))

    def changes(self, number, lifecycle):
        if self.memories:
            memory = self.memories[number % len(self.memories)]
            self.story.update("memory", memory, by="ann", lifecycle=lifecycle)

    def changes_edge(self, number, lifecycle):
        if self.edges:
            edge = self.edges[number % len(self.edges)]
            self.story.update("relationship", edge, by="ann", lifecycle=lifecycle)

    def forgets(self, number, mode):
        if self.memories:
            self.story.forget(self.memories[number % len(self.memories)], mode)

    def reviews(self, number, policy):
        if self.claimed:
            self.story.review(self.claimed[number % len(self.claimed)], policy=policy)

    def assesses(self, number, policy, apply):
        if self.claimed:
            claim = self.claimed[number % len(self.claimed)]
            said = self.story.assess(claim, policy, by="ann", apply=apply)
            self.decisions.append(said["assessment"]["id"])


@given(COMMANDS)
@law(20)
def test_every_assessment_replays_whatever_came_after_it(store, commands):
    played = Played(store, commands)
    head = store.log.head()

    for decision in played.decisions:
        found = played.story.replay(decision, by="ann")
        assert found["verdict"] in {"identical", "identical_except_erased"}, found
        if not found["erased"]:
            assert found["verdict"] == "identical", found
    assert store.log.head() == head
