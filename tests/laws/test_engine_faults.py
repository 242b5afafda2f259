"""The engine among failing disks, lost connections, crowds and closing doors."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import commands.engine
from domain.canonical import JsonObject
from domain.references import event_refs
from ops.wiring import Memoranda, open_memoranda
from tests.builders import properties, text
from tests.circumstances import context
from tests.inputs import envelope
from tests.laws.choices import Step
from tests.laws.conftest import new_workspace
from tests.laws.faults import FaultyConnection, faults
from tests.laws.test_idempotence import log_of, without_advice
from tests.laws.worlds import MUTATIONS, Group, ask, caught_up, random_steps, steps

__all__ = ["faults"]


def remember(key: str, **changes: object) -> JsonObject:
    made: JsonObject = envelope("remember", envelope_changes={"idempotency_key": key}, **changes)
    return made


@pytest.fixture
def faulty(faults: type[FaultyConnection], tmp_path: Path) -> Iterator[Memoranda]:
    memoranda = open_memoranda(tmp_path / "data")
    yield memoranda
    faults.planned.clear()
    memoranda.close()


outages = st.lists(st.sampled_from(["before", "after", "well"]), max_size=8)


@given(steps(MUTATIONS, size=8), outages)
@settings(
    max_examples=12,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_a_connection_that_is_lost_at_a_commit_doubles_nothing_and_loses_nothing(
    faulty: Memoranda, sequence: list[Step], planned: list[str]
) -> None:
    # Given a life without a fault
    calm = Group(faulty, new_workspace()).play(sequence)
    # When the same is lived while commits fail before or after they happened
    FaultyConnection.planned[:] = _at_most_two_in_a_row(planned)
    stormy = Group(faulty, new_workspace()).play(sequence)
    FaultyConnection.planned.clear()
    # Then every command happened once, and has its receipt
    assert log_of(stormy) == log_of(calm)
    for asked in stormy.asked:
        if asked.mutated:
            again = ask(faulty, asked.context, asked.envelope)
            assert without_advice(again, position=0) == without_advice(
                asked.answer, replayed=True, position=0
            ) or _forgotten(again)


def _forgotten(answer: JsonObject) -> bool:
    return "erased" in answer["result"]["result"].get("record", {"erased": True})


def _at_most_two_in_a_row(planned: list[str]) -> list[str]:
    """The engine tries three times."""
    kept: list[str] = []
    for fault in planned:
        if fault != "well" and kept[-2:].count("well") == 0 and len(kept) >= 2:
            kept.append("well")
        kept.append(fault)
    return kept


def test_what_was_committed_before_the_connection_was_lost_is_answered(
    faulty: Memoranda,
) -> None:
    FaultyConnection.planned[:] = ["after"]
    answer = ask(faulty, context(), remember("a", identity_key="K"))
    assert answer["result"]["result"]["receipt"]["replayed"] is False
    stored = faulty.log.after(0, 100)
    assert [event.topic for event in stored] == [
        "identity.claimed",
        "memory.remembered",
        "command.recorded",
    ]
    assert answer["result"]["result"]["receipt"]["position"] == stored[-1].position


def test_a_connection_that_stays_away_is_told_and_nothing_is_written(faulty: Memoranda) -> None:
    FaultyConnection.planned[:] = ["before"] * 3
    error = ask(faulty, context(), remember("a"))["error"]
    assert (error["code"], error["retryable"]) == ("DURABILITY_FAILED", True)
    assert faulty.log.head() == 0
    # And the same command, sent again, is a new one
    again = ask(faulty, context(), remember("a"))
    assert again["result"]["result"]["receipt"]["replayed"] is False


@pytest.mark.parametrize("fault", ["begin", "before"])
def test_a_failure_of_one_try_leaves_no_hole(faulty: Memoranda, fault: str) -> None:
    made = ask(faulty, context(), remember("a", identity_key="K"))
    memory = made["result"]["result"]["record"]["id"]
    FaultyConnection.planned[:] = [fault] * (3 if fault == "before" else 1)
    assert ask(faulty, context(), remember("b", identity_key="K"))["error"]["retryable"]
    for key in ("b", "c"):
        assert "error" not in ask(faulty, context(), remember(key, identity_key="K"))
    versions = [event.version for event in faulty.log.stream("w", memory)]
    assert versions == [1, 2, 3]


def test_a_full_disk_is_told_writes_nothing_and_is_survived(faulty: Memoranda) -> None:
    # Given a store that has lived, and a disk without room
    Group(faulty, "w").play(random_steps(5, 10))
    caught_up(faulty)
    before = faulty.log.head()
    (writer,) = FaultyConnection.made
    (pages,) = writer.execute("PRAGMA page_count").fetchone()
    writer.execute(f"PRAGMA max_page_count = {pages}")
    # When something larger than what is free is remembered
    large = remember("big", content=text("x" * 200_000), identity_key="K")
    errors = [ask(faulty, context(), large)["error"] for _ in range(2)]
    # Then it is told so, and nothing of it is there
    for error in errors:
        assert (error["code"], error["retryable"]) == ("DURABILITY_FAILED", True)
        assert "full" in error["message"]
    assert faulty.log.head() == before
    assert _references(faulty) == _expected_references(faulty)
    # And with room again the same command goes through
    writer.execute("PRAGMA max_page_count = 1000000")
    answer = ask(faulty, context(), large)
    assert answer["result"]["result"]["receipt"]["replayed"] is False
    assert _references(faulty) == _expected_references(faulty)
    assert caught_up(faulty).runner.failure is None


def _references(memoranda: Memoranda) -> set[tuple[object, ...]]:
    with closing(sqlite3.connect(memoranda.folder.log)) as connection:
        rows = connection.execute("SELECT workspace, kind, ref, stream, position FROM event_ref")
        return set(rows)


def _expected_references(memoranda: Memoranda) -> set[tuple[object, ...]]:
    return {
        (event.context.workspace, kind, ref, event.stream, event.position)
        for event in memoranda.log.after(0, 10**6)
        for kind, ref in event_refs(event)
    }


def test_a_crowd_beyond_the_queue_is_told_to_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a queue of two, and somebody who holds the file
    monkeypatch.setattr(commands.engine, "QUEUE_MAX", 2)
    memoranda = open_memoranda(tmp_path / "data")
    ask(memoranda, context(), remember("first"))
    holder = sqlite3.connect(memoranda.folder.log, isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN IMMEDIATE")
    # When twenty come at once
    with closing(holder), ThreadPoolExecutor(20) as pool:
        waiting: set[Future[JsonObject]] = {
            pool.submit(ask, memoranda, context(), remember(f"k{at}")) for at in range(20)
        }
        done, _ = wait(waiting, timeout=30, return_when=FIRST_COMPLETED)
        holder.execute("ROLLBACK")
        answers = [future.result(timeout=30) for future in waiting]
    # Then some are told that too many wait, at once, and the others are served
    refused = [answer["error"] for answer in answers if "error" in answer]
    assert done
    assert refused
    assert {(error["code"], error["retryable"]) for error in refused} == {("OVERLOADED", True)}
    assert "2 commands" in refused[0]["message"]
    stored = memoranda.log.after(0, 1000, topics=("command.recorded",))
    assert len(stored) == 1 + len(answers) - len(refused)
    memoranda.close()


def test_closing_answers_everybody_and_keeps_what_it_answered(tmp_path: Path) -> None:
    # Given callers who never pause
    memoranda = open_memoranda(tmp_path / "data")
    busy = threading.Semaphore(0)

    def caller(name: int) -> list[JsonObject]:
        answers = []
        for at in range(10_000):
            answers.append(ask(memoranda, context(), remember(f"{name}-{at}")))
            busy.release()
            if "error" in answers[-1]:
                break
        return answers

    with ThreadPoolExecutor(6) as pool:
        futures = [pool.submit(caller, name) for name in range(6)]
        for _ in range(30):
            assert busy.acquire(timeout=30)
        # When the store is closed under them
        memoranda.close()
        answers = [answer for future in futures for answer in future.result(timeout=60)]
    # Then each got an answer, and every receipt that was given is in the log
    refused = [answer["error"] for answer in answers if "error" in answer]
    assert {(error["code"], error["retryable"]) for error in refused} == {("OVERLOADED", True)}
    given_out = {a["result"]["result"]["record"]["id"] for a in answers if "error" not in a}
    again = open_memoranda(tmp_path / "data")
    stored = again.log.after(0, 10**6, topics=("memory.remembered",))
    again.close()
    assert {event.stream for event in stored} == given_out


def test_closing_waits_for_the_command_that_is_being_written(tmp_path: Path) -> None:
    # Given a command with advice to give, which waits for a file that somebody else holds
    memoranda = open_memoranda(tmp_path / "data")
    ask(memoranda, context(), remember("first", content=properties(slot="s", object=1)))
    holder = sqlite3.connect(memoranda.folder.log, isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN IMMEDIATE")
    with closing(holder), ThreadPoolExecutor(2) as pool:
        body = remember("second", content=properties(slot="s", object=2))
        writing = pool.submit(ask, memoranda, context(), body)
        engine = memoranda.commands.engine
        while not engine._turn.locked():
            assert not writing.done()
        # When the store is closed meanwhile
        closed = pool.submit(engine.close)
        done, _ = wait([closed], timeout=0.3)
        # Then the engine is not done before the command is written
        assert not done
        holder.execute("ROLLBACK")
        answer = writing.result(timeout=30)
        closed.result(timeout=30)
    memoranda.close()
    assert answer["result"]["result"]["slot"]["conflicts"] == 1
    again = open_memoranda(tmp_path / "data")
    assert len(again.log.after(0, 100, topics=("command.recorded",))) == 2
    again.close()
