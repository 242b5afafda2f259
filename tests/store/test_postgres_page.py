"""The commands of docs/how-to/postgresql.md do what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from commands.clock import SystemClock
from commands.key_postgres import PostgresKeyRows
from commands.keystore import KeyStore
from commands.store_postgres import PostgresRecorder
from tests.services.postgres_server import client_programs
from tests.store.building import ref, rows

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "how-to" / "postgresql.md"
MASTER = bytes(32)


def commands(word: str) -> str:
    """The one block of shell commands in which the word stands."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    [found] = [block for block in blocks if word in block]
    return found


def run(script: str, url: str, folder: Path) -> None:
    path = f"{client_programs()}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=os.environ | {"PATH": path, "MEMORANDA_DATABASE_URL": url, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def stores():
    opened = []

    def of(url: str) -> tuple[PostgresRecorder, KeyStore]:
        log = PostgresRecorder(url, SystemClock())
        keys = KeyStore.over(PostgresKeyRows(url), MASTER, SystemClock())
        opened.extend([log, keys])
        return log, keys

    yield of
    for one in opened:
        one.close()


def test_what_was_dumped_is_restored_and_no_position_is_used_again(
    postgres_url, empty_postgres_url, stores, tmp_path
):
    log, keys = stores(postgres_url)
    given = rows(3)
    log.append(given, [ref(given[0].stream, 0)])
    key_id, key = keys.take("w")
    [gone] = [keys.take("w")[0]]
    keys.destroy("w", [gone])
    run(commands("pg_dump"), postgres_url, tmp_path)
    seen = log.append(rows(1), []).positions[0]

    run(commands("pg_restore"), empty_postgres_url, tmp_path)

    restored, its_keys = stores(empty_postgres_url)
    assert restored.rows_after(0, 10) == log.rows_after(0, 10)[:3]
    assert restored.references("w", "slot", "r") == log.references("w", "slot", "r")
    assert its_keys.open_keys("w", [key_id, gone]) == {key_id: key, gone: None}
    assert its_keys.destroy("w", [key_id]) == 1
    assert restored.append(rows(1), []).positions[0] > seen


def test_the_dump_of_the_log_holds_no_key_and_the_other_no_event(postgres_url, stores, tmp_path):
    log, keys = stores(postgres_url)
    [event] = rows(1, state=b"the state of an event")
    log.append([event], [])
    keys.take("w")
    run(commands("pg_dump"), postgres_url, tmp_path)

    run("pg_restore --file=log.sql log.dump; pg_restore --file=keys.sql keys.dump", "", tmp_path)

    written = {name: (tmp_path / f"{name}.sql").read_text() for name in ("log", "keys")}
    assert event.state.hex() in written["log"]
    assert "data_key" not in written["log"]
    assert "data_key" in written["keys"]
    assert event.state.hex() not in written["keys"]
