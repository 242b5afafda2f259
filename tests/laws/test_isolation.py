"""What others store changes no byte of an answer: other workspaces, other private owners."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.canonical import Json, JsonObject
from domain.context import Context
from domain.events import SettingsChange
from domain.instants import parse_instant
from ops.wiring import Memoranda, open_memoranda
from read_api.list_filters import MemoryFilters, RelationshipFilters
from tests.builders import properties
from tests.circumstances import context
from tests.inputs import BUDGET, envelope
from tests.laws.choices import WORDS, Step
from tests.laws.masks import masked
from tests.laws.worlds import (
    MUTATIONS,
    Group,
    ask,
    caught_up,
    every_trace,
    law,
    random_steps,
    steps,
)

foreign_places = st.lists(st.integers(0, 15), max_size=15)


@contextmanager
def stores() -> Iterator[tuple[Memoranda, Memoranda]]:
    """Two stores that have seen nothing: one for the group alone, one for it among others."""
    with TemporaryDirectory() as folder:
        pair = open_memoranda(Path(folder) / "alone"), open_memoranda(Path(folder) / "among")
        try:
            yield pair
        finally:
            for memoranda in pair:
                memoranda.close()


def interleaved(own: Group, own_steps: list[Step], foreign: Group, foreign_steps: list[Step],
                places: list[int]) -> None:  # fmt: skip
    """The group's steps in order, with foreign ones at some places between them."""
    rest = iter(foreign_steps)
    for at, step in enumerate(own_steps):
        for _ in range(places.count(at)):
            if (other := next(rest, None)) is not None:
                foreign.do(other)
        own.do(step)
    for other in rest:
        foreign.do(other)


def everything_read(group: Group, who: Context) -> list[Json]:
    """Every door, asked after the fact, for all that the group knows."""
    memoranda = caught_up(group.memoranda)
    limits = {**BUDGET, "timeout_ms": 60_000, "max_items": 100, "supernode_threshold": 3}
    answers: list[Json] = [
        ask(memoranda, who, envelope("recall", objective=word, limits=limits, explain=True))
        for word in WORDS
    ]
    answers += [
        ask(memoranda, who, envelope("trace", target={"kind": kind, "id": name}))
        for kind, name in every_trace(group)
    ]
    answers.append(memoranda.read.memories(who, MemoryFilters()))
    answers.append(memoranda.read.relationships(who, RelationshipFilters()))
    answers.append(memoranda.read.events(who, 0, 1000)["events"])
    return answers


def transcript(group: Group, actors: tuple[str, ...]) -> list[bytes]:
    mine = [asked.answer for asked in group.asked if asked.context.actor in actors]
    for actor in actors:
        session = {} if group.session is None else {"session": group.session}
        mine += everything_read(group, context(workspace=group.workspace, actor=actor, **session))
    return masked(mine)


@given(steps(size=15), steps(MUTATIONS, size=15), foreign_places)
@law(8)
def test_another_session_changes_no_byte_where_sessions_are_strict(
    own_steps: list[Step], foreign_steps: list[Step], places: list[int]
) -> None:
    with stores() as (one, other):
        # Given a workspace with strict sessions, and a session alone, or beside another one of
        # the same actors, who use the same keys and words
        keeper = context(permissions=frozenset({"policy"}))
        for memoranda in (one, other):
            memoranda.settings.change(keeper, SettingsChange(session_isolation="strict"))
        alone = Group(one, "w", session="mine").play(own_steps)
        among = Group(other, "w", session="mine")
        foreign = Group(other, "w", prefix="f", session="theirs")
        interleaved(among, own_steps, foreign, foreign_steps, places)
        # Then nobody in it can tell the difference
        assert transcript(among, among.actors) == transcript(alone, alone.actors)


@given(steps(size=15), steps(MUTATIONS, size=15), foreign_places)
@law(8)
def test_another_workspace_changes_no_byte(
    own_steps: list[Step], foreign_steps: list[Step], places: list[int]
) -> None:
    with stores() as (one, other):
        # Given a group alone, and the same group beside another workspace of the same names
        alone = Group(one, "w").play(own_steps)
        among = Group(other, "w")
        foreign = Group(other, "v")
        interleaved(among, own_steps, foreign, foreign_steps, places)
        # Then nobody can tell the difference
        assert transcript(among, among.actors) == transcript(alone, alone.actors)


def only_private(sequence: list[Step]) -> list[Step]:
    """The same, done by the other owner."""
    return [replace(step, actor=1) for step in sequence]


PRIVATE_VERBS = ("remember", "remember", "update", "relate", "revise", "forget", "trace")
"""No recall: before there is anything private, a recall is a shared record."""


class PrivateGroup(Group):
    """Remembers in private; knows what the others share, relates to it and asks about it."""

    public: Group

    def body(self, step: Step) -> JsonObject:
        body = super().body(step)
        said = body["input"]
        shared = self.public.known["memory"]
        if said.get("scope") == "key":
            # A slot is shared: forgetting all of it forgets what others share in it.
            said["scope"] = "lineage"
        if step.b % 2 or not shared:
            return body
        name = shared[step.a % len(shared)]
        match step.verb:
            case "relate":
                said["target_id"] = name
            case "trace":
                said["target"] = {"kind": "memory", "id": name}
        return body


@given(
    steps(size=15, actors=1),
    steps(PRIVATE_VERBS, size=15).map(only_private),
    foreign_places,
)
@law(8)
def test_private_records_of_another_owner_change_no_byte(
    own_steps: list[Step], foreign_steps: list[Step], places: list[int]
) -> None:
    with stores() as (one, other):
        alone = Group(one, "w").play(own_steps)
        among = Group(other, "w")
        foreign = PrivateGroup(other, "w", visibility="private", prefix="p")
        foreign.public = among
        interleaved(among, own_steps, foreign, foreign_steps, places)
        assert transcript(among, ("ana",)) == transcript(alone, ("ana",))


@pytest.mark.parametrize("seed", [1, 2])
def test_a_long_life_beside_others_changes_no_byte(seed: int) -> None:
    own_steps = [replace(step, actor=0) for step in random_steps(seed, 60)]
    foreign_steps = only_private(random_steps(seed + 100, 60, PRIVATE_VERBS))
    with stores() as (one, other):
        alone = Group(one, "w").play(own_steps)
        among = Group(other, "w")
        foreign = PrivateGroup(other, "w", visibility="private", prefix="p")
        foreign.public = among
        interleaved(among, own_steps, foreign, foreign_steps, list(range(60)))
        assert transcript(among, ("ana",)) == transcript(alone, ("ana",))


def late(workspace: str, actor: str, at: str) -> Context:
    who = context(workspace=workspace, actor=actor, request_id=f"late-{actor}")
    return replace(who, recorded_at=(at, parse_instant(at, "recorded_at")))


@pytest.mark.parametrize("foreign", [False, True])
def test_a_slot_that_another_owner_forgot_in_private_takes_late_facts(
    fresh: Memoranda, foreign: bool
) -> None:
    """The tombstone of a private slot is private: it refuses nobody else's late fact."""
    content = properties(slot="s", object=1)
    if foreign:
        bea = context(actor="bea")
        made = ask(fresh, bea, envelope("remember", content=content, visibility="private"))
        memory = made["result"]["result"]["record"]["id"]
        body = envelope(
            "forget", memory_id=memory, scope="key", envelope_changes={"idempotency_key": "f"}
        )
        assert "error" not in ask(fresh, bea, body)
    who = late("w", "ana", "2020-01-01T00:00:00Z")
    answer = ask(fresh, who, envelope("remember", content=content))
    assert "error" not in answer, answer


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_a_private_recall_of_a_shared_memory_leaves_no_trace_in_its_erasure(mode: str) -> None:
    """What bea asked in private about ana's memory is erased with it, and ana never knows."""
    said: list[list[bytes]] = []
    with stores() as pair:
        for memoranda, curious in zip(pair, (False, True), strict=True):
            ana, bea = context(actor="ana"), context(actor="bea")
            shared = ask(memoranda, ana, envelope("remember", content=properties(note="otter")))
            name = shared["result"]["result"]["record"]["id"]
            if curious:
                own = envelope("remember", content=properties(note="otter"), visibility="private")
                assert "error" not in ask(memoranda, bea, own)
                answer = ask(memoranda, bea, envelope("recall", objective="otter"))
                assert len(answer["result"]["result"]["items"]) == 2
            key = {"idempotency_key": "f"}
            forget = envelope("forget", memory_id=name, mode=mode, envelope_changes=key)
            told = ask(memoranda, ana, forget)
            said.append(masked([told, memoranda.read.events(ana, 0, 100)["events"]]))
    assert said[0] == said[1]
