"""Data folders that cannot be used as they are: what a start says, and that it changes nothing."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from commands.store_errors import StoreError
from ops.data_folder import DataFolderError
from ops.failures import said
from ops.wiring import Memoranda, open_memoranda
from tests.builders import text
from tests.circumstances import context
from tests.cli.processes import HOST_KEY, serving
from tests.cli.processes import memoranda as run
from tests.faults.asking import Client, log_of
from tests.inputs import envelope

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that remembers a walrus."""
    path = tmp_path_factory.mktemp("whole") / "data"
    memoranda = open_memoranda(path)
    memoranda.execute(context(), envelope("remember", content=text("walrus")))
    memoranda.close()
    return path


@pytest.fixture
def data(whole: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(whole, tmp_path / "data")
    return tmp_path / "data"


def recalled(data: Path) -> list[str]:
    """What the folder answers."""
    memoranda = open_memoranda(data)
    try:
        answer = memoranda.execute(context(), envelope("recall", objective="walrus"))
        return [item["record"]["content"]["value"] for item in answer["result"]["result"]["items"]]
    finally:
        memoranda.close()


def newer(name: str) -> Callable[[Path], None]:
    def make(data: Path) -> None:
        with closing(sqlite3.connect(data / name)) as file, file:
            file.execute("UPDATE store_format SET version = version + 1")

    return make


def without(name: str) -> Callable[[Path], None]:
    return lambda data: (data / name).unlink()


def garbage(name: str) -> Callable[[Path], None]:
    def make(data: Path) -> None:
        for suffix in ("-wal", "-shm"):
            (data / f"{name}{suffix}").unlink(missing_ok=True)
        (data / name).write_bytes(b"this is no database, nor was it ever one. " * 999)

    return make


def another_master_key(data: Path) -> None:
    (data / "master.key").write_text("00" * 32 + "\n")


FAULTS: list[tuple[str, Callable[[Path], None], str, str]] = [
    ("a newer log", newer("log.db"), "format 2, this program reads format 1", "or a newer one"),
    ("newer keys", newer("keys.db"), "format 2, this program reads format 1", "or a newer one"),
    ("no key store", without("keys.db"), "keys.db is missing", "from its backup"),
    ("no master key", without("master.key"), "master.key is missing", "from its backup"),
    ("no keys at all", lambda d: [without(n)(d) for n in ("keys.db", "master.key")] and None,
     "keys.db is missing", "from its backup"),
    ("another master key", another_master_key, "master key", "master.key"),
    ("half a master key", lambda d: (d / "master.key").write_text("00") and None,
     "master.key is damaged", "from its backup"),
    ("no log", without("log.db"), "log.db is missing", "from its backup"),
    ("garbage for a log", garbage("log.db"), "damaged, or is no database", "from a backup"),
    ("garbage for keys", garbage("keys.db"), "damaged, or is no database", "from a backup"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "words", "remedy"), [fault[1:] for fault in FAULTS], ids=[name for name, *_ in FAULTS]
)
def test_a_folder_that_cannot_be_used_is_told_and_left_as_it_is(
    data: Path, whole: Path, make: Callable[[Path], None], words: str, remedy: str
) -> None:
    make(data)
    before = contents(data)

    with pytest.raises((DataFolderError, StoreError)) as refused:
        open_memoranda(data)

    message = said(refused.value)
    assert message is not None
    assert words in message
    assert remedy in message
    assert contents(data) == before
    # And with its files back it is as it was
    shutil.rmtree(data)
    shutil.copytree(whole, data)
    assert recalled(data) == ["walrus"]


def contents(data: Path) -> dict[str, bytes]:
    """Every file that means something; side files of SQLite come and go."""
    return {
        file.name: file.read_bytes()
        for file in data.iterdir()
        if not file.name.endswith(("-wal", "-shm", "lock")) and file.name != "views.db"
    }


def test_a_folder_that_is_served_is_refused_to_a_second_server(data: Path) -> None:
    with serving(data, host_key=HOST_KEY) as server:
        client = Client(server.host, server.port)
        before = log_of(data)

        second = run("serve", "--data", data, "--port", "0")

        assert (second.returncode, second.stdout) == (1, "")
        assert "in use by another process" in second.stderr
        assert "stop it first" in second.stderr
        assert log_of(data) == before
        assert client.recalled("walrus")
        assert client.remember("another") in client.recalled("another")


def test_keys_older_than_the_log_are_told_and_not_taken_for_a_full_disk(tmp_path: Path) -> None:
    # Given a key store that was saved before most of the memories
    data, saved = tmp_path / "data", tmp_path / "keys.db"
    memoranda = open_memoranda(data)
    first = remembered(memoranda, "first")
    with closing(sqlite3.connect(data / "keys.db")) as keys, closing(sqlite3.connect(saved)) as to:
        keys.backup(to)
    later = [remembered(memoranda, f"later-{number}") for number in range(300)][-1]
    memoranda.runner.wait_for("", memoranda.log.head(), 60.0)
    memoranda.close()
    # When it is put in the place of the newer one
    for suffix in ("", "-wal", "-shm"):
        (data / f"keys.db{suffix}").unlink(missing_ok=True)
    saved.rename(data / "keys.db")
    before = log_of(data)

    # Then what it lacks is told, with the remedy, and what it has can be read
    with serving(data, host_key=HOST_KEY) as server:
        client = Client(server.host, server.port)
        for operation in (
            {"operation": "trace", "target": {"kind": "memory", "id": later}},
            {"operation": "update", "target": {"kind": "memory", "id": later}},
            {"operation": "recall", "objective": "sky"},
        ):
            answer = client.do(**operation)
            assert answer.told == (500, "INTERNAL", None, "KEY_MISSING")
            assert "not older than the log" in answer.error["message"]
        answer = client.get("/v1/log?after=600")
        assert answer.told == (500, "INTERNAL", None, "KEY_MISSING")
        assert client.do("trace", target={"kind": "memory", "id": first}).result["versions"]
        assert client.get(f"/v1/memories/{later}").status == 200
        assert log_of(data) == before


def remembered(memoranda: Memoranda, key: str) -> str:
    body = envelope("remember", envelope_changes={"idempotency_key": key})
    answer = memoranda.execute(context(), body)
    found: str = answer["result"]["result"]["record"]["id"]
    return found
