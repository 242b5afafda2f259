"""What holds for every store and every question."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.errors import MemorandaError
from domain.memory_streams import memory_versions
from domain.relationship import relationship_versions
from domain.visibility import Viewer
from projections.database import reading
from projections.lexical.eligibility import Basis as IndexBasis
from projections.lexical.eligibility import Filters
from read_api.basis import Basis
from read_api.deadlines import Deadline
from read_api.graph_view import GraphView
from read_api.lookups import Question
from read_api.memory_view import MemoryView
from tests.recall.asking import Asker, edges, ids, new_world, outcomes

FAR = Deadline.after(86_400)  # made when tests are collected
FEW = settings(max_examples=25)

WORDS = st.lists(st.sampled_from(["otter", "river", "panda", "stone"]), min_size=1, max_size=4)
INSTANTS = st.sampled_from(["2020-01-01T00:00:00Z", "2025-10-09T08:53:20Z", "2031-01-01T00:00:00Z"])
BOUNDS = st.fixed_dictionaries(
    {}, optional={"valid_from": INSTANTS, "valid_until": INSTANTS, "expires_at": INSTANTS}
)
LIFECYCLES = st.sampled_from(["active", "active", "expired", "superseded", "tombstoned"])
ACTORS = st.sampled_from(["ann", "ann", "bob"])
NUMBERS = st.integers(0, 9)
REMEMBER = st.tuples(
    st.just("remember"),
    ACTORS,
    WORDS.map(" ".join),
    st.sampled_from(["workspace", "workspace", "private"]),
    BOUNDS,
)
RELATE = st.tuples(
    st.just("relate"),
    ACTORS,
    NUMBERS,
    NUMBERS,
    st.sampled_from(["supports", "contradicts"]),
    LIFECYCLES,
    BOUNDS,
)
KEPT = st.none() | LIFECYCLES
UPDATE = st.tuples(st.just("update"), ACTORS, NUMBERS, KEPT, BOUNDS)
UPDATE_EDGE = st.tuples(st.just("update_edge"), ACTORS, NUMBERS, KEPT, BOUNDS)
FORGET = st.tuples(
    st.just("forget"),
    ACTORS,
    NUMBERS,
    st.sampled_from(["expire", "tombstone", "application_delete"]),
)
FOLLOW = st.tuples(st.just("follow"), ACTORS)
COMMANDS = st.one_of(
    REMEMBER, REMEMBER, REMEMBER, RELATE, RELATE, RELATE, UPDATE, UPDATE_EDGE, FORGET, FOLLOW
)
HISTORIES = st.lists(COMMANDS, max_size=40)


class History:
    """Does random commands; what the domain refuses did not happen."""

    def __init__(self, world: Asker) -> None:
        self.world = world
        self.memories: list[str] = []
        self.edges: list[str] = []

    def run(self, commands: Iterable[tuple[Any, ...]]) -> History:
        for name, actor, *said in commands:
            try:
                getattr(self, name)({"actor": actor}, *said)
            except MemorandaError:
                continue
        return self

    def remember(self, by, text, visibility, bounds):
        self.memories.append(self.world.remember(text, by, visibility=visibility, **bounds))

    def relate(self, by, one, other, kind, lifecycle, bounds):
        ends = _pick(self.memories, one), _pick(self.memories, other)
        self.edges.append(self.world.relate(*ends, by, kind=kind, lifecycle=lifecycle, **bounds))

    def update(self, by, at, lifecycle, bounds):
        self.world.update(_pick(self.memories, at), by, lifecycle=lifecycle, **bounds)

    def update_edge(self, by, at, lifecycle, bounds):
        self.world.update(_pick(self.edges, at), by, lifecycle=lifecycle, **bounds)

    def forget(self, by, at, mode):
        late = {"expires_at": "2031-01-01T00:00:00Z"} if mode == "expire" else {}
        self.world.forget(_pick(self.memories, at), mode, by, **late)

    def follow(self, by):
        """The projections come as far as here, in a batch of its own."""
        self.world.wait_for("", self.world.log.head(), 0)


def _pick(known, at):
    """One of the records; an id that is none where there are none."""
    return known[at % len(known)] if known else "mem_none"


# --- The rule of visibility, told three times -----------------------------------------------------


@FEW
@given(
    HISTORIES,
    st.integers(0, 60),
    st.sampled_from([0, 10**15, 1_760_000_000_005_000, 2**59]),
    ACTORS,
    st.sampled_from([None, "s1", "s2", "elsewhere"]),
)
def test_index_and_tables_know_the_rule_of_the_domain(commands, back, as_of_us, actor, session):
    with new_world() as world:
        history = History(world).run(commands)
        world.wait_for("w", world.log.head(), 0)
        position = max(0, world.log.head() - back)
        viewer = Viewer(actor, session)
        basis = Basis("w", actor, position, as_of_us, session)
        index = world.memtables.of("w")
        index.follow(world.log.head(), FAR)
        at = IndexBasis(position, as_of_us, actor, session)
        look = index.look(at, Question((), None, Filters()), FAR)

        def states(record, versions):
            events = world.log.stream("w", record)
            return versions(events), versions([e for e in events if e.position <= position])

        expected = set()
        for memory in history.memories:
            now, then = states(memory, memory_versions)
            if then and now[-1].addressable_by(viewer) and then[-1].recallable(as_of_us):
                expected.add(memory)
        expected_edges = set()
        for edge in history.edges:
            _, then = states(edge, relationship_versions)
            if then and then[-1].home.visible_to(viewer) and then[-1].recallable(as_of_us):
                expected_edges.add(edge)
        with reading(world.views) as connection:
            view, graph = MemoryView(connection, basis), GraphView(connection, basis)

            assert view.recallable(history.memories).keys() == expected
            assert graph.records(history.edges).keys() == expected_edges
        assert {memory for memory in history.memories if look.eligible(memory)} == expected


# --- Pages ----------------------------------------------------------------------------------------

PAGES = st.lists(st.tuples(st.integers(1, 4), st.integers(600, 3_000)), min_size=1, max_size=4)


@FEW
@given(HISTORIES, PAGES, st.lists(NUMBERS, max_size=3), st.integers(1, 3), st.integers(1, 40))
def test_pages_cover_exactly_what_one_page_would_hold(commands, sizes, seeds, depth, max_cost):
    with new_world() as world:
        history = History(world).run(commands)
        chosen = [history.memories[at] for at in seeds if at < len(history.memories)]
        limits = {"max_depth": depth, "max_cost": max_cost, "supernode_threshold": 3}
        whole = world.recall(
            "otter river", chosen, max_items=1_000, max_payload_bytes=10**6, **limits
        )
        gathered: list[str] = []
        linked: list[str] = []
        token = None
        for turn in range(1_000):
            items, size = sizes[turn % len(sizes)]
            page = world.recall(
                "otter river",
                chosen,
                page=token,
                max_items=items,
                max_payload_bytes=size,
                **limits,
            )
            assert len(page["items"]) <= items
            assert page["usage"]["payload_bytes"] <= size
            assert page["usage"]["cost"] <= max_cost
            gathered += ids(page) + page["skipped_items"]
            linked += edges(page)
            token = page["next_page_token"]
            if token is None:
                break

        dropped = set(edges(whole)) - set(linked)
        assert gathered == ids(whole)
        assert len(linked) == len(set(linked))
        assert set(linked) <= set(edges(whole))
        # A page may be too small for an item with all of its relationships; then it says so.
        assert not dropped or min(size for _, size in sizes) < 1_500
        assert outcomes(page)[: len(outcomes(whole))] == outcomes(whole)


# --- Isolation ------------------------------------------------------------------------------------


def masked(answer: Any) -> Any:
    """Without ids of the recall, positions, and how long it took (operations.md §10)."""
    text = json.loads(json.dumps(answer))
    text["recall_id"] = text["next_page_token"] = None
    text["basis"]["position"] = text["usage"]["elapsed_ms"] = None
    return text


@FEW
@given(HISTORIES, HISTORIES)
def test_private_and_foreign_data_change_no_byte_of_an_answer(commands, noise):
    with new_world() as world:
        history = History(world).run(
            ("remember", "ann", *more[:1], "workspace", *more[2:])
            if name == "remember"
            else (name, "ann", *more)
            for name, _, *more in commands
        )
        now = {"as_of": "2026-01-01T00:00:00Z", "explain": True}

        def answers():
            recalled = world.recall("otter stone", history.memories[:2], more=now)
            traced = [world.trace("memory", memory) for memory in history.memories]
            return masked(recalled), traced

        before = answers()
        foreign = History(world)
        foreign.memories = list(history.memories)
        for name, _, *more in noise:
            if name == "remember":
                private = ("remember", "bob", more[0], "private", more[2])
                foreign.run([private])
                world.remember(more[0], {"workspace": "w2"})
            elif name == "relate":
                _relate_privately(world, foreign, more)

        assert answers() == before


def _relate_privately(world: Asker, history: History, said: list[Any]) -> None:
    """An edge of bob's that has a private end."""
    own = [
        memory
        for memory in history.memories
        if (state := world.memory(memory)) and state.home.owner == "bob"
    ]
    if own:
        one, _, kind, _, bounds = said
        history.run([("relate", "bob", one, len(history.memories) - 1, kind, "active", bounds)])


# --- Trace ----------------------------------------------------------------------------------------


@FEW
@given(HISTORIES)
def test_lifecycles_of_a_trace_chain_from_nothing(commands):
    with new_world() as world:
        history = History(world).run(commands)

        for record in history.memories:
            owner = world.log.stream("w", record)[0].context.actor
            versions = world.trace("memory", record, {"actor": owner})["versions"]
            before = [None, *(version["lifecycle"] for version in versions)]
            assert [version["from"] for version in versions] == before[:-1]
            assert [version["version"] for version in versions] == [*range(1, len(versions) + 1)]


@FEW
@given(HISTORIES)
def test_a_trace_needs_no_projection(commands):
    with new_world() as world:
        history = History(world).run(commands)
        world.wait_for("w", world.log.head(), 0)
        asked = [("memory", one) for one in history.memories]
        asked += [("relationship", one) for one in history.edges]

        def traces():
            told = []
            for kind, record in asked:
                owner = world.log.stream("w", record)[0].context.actor
                told.append(world.trace(kind, record, {"actor": owner}))
            return told

        before = traces()
        world.views.dispose()
        world.views = None

        assert traces() == before
