"""What holds for whatever was recorded."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.claims.dimensions import weigh
from read_api import known_in_views
from tests.claims.asking import in_log, in_views
from tests.recall.asking import Asker, new_world

FEW = settings(max_examples=20, deadline=None)
NUMBERS = st.integers(0, 7)
ACTORS = st.sampled_from(["ann", "ann", "bob"])
KINDS = st.sampled_from(["supports", "supports", "contradicts", "derived_from"])
REMEMBER = st.tuples(
    st.just("remember"),
    ACTORS,
    st.sampled_from(["claim", "claim", "fact", "observation", "source"]),
    st.sampled_from(["one", "two"]),
    st.sampled_from(["workspace", "workspace", "workspace", "private"]),
)
RELATE = st.tuples(st.just("relate"), ACTORS, NUMBERS, NUMBERS, KINDS)
UPDATE = st.tuples(
    st.just("update"), NUMBERS, st.sampled_from(["expired", "superseded", "active", "tombstoned"])
)
UPDATE_EDGE = st.tuples(st.just("update edge"), NUMBERS, st.sampled_from(["expired", "active"]))
FORGET = st.tuples(
    st.just("forget"), NUMBERS, st.sampled_from(["tombstone", "application_delete", "expire"])
)
COMMANDS = st.lists(
    st.one_of(REMEMBER, REMEMBER, RELATE, RELATE, RELATE, UPDATE, UPDATE_EDGE, FORGET),
    min_size=4,
    max_size=30,
)


class Played:
    """A world in which commands were carried out, each that could be."""

    def __init__(self, world: Asker, commands) -> None:
        self.world = world
        self.memories: list[str] = []
        self.edges: list[str] = []
        for name, *said in commands:
            getattr(self, name.replace(" ", "_"))(*said)

    def remember(self, actor, kind, value, visibility):
        more = {"kind": kind, "visibility": visibility}
        said = {"subject": "s", "predicate": "p", "object": value}
        self.memories.append(self.world.claim({"actor": actor}, more=more, **said))

    def relate(self, actor, source, target, kind):
        ends = self._memory(source), self._memory(target)
        if all(one and self._addressable(one, actor) for one in ends):
            self.edges.append(self.world.relate(*ends, {"actor": actor}, kind=kind))

    def update(self, number, lifecycle):
        memory = self._memory(number)
        if memory and self._addressable(memory, self._owner(memory)):
            self.world.update(memory, {"actor": self._owner(memory)}, lifecycle=lifecycle)

    def update_edge(self, number, lifecycle):
        if self.edges:
            edge = self.edges[number % len(self.edges)]
            owner = self.world.edge(edge).home.owner
            self.world.update(edge, {"actor": owner}, lifecycle=lifecycle)

    def forget(self, number, mode):
        memory = self._memory(number)
        if memory and self._addressable(memory, self._owner(memory)):
            more = {"expires_at": "2025-10-09T08:53:20Z"} if mode == "expire" else {}
            self.world.forget(memory, mode, {"actor": self._owner(memory)}, **more)

    def _memory(self, number):
        return self.memories[number % len(self.memories)] if self.memories else None

    def _owner(self, memory):
        return self.world.memory(memory).home.owner

    def _addressable(self, memory, actor):
        state = self.world.memory(memory)
        home = state.home
        return state.forgotten is None and (home.visibility == "workspace" or home.owner == actor)


@FEW
@given(COMMANDS, st.floats(0, 1), st.sampled_from(["ann", "bob"]))
def test_the_log_alone_tells_the_same_evidence_as_the_read_models_at_any_position(
    commands, part, actor
):
    with new_world() as world:
        played = Played(world, commands)
        position = round(world.log.head() * part)

        told = [
            reading(world, played.memories, position=position, actor=actor, challenged=True)
            for reading in (in_views, in_log)
        ]

        assert {key: found.evidence for key, found in told[0].items()} == {
            key: found.evidence for key, found in told[1].items()
        }


@FEW
@given(COMMANDS, st.integers(0, 3), st.integers(1, 3))
def test_evidence_is_the_same_whatever_number_of_relationships_is_read_at_once(
    commands, few, together
):
    with new_world() as world:
        played = Played(world, commands)
        at_once = in_views(world, played.memories)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(known_in_views, "FEW_MAX", few)
            patch.setattr(known_in_views, "TOGETHER_MAX", together)
            apart = in_views(world, played.memories)

        assert {key: found.evidence for key, found in apart.items()} == {
            key: found.evidence for key, found in at_once.items()
        }


@FEW
@given(COMMANDS, COMMANDS)
def test_what_somebody_else_keeps_private_changes_nothing(commands, private):
    hidden = [
        (*said[:4], "private") if said[0] == "remember" else said
        for said in private
        if said[0] in {"remember", "relate"}
    ]
    with new_world() as world:
        played = Played(world, commands)
        before = in_views(world, played.memories, as_of_us=world.clock.now, challenged=True)
        now = world.clock.now
        Played(world, [(name, "cid", *said[1:]) for name, *said in hidden])

        after = in_views(world, played.memories, as_of_us=now, challenged=True)

        assert {key: found.evidence for key, found in after.items()} == {
            key: found.evidence for key, found in before.items()
        }


@FEW
@given(COMMANDS)
def test_dimensions_are_those_of_the_pieces_that_are_told(commands):
    """A computation from scratch, in other words than those of the program."""
    with new_world() as world:
        played = Played(world, commands)
        now = world.clock.now

        for found in in_views(world, played.memories).values():
            said = found.evidence
            holding = [one for one in said.pieces if one.holds(now)]
            groups = {
                stance: _groups([one.origins for one in holding if one.stance == stance])
                for stance in ("supports", "contradicts")
            }
            figures = weigh(said)
            against = groups["contradicts"] + len(said.rivals)

            assert figures.independence == (groups["supports"] or None)
            assert figures.support_mass == (groups["supports"] or None)
            assert figures.contradiction_mass == (against or None)
            assert figures.authority is None


def _groups(sets) -> int:
    """How many groups sets make of which those with a common member are one."""
    groups: list[set] = []
    for one in sets:
        joined = set(one)
        apart = []
        for group in groups:
            if group & joined:
                joined |= group
            else:
                apart.append(group)
        groups = [*apart, joined]
    return len(groups)
