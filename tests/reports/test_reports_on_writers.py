"""Bug reports 22, 43, 47, 48: many writers, stale caches, failing recorders."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from commands.service import CommandService
from domain.canonical import JsonObject
from ops.data_folder import DataFolder, FolderInUseError
from ops.wiring import open_memoranda
from tests.builders import source, text
from tests.circumstances import context
from tests.laws.faults import FaultyConnection, faults
from tests.laws.worlds import ask
from tests.reports.asking import body, memory
from tests.reports.handlers import GatedClock, handler, told
from tests.services import fork_server

__all__ = ["faults"]

ROUNDS = 40


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[DataFolder]:
    folder = DataFolder.open(tmp_path / "data")
    yield folder
    folder.close()


@pytest.fixture
def pair(folder: DataFolder) -> Iterator[tuple[CommandService, CommandService]]:
    """Two long-lived writers of one log, each with its own cache."""
    with handler(folder) as one, handler(folder) as other:
        yield one, other


def update(name: str, expected: int | None = None, **patch: object) -> JsonObject:
    target = {"kind": "memory", "id": name}
    return body("update", target=target, expected_version=expected, patch=patch)


def remembered(service: CommandService) -> str:
    return str(told(service, context(), body("remember"))["record"]["id"])


def versions(service: CommandService, name: str) -> list[int]:
    return [event.version for event in service.log.stream("w", name)]


def test_report_22_a_second_process_is_told_that_the_folder_is_in_use(tmp_path: Path) -> None:
    # Given a process that has the data folder
    memoranda = open_memoranda(tmp_path / "data")
    name = memory(memoranda)
    # When another one opens it
    script = "import sys; from pathlib import Path; from ops.wiring import open_memoranda\n"
    script += "open_memoranda(Path(sys.argv[1]))"
    second = fork_server.finished(
        [sys.executable, "-c", script, str(tmp_path / "data")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    # Then it is refused by name, and the first goes on
    assert second.returncode != 0
    assert FolderInUseError.__name__ in second.stderr
    assert "in use by another process" in second.stderr
    assert "error" not in ask(memoranda, context(), update(name, 1))
    memoranda.close()


WRITER = """
import sys
from pathlib import Path
from ops.data_folder import DataFolder
from tests.circumstances import context
from tests.inputs import envelope
from tests.reports.handlers import GatedClock, handler, told

path, name = Path(sys.argv[1]), sys.argv[2]
folder = DataFolder(path, bytes.fromhex((path / "master.key").read_text().strip()), -1)
with handler(folder) as service:
    print("ready", flush=True)
    sys.stdin.readline()
    for at in range(20):
        key = {"idempotency_key": f"{name}-{at}"}
        assert "error" not in told(service, context(), envelope("remember", envelope_changes=key))
"""


def test_report_22_two_processes_lose_nothing_of_each_other(folder: DataFolder) -> None:
    # Given two processes that write to one log
    with handler(folder) as service:
        remembered(service)
        root = Path(__file__).resolve().parents[2]
        writers = [
            fork_server.Started(
                [sys.executable, "-c", WRITER, str(folder.path), name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=root,
                env={**os.environ, "PYTHONPATH": str(root)},
            )
            for name in ("one", "two")
        ]
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
        # When each remembers twenty things at the same time
        for writer in writers:
            writer.communicate("go\n", timeout=60)
        # Then all forty are there
        assert [writer.returncode for writer in writers] == [0, 0]
        stored = service.log.after(0, 1000, topics=("memory.remembered",))
        assert len(stored) == 1 + 40


def test_report_22_of_two_updates_of_one_version_one_wins(
    pair: tuple[CommandService, CommandService],
) -> None:
    name = remembered(pair[0])
    with ThreadPoolExecutor(2) as pool:
        for expected in range(1, 21):
            sent = [update(name, expected) for _ in pair]
            answers = list(pool.map(told, pair, [context()] * 2, sent))
            (lost,) = [answer["error"] for answer in answers if "error" in answer]
            assert (lost["code"], lost["current_version"]) == ("VERSION_CONFLICT", expected + 1)
    assert versions(pair[0], name) == list(range(1, 22))


def test_report_43_a_stale_cache_destroys_nothing(
    pair: tuple[CommandService, CommandService],
) -> None:
    # Given two handlers that both have version 1 in their caches
    one, other = pair
    name = remembered(one)
    assert told(other, context(), update(name, 9))["error"]["current_version"] == 1
    # When the first changes it twice, and the second writes with its stale copy
    for number in (1, 2):
        told(one, context(), update(name, content=text(f"much {number}"), add_tags=[str(number)]))
    stale = told(other, context(), update(name, 1, content=text("little")))
    # Then it is told of the conflict
    assert stale["error"]["code"] == "VERSION_CONFLICT"
    assert stale["error"]["current_version"] == 3
    # And without an expectation it goes on from what is stored
    merged = told(other, context(), update(name, add_provenance=[source("s9")]))["record"]
    assert merged["version"] == 4
    assert merged["content"] == text("much 2")
    assert merged["tags"] == ["1", "2"]
    assert versions(one, name) == [1, 2, 3, 4]


def test_report_43_a_stale_cache_forgets_no_deletion(
    pair: tuple[CommandService, CommandService],
) -> None:
    one, other = pair
    keyed = body("remember", identity_key="K")
    name = told(one, context(), keyed)["record"]["id"]
    told(other, context(), update(name))
    told(one, context(), body("forget", memory_id=name, mode="application_delete"))
    assert told(other, context(), update(name))["error"]["code"] == "NOT_FOUND"
    renewed = told(other, context(), body("remember", identity_key="K"))["record"]
    assert renewed["id"] != name
    assert renewed["version"] == 1


def test_report_47_every_reported_success_is_in_the_stream(folder: DataFolder) -> None:
    # Given two handlers that always decide on the same version before either writes
    clocks = (GatedClock(), GatedClock())
    with handler(folder, clocks[0]) as one, handler(folder, clocks[1]) as other:
        name = remembered(one)
        answers: list[JsonObject] = []
        with ThreadPoolExecutor(2) as pool:
            for round_ in range(ROUNDS):
                clocks[0].gate = clocks[1].gate = threading.Barrier(2)
                # When both change it, with an expectation in every other round
                expected = len(answers) + 1 if round_ % 2 else None
                sent = [update(name, expected) for _ in clocks]
                found = list(pool.map(told, (one, other), [context()] * 2, sent))
                answers += [answer for answer in found if "error" not in answer]
                errors = [answer["error"] for answer in found if "error" in answer]
                assert len(errors) == round_ % 2
                for error in errors:
                    assert error["code"] == "VERSION_CONFLICT"
                    assert error["current_version"] == len(answers) + 1
        # Then the successes are the events, and each can be loaded by what its receipt names
        receipts = [answer["receipt"] for answer in answers]
        events = versions(other, name)
        assert [receipt["committed_version"] for receipt in sorted_by_version(receipts)] == (
            events[1:]
        )
        stored = {event.position: event for event in one.log.after(0, 10_000)}
        for receipt in receipts:
            targets = stored[receipt["position"]].facts[0].structure()["targets"]
            assert targets == [(name, receipt["committed_version"])]


def sorted_by_version(receipts: list[JsonObject]) -> list[JsonObject]:
    return sorted(receipts, key=lambda receipt: int(receipt["committed_version"]))


@pytest.mark.parametrize("planned", [["begin"], ["before"] * 3])
def test_report_48_what_failed_to_be_saved_leaves_no_hole(
    faults: type[FaultyConnection], tmp_path: Path, planned: list[str]
) -> None:
    # Given a recorder that fails while a memory is changed
    memoranda = open_memoranda(tmp_path / "data")
    name = memory(memoranda)
    failing = update(name, 1, content=text("first"))
    faults.planned[:] = planned
    assert ask(memoranda, context(), failing)["error"]["code"] == "DURABILITY_FAILED"
    # When the caller goes on with the same memory, and sends the failed one again
    later = update(name, add_tags=["t"])
    assert ask(memoranda, context(), later)["result"]["result"]["record"]["content"] == text()
    stale = ask(memoranda, context(), failing)["error"]
    assert (stale["code"], stale["current_version"]) == ("VERSION_CONFLICT", 2)
    # Then what was saved is whole, and the versions are without a hole
    stored = [event.version for event in memoranda.log.stream("w", name)]
    memoranda.close()
    assert stored == [1, 2]
