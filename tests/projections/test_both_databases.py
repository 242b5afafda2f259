"""The same log gives the same rows and the same answers in both databases, byte for byte."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.canonical import JsonObject, canonical
from domain.context import PERMISSIONS, Context
from domain.contract import RecallInput
from domain.errors import MemorandaError
from domain.ids import encode_id, uuid7
from domain.slots import slot_ref
from domain.validation.policies import SHIPPED_ONLY
from domain.visibility import Viewer
from projections.database import reading
from read_api.derivations import Derivations
from read_api.list_filters import MemoryFilters, RelationshipFilters
from read_api.memtables import Memtables
from read_api.recall import Recall
from read_api.records import Records
from tests.projections.commands import HISTORIES
from tests.projections.databases import Sqlite, current, using
from tests.projections.handlers import SECRET
from tests.projections.histories import World
from tests.projections.views import follow, new_views, tables

LIMITS = {
    "max_items": 3,
    "max_depth": 2,
    "max_payload_bytes": 10**6,
    "max_cost": 100,
    "timeout_ms": 60_000,
    "supernode_threshold": 3,
}
WORKSPACES = ("acme", "other", "nowhere", "\x00")
ASKING = (
    ("acme", "ann"),
    ("acme", "bob"),
    ("other", "ann"),
    ("other", "bob"),
    ("nowhere", "ann"),
    ("\x00", "bob"),
)
MEMORIES: tuple[dict[str, Any], ...] = (
    {},
    {"limit": 2},
    {"tag": ""},
    {"tag": "Red"},
    {"tag": "\x00"},
    {"source_id": "a"},
    {"identity_key": "k1"},
    {"identity_key": ""},
    {"slot": "editor"},
    {"status": "verified"},
    {"lifecycle": "superseded"},
    {"kind": "fact"},
    {"recorded_after": "2025-10-09T08:53:20.004Z"},
)
EDGES: tuple[dict[str, Any], ...] = ({"limit": 1}, {"kind": "supports"}, {"kind": "\x01"})
QUESTIONS: tuple[dict[str, Any], ...] = (
    {"objective": "Tea fact red editor"},
    {"objective": "x", "explain": True, "slot": "city"},
    {"objective": "a b c", "explain": True, "tags": ["red"], "as_of": "2026-06-01T00:00:00Z"},
)


@pytest.fixture(scope="module", autouse=True)
def database(views_in_postgres):
    with using(views_in_postgres):
        yield views_in_postgres


def secret(workspace: str) -> bytes:
    return workspace.encode() + b" has a secret of tests"


def of_slot(_workspace: str, slot: str) -> str:
    return slot_ref(SECRET, slot)


class Secrets:
    page_tokens = staticmethod(secret)
    slot_ref = staticmethod(of_slot)


class Reader:
    """All questions, to one world over one engine."""

    def __init__(self, world: World, engine: Any) -> None:
        self.world, self.engine = world, engine
        self.records = Records(engine, secret, of_slot)
        count = itertools.count(10**6)
        self.recall = Recall(
            log=world.log,
            views=engine,
            memtables=Memtables(world.log),
            wait_for=lambda _workspace, position, _timeout: position,
            recorder=self,
            secrets=Secrets(),
            new_id=lambda prefix: encode_id(prefix, uuid7(next(count), bytes(10))),
            clock=self,
            policies=lambda *_: SHIPPED_ONLY,
        )

    def now_us(self) -> int:
        return 1_790_000_000_000_000

    def record(self, context: Context, recall_id: str, event: Any) -> int:
        return 0

    def answers(self) -> Iterator[bytes]:
        for workspace, actor in ASKING:
            who = Context(workspace, actor, "monday", PERMISSIONS, "request")
            ids = [one for home, one in self.world.memories if home == workspace]
            edges = [one for home, one in self.world.edges if home == workspace]
            for said in MEMORIES:
                yield from self.pages(self.records.memories, who, MemoryFilters, said)
            for said in (*EDGES, *({"source_id": one} for one in ids[:2])):
                yield from self.pages(self.records.relationships, who, RelationshipFilters, said)
            for one in (*ids, "mem_\x00", *edges):
                for version in (None, 1, 2):
                    yield told(lambda: self.records.memory(who, one, version).body)  # noqa: B023
                yield told(lambda: self.records.relationship(who, one).body)  # noqa: B023
            for said in (*QUESTIONS, {"objective": "seeds", "seed_ids": ids}):
                yield told(lambda: self.recalled(who, said))  # noqa: B023
            with reading(self.engine) as connection:
                yield canonical(Derivations(connection, workspace, Viewer(actor)).derived(ids))

    def pages(self, door: Any, who: Context, filters: Any, said: Any) -> Iterator[bytes]:
        cursor = None
        for _ in range(4):
            page = door(who, filters(**said, cursor=cursor))
            yield canonical(page)
            cursor = page["next_cursor"]
            if cursor is None:
                break

    def recalled(self, who: Context, said: Any) -> JsonObject:
        given = RecallInput(**{"seed_ids": [], "limits": LIMITS, **said})
        given.check()
        answer = self.recall.answer(who, given)
        del answer["usage"]["elapsed_ms"]
        return answer


def told(ask: Any) -> bytes:
    try:
        return canonical(ask())
    except MemorandaError as refusal:
        return canonical(refusal.as_wire())


def seen(history: Any, batch: int, destroyed: bool) -> tuple[Any, list[bytes]]:
    """Rows and answers of the database in use."""
    world = World().run(history)
    world.log.workspaces.update(WORKSPACES)
    with new_views() as engine:
        follow(world.log, engine, batch)
        if destroyed:
            world.destroy_keys()
        return tables(engine), list(Reader(world, current().reader(engine)).answers())


@settings(max_examples=6)
@given(HISTORIES, st.sampled_from([1, 7, 500]), st.booleans())
def test_rows_and_answers_are_the_same_in_both_databases(history, batch, destroyed):
    in_postgres, told_by_postgres = seen(history, batch, destroyed)
    with using(Sqlite()):
        in_sqlite, told_by_sqlite = seen(history, batch, destroyed)

    assert in_postgres == in_sqlite
    assert told_by_postgres == told_by_sqlite
