"""Damaged read models: built anew by themselves at the start, whole before anybody is answered."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from domain.canonical import JsonObject
from ops.http.app import create_app
from ops.settings import Settings
from ops.wiring import Memoranda, open_memoranda
from projections.database import open_views
from tests.builders import text
from tests.circumstances import context
from tests.cli.processes import HOST_KEY, serving
from tests.faults.asking import HEADERS, Client
from tests.inputs import envelope
from tests.laws.worlds import Group, caught_up, random_steps
from tests.projections.views import tables

Damage = Callable[[Path], None]


def changed(*statements: str) -> Damage:
    def damage(views: Path) -> None:
        with closing(sqlite3.connect(views, isolation_level=None)) as connection:
            for statement in statements:
                connection.execute(statement)

    return damage


def cut(share: float) -> Damage:
    def damage(views: Path) -> None:
        content = views.read_bytes()
        views.write_bytes(content[: int(len(content) * share)])

    return damage


def garbage(views: Path) -> None:
    views.write_bytes(b"this is no database, nor was it ever one. " * 999)


def overwritten(views: Path) -> None:
    """A page in the middle, as a disk may lose one."""
    content = bytearray(views.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = b"\xa5" * 4096
    views.write_bytes(content)


DAMAGES: dict[str, Damage] = {
    "no file": Path.unlink,
    "an empty file": cut(0),
    "half a file": cut(0.5),
    "garbage": garbage,
    "a page of garbage": overwritten,
    "no table of memories": changed("DROP TABLE memory_version"),
    "no checkpoints": changed("DROP TABLE checkpoint"),
    "a table without a column": changed("ALTER TABLE degree DROP COLUMN edges"),
    "a newer format": changed("PRAGMA user_version = 99"),
    "another database": changed(
        "DROP TABLE memory_version", "DROP TABLE edge_version", "CREATE TABLE notes (x)"
    ),
}  # fmt: skip


@pytest.fixture
def lived(tmp_path: Path) -> Path:
    """A folder in which two actors have lived a little, and a walrus was remembered."""
    memoranda = open_memoranda(tmp_path / "data")
    Group(memoranda, "w").play(random_steps(9, 40))
    ask(memoranda, "remember", content=text("walrus"))
    caught_up(memoranda).close()
    return tmp_path / "data"


def ask(memoranda: Memoranda, operation: str, **said: object) -> JsonObject:
    key = {"idempotency_key": "walrus"}
    answer = memoranda.execute(context(), envelope(operation, envelope_changes=key, **said))
    result: JsonObject = answer["result"]["result"]
    return result


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_read_models_are_whole_at_the_next_start(
    lived: Path, damage: Damage, caplog: pytest.LogCaptureFixture
) -> None:
    # Given read models, all in one file, that then are damaged
    path = lived / "views.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = open_views(path)
    expected = tables(whole)
    whole.dispose()
    before = (lived / "log.db").read_bytes()
    damage(path)
    # When the store is opened
    with caplog.at_level(logging.WARNING, "memoranda.read_models"):
        memoranda = open_memoranda(lived)
    # Then they are as they were, which the log of the program says, and nothing else was written
    try:
        assert memoranda.runner.position() == memoranda.log.head()
        assert tables(memoranda.runner._engine) == expected
        assert [row.levelname for row in caplog.records] == ["WARNING"] * 2
        assert "are built anew from the log: " in caplog.records[0].message
        assert f"up to position {memoranda.log.head()}" in caplog.records[1].message
        assert (lived / "log.db").read_bytes() == before
        found = ask(memoranda, "recall", objective="walrus")["items"]
        assert [item["record"]["content"]["value"] for item in found] == ["walrus"]
    finally:
        memoranda.close()


def test_whole_read_models_are_opened_as_they_are(
    lived: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        open_memoranda(lived).close()
        open_memoranda(lived.with_name("new")).close()

    assert caplog.records == []


def test_read_models_that_somebody_holds_are_not_taken_for_damaged(lived: Path) -> None:
    path = lived / "views.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        before = path.read_bytes()
        with pytest.raises(Exception, match="locked"):
            open_memoranda(lived)
        assert path.read_bytes() == before


def test_read_models_that_are_damaged_while_they_are_served_are_told_and_built_anew(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    with serving(data, host_key=HOST_KEY) as server:
        client = Client(server.host, server.port)
        made = client.remember("walrus")
        assert client.recalled("walrus") == [made]
        changed("DROP TABLE memory_version")(data / "views.db")

        answer = client.get(f"/v1/memories/{made}")

        assert answer.told == (500, "INTERNAL", None, "READ_MODELS")
        assert "memoranda rebuild" in answer.body["detail"]
        assert client.do("recall", objective="walrus").told[3] == "READ_MODELS"
        # What does not need them goes on
        assert client.do("trace", target={"kind": "memory", "id": made}).result["versions"]
        other = client.remember("walrus too")
        status, _, said = server.stop()
    assert status == 0
    assert "Traceback" not in said
    with serving(data, host_key=HOST_KEY) as again:
        client = Client(again.host, again.port)
        assert sorted(client.recalled("walrus")) == sorted([made, other])


def test_a_memory_that_the_read_models_have_not_seen_is_not_said_to_be_absent(
    tmp_path: Path,
) -> None:
    # Given a store whose read models do not follow any more
    store = open_memoranda(tmp_path / "data")
    seen = ask(store, "remember")["record"]["id"]
    caught_up(store).runner.stop()
    later = envelope("remember", envelope_changes={"idempotency_key": "later"})
    unseen = store.execute(context(), later)["result"]["result"]["record"]["id"]
    settings = Settings(data=tmp_path / "data", host_key=HOST_KEY)
    with TestClient(create_app(store, settings), base_url="http://127.0.0.1") as client:

        def told(path: str) -> tuple[int, str | None]:
            response = client.get(f"/v1/memories/{path}", headers=HEADERS)
            return response.status_code, response.json().get("reason")

        # Then what they have seen is there, and of the rest nobody can say that it is not
        assert told(seen) == (200, None)
        assert told(unseen) == (503, "NOT_CAUGHT_UP")
        assert told(f"{unseen}/versions/1") == (503, "NOT_CAUGHT_UP")
        # But what was asked for up to a position that they have seen is not there
        assert told(f"{unseen}?min_position=1") == (404, None)
    store.close()
