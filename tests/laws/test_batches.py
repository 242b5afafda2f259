"""execute_many: a verdict for each, all or nothing where atomic, and the same as one by one."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given

from domain.canonical import Json, JsonObject
from domain.errors import MemorandaError
from ops.wiring import Memoranda
from tests.builders import text
from tests.circumstances import an_id, context
from tests.inputs import envelope
from tests.laws.choices import Step
from tests.laws.conftest import new_workspace
from tests.laws.test_idempotence import ERASURES, log_of, without_advice
from tests.laws.worlds import MUTATIONS, Asked, Group, ask, law, steps

ABSENT = an_id("mem_", 7)
BATCH = 5


def prepared(group: Group, part: Sequence[Step]) -> list[JsonObject]:
    """Envelopes of a batch: they can only name what was known before it."""
    bodies = []
    for at, step in enumerate(part):
        body = group.body(step)
        body["idempotency_key"] = f"k{len(group.asked) + at}"
        bodies.append(body)
    return bodies


def learn(group: Group, bodies: Sequence[JsonObject], answers: Sequence[JsonObject]) -> None:
    who = context(workspace=group.workspace)
    for body, answer in zip(bodies, answers, strict=True):
        group.learn(Asked(who, body, answer))


@given(steps(MUTATIONS, size=20, actors=1))
@law(12)
def test_a_batch_leaves_what_its_commands_leave_one_by_one(
    store: Memoranda, sequence: list[Step]
) -> None:
    # Given two workspaces that live the same, one command at a time and five at a time
    singly, batched = Group(store, new_workspace()), Group(store, new_workspace())
    for start in range(0, len(sequence), BATCH):
        part = sequence[start : start + BATCH]
        # When
        bodies = prepared(singly, part)
        one_by_one = [ask(store, context(workspace=singly.workspace), body) for body in bodies]
        learn(singly, bodies, one_by_one)
        bodies = prepared(batched, part)
        together = store.execute_many(context(workspace=batched.workspace), bodies, atomic=False)
        learn(batched, bodies, together)
        # Then each has the verdict that it has alone
        assert [_code(a) for a in together] == [_code(a) for a in one_by_one]
        assert [_facts(a) for a in together] == [_facts(a) for a in one_by_one]
    # Keys are destroyed after the commit, so after a whole batch.
    assert log_of(batched, without=ERASURES) == log_of(singly, without=ERASURES)


def _code(answer: JsonObject) -> tuple[str, str | None] | None:
    error = answer.get("error")
    return None if error is None else (error["code"], error.get("field"))


def _facts(answer: JsonObject) -> Json:
    """What two workspaces can share of an answer."""
    kept = without_advice(answer, position=0, committed_id=None, audit_correlation_id=None)
    record = kept.get("record") or kept.get("relationship") or {}
    return [record.get(name) for name in ("version", "content", "properties", "tags", "lifecycle")]


def remember(key: str, **changes: Json) -> JsonObject:
    made: JsonObject = envelope("remember", envelope_changes={"idempotency_key": key}, **changes)
    return made


def refused_relation(key: str) -> JsonObject:
    made: JsonObject = envelope(
        "relate", source_id=ABSENT, target_id=ABSENT, envelope_changes={"idempotency_key": key}
    )
    return made


def test_one_refused_item_costs_only_itself(fresh: Memoranda) -> None:
    bodies = [remember("a"), refused_relation("b"), remember("c", content=text(" ")), remember("d")]
    answers = fresh.execute_many(context(), bodies, atomic=False)
    assert [_code(answer) for answer in answers] == [
        None,
        ("NOT_FOUND", "source_id"),
        ("INVALID_REQUEST", "content.value"),
        None,
    ]
    assert [answer.get("ok") for answer in answers] == [None, False, False, None]
    # And the refused keys are free
    assert "error" not in ask(fresh, context(), remember("b"))


@pytest.mark.parametrize("culprit", [refused_relation("x"), remember("x", content=text(" "))])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_an_atomic_batch_is_all_or_nothing(fresh: Memoranda, culprit: JsonObject, at: int) -> None:
    # Given
    first = ask(fresh, context(), remember("first", identity_key="K"))
    head = fresh.log.head()
    bodies = [remember("a", identity_key="K"), remember("b", identity_key="L")]
    bodies.insert(at, culprit)
    # When
    answers = fresh.execute_many(context(), bodies, atomic=True)
    # Then nothing is written, and each is told whose fault it is
    assert fresh.log.head() == head
    fields = [(answer["error"]["code"], answer["error"].get("field")) for answer in answers]
    assert fields[at] in [("NOT_FOUND", "source_id"), ("INVALID_REQUEST", "content.value")]
    others = [one for index, one in enumerate(fields) if index != at]
    assert others == [("INVALID_REQUEST", f"items.{at}")] * 2
    # And what was decided meanwhile is forgotten: keys, identities and versions are as before
    del bodies[at]
    again = fresh.execute_many(context(), bodies, atomic=True)
    records = [answer["result"]["result"]["record"] for answer in again]
    assert records[0]["id"] == first["result"]["result"]["record"]["id"]
    assert [record["version"] for record in records] == [2, 1]
    assert not any(answer["result"]["result"]["receipt"]["replayed"] for answer in again)


def test_an_atomic_batch_without_a_fault_is_a_batch(fresh: Memoranda) -> None:
    bodies = [remember(key, identity_key="K") for key in "abc"]
    answers = fresh.execute_many(context(), bodies, atomic=True)
    versions = [answer["result"]["result"]["record"]["version"] for answer in answers]
    assert versions == [1, 2, 3]
    assert len({a["result"]["result"]["record"]["id"] for a in answers}) == 1


def test_the_same_key_twice_in_a_batch_is_one_command(fresh: Memoranda) -> None:
    answers = fresh.execute_many(context(), [remember("a")] * 3, atomic=False)
    receipts = [answer["result"]["result"]["receipt"] for answer in answers]
    assert [receipt["replayed"] for receipt in receipts] == [False, True, True]
    assert len({receipt["committed_id"] for receipt in receipts}) == 1
    changed = fresh.execute_many(context(), [remember("a", tags=["x"])], atomic=False)
    assert _code(changed[0]) == ("IDEMPOTENCY_CONFLICT", "idempotency_key")


def test_a_batch_takes_mutations_alone_and_a_bounded_number(fresh: Memoranda) -> None:
    answers = fresh.execute_many(context(), [envelope("recall"), remember("a")], atomic=False)
    assert [_code(answer) for answer in answers] == [("INVALID_REQUEST", "operation"), None]
    for bodies in ([], [remember("b")] * 501):
        with pytest.raises(MemorandaError) as caught:
            fresh.execute_many(context(), bodies, atomic=False)
        assert (caught.value.code, caught.value.field) == ("INVALID_REQUEST", "items")
        assert "500" in caught.value.message


def test_a_batch_of_other_contexts_keeps_them_apart(fresh: Memoranda) -> None:
    items = [
        (context(workspace=workspace, actor=actor), remember("k", identity_key="K"))
        for workspace in ("one", "two")
        for actor in ("ana", "bea")
    ]
    answers = fresh.execute_each(items)
    records = [answer["result"]["result"]["record"] for answer in answers]
    assert [record["version"] for record in records] == [1, 2, 1, 2]
    assert len({record["id"] for record in records}) == 2
    denied = fresh.execute_each([(replace(items[0][0], permissions=frozenset()), remember("z"))])
    assert _code(denied[0]) == ("PERMISSION_DENIED", None)


def test_a_refused_atomic_batch_is_not_seen_by_who_comes_next_in_the_same_round(
    fresh: Memoranda,
) -> None:
    # Given an engine that is held up, so that the next round takes several at once
    ask(fresh, context(), remember("first"))
    holder = sqlite3.connect(fresh.folder.log, isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN IMMEDIATE")
    engine = fresh.commands.engine
    bad = [remember("a", identity_key="K"), refused_relation("b")]
    with closing(holder), ThreadPoolExecutor(4) as pool:
        held = [pool.submit(ask, fresh, context(), remember("held"))]
        while not engine._turn.locked():
            assert not held[0].done()
        held.append(pool.submit(ask, fresh, context(), remember("taken by the worker")))
        while not (engine._queue.unfinished_tasks and engine._queue.empty()):
            assert not held[1].done()
        # When a batch that is refused and a command on the same key come together
        batch = pool.submit(fresh.execute_many, context(), bad, atomic=True)
        while engine._queue.unfinished_tasks < 2:
            assert not batch.done()
        after = pool.submit(ask, fresh, context(), remember("c", identity_key="K"))
        while engine._queue.unfinished_tasks < 3:
            assert not after.done()
        holder.execute("ROLLBACK")
        # Then the command finds the key as free as it was
        assert _code(batch.result(timeout=30)[0]) == ("INVALID_REQUEST", "items.1")
        record = after.result(timeout=30)["result"]["result"]["record"]
    assert record["version"] == 1
    assert [event.version for event in fresh.log.stream("w", record["id"])] == [1]
