"""A key store that cannot be written for a while: told as such, and made good later."""

from __future__ import annotations

import functools
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import commands.key_sqlite
from commands.sqlite_files import connect
from domain.canonical import JsonObject
from domain.events import ErasureStep
from ops.wiring import Memoranda, open_memoranda
from tests.builders import text
from tests.circumstances import context
from tests.inputs import envelope
from tests.laws.worlds import ask

CANARY = "canary 7731"


def steps_of(memoranda: Memoranda) -> list[str]:
    events = memoranda.log.after(0, 100, topics=(ErasureStep.TOPIC,))
    return [fact.mode for event in events for fact in event.facts if isinstance(fact, ErasureStep)]


def readable(memoranda: Memoranda) -> bool:
    return any(CANARY in repr(event.facts) for event in memoranda.log.after(0, 100))


def sent(memoranda: Memoranda, operation: str, key: str, **changes: object) -> JsonObject:
    body = envelope(operation, envelope_changes={"idempotency_key": key}, **changes)
    return ask(memoranda, context(), body)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder whose key store does not wait long for its turn."""
    impatient = functools.partial(connect, timeout_s=0.05)
    monkeypatch.setattr(commands.key_sqlite, "connect", impatient)
    return tmp_path / "data"


def hindered(memoranda: Memoranda) -> JsonObject:
    """A deletion that is committed while the key store cannot be written: what it was told."""
    made = sent(memoranda, "remember", "a", content=text(CANARY))
    memory = made["result"]["result"]["record"]["id"]
    with closing(sqlite3.connect(memoranda.folder.keys, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        answer = sent(memoranda, "forget", "f", memory_id=memory, mode="application_delete")
        holder.execute("ROLLBACK")
    assert steps_of(memoranda)[:1] == ["requested"]
    return {"memory_id": memory, "answer": answer}


def test_a_deletion_that_is_hindered_is_told_as_one_to_be_sent_again(data: Path) -> None:
    memoranda = open_memoranda(data)
    error = hindered(memoranda)["answer"]["error"]
    memoranda.close()
    assert (error["code"], error["retryable"]) == ("DURABILITY_FAILED", True)
    assert "again" in error["message"]


def test_it_is_carried_out_when_the_command_is_sent_again(data: Path) -> None:
    memoranda = open_memoranda(data)
    memory = hindered(memoranda)["memory_id"]
    again = sent(memoranda, "forget", "f", memory_id=memory, mode="application_delete")
    there, found = readable(memoranda), steps_of(memoranda)
    memoranda.close()
    assert "error" not in again
    assert not there
    assert found[:2] == ["requested", "keys_destroyed"]


def test_it_is_carried_out_at_the_next_start(data: Path) -> None:
    memoranda = open_memoranda(data)
    hindered(memoranda)
    memoranda.close()
    memoranda = open_memoranda(data)
    there, found = readable(memoranda), steps_of(memoranda)
    memoranda.close()
    assert not there
    assert found[:2] == ["requested", "keys_destroyed"]


def test_a_first_write_of_a_workspace_that_is_hindered_is_told_too(data: Path) -> None:
    memoranda = open_memoranda(data)
    with closing(sqlite3.connect(memoranda.folder.keys, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        try:
            answer = sent(memoranda, "remember", "a")
        finally:
            holder.execute("ROLLBACK")
    error = answer["error"]
    head = memoranda.log.head()
    again = sent(memoranda, "remember", "a")
    memoranda.close()
    assert (error["code"], error["retryable"], head) == ("DURABILITY_FAILED", True, 0)
    assert "error" not in again
