"""doctor looks into the files: their format, their pages, and whether they fit each other."""

from __future__ import annotations

import contextlib
import secrets

import pytest

from ops.data_folder import DataFolder
from ops.wiring import open_memoranda
from tests.cli_operations.patients import change, examined, opened, problems
from tests.cli_operations.running import Local

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize(("file", "check"), [("log.db", "log"), ("keys.db", "key store")])
def test_a_store_of_a_newer_program_is_told_with_its_format(healthy, file, check):
    with opened(healthy / file) as database:
        database.execute("UPDATE store_format SET version = 7")

    code, checks = examined(healthy)

    assert (code, problems(checks).keys()) == (1, {check})
    assert "format 7" in checks[check]["said"]
    assert "newer" in checks[check]["remedy"]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("PRAGMA user_version = 9", "format 9"),
        ("UPDATE memory_version SET position = 1000", "that the log does not"),
    ],
)
def test_read_models_that_do_not_fit_are_to_be_rebuilt(healthy, statement, words):
    with opened(healthy / "views.db") as views:
        views.execute(statement)

    code, checks = examined(healthy)

    assert (code, problems(checks).keys()) == (1, {"read models"})
    assert words in checks["read models"]["said"]
    assert "memoranda rebuild" in checks["read models"]["remedy"]


@pytest.mark.parametrize(
    ("file", "check", "remedy"),
    [
        ("log.db", "log", "backup"),
        ("keys.db", "key store", "backup"),
        ("views.db", "read models", "memoranda rebuild"),
        ("master.key", "master key", "backup"),
    ],
)
@pytest.mark.parametrize("kind", ["garbage", "page"])
def test_a_damaged_file_is_named_with_the_remedy(healthy, file, check, remedy, kind):
    whole = (healthy / file).read_bytes()
    middle = whole[:4096] + b"\xff" * (len(whole) - 4096)
    (healthy / file).write_bytes(b"garbage" * 100 if kind == "garbage" else middle)
    if file == "master.key":
        (healthy / file).write_text("zz" if kind == "garbage" else "ab" * 31)

    code, checks = examined(healthy)

    assert code == 1
    assert problems(checks).keys() == {check}
    assert remedy in checks[check]["remedy"]


def test_an_empty_log_beside_keys_is_not_taken_for_a_log(healthy):
    (healthy / "log.db").write_bytes(b"")

    code, checks = examined(healthy)

    assert (code, problems(checks).keys()) == (1, {"log"})


def test_a_database_of_another_program_is_not_taken_for_a_log(healthy):
    (healthy / "log.db").unlink()
    with opened(healthy / "log.db") as database:
        database.execute("CREATE TABLE cats (name TEXT)")

    code, checks = examined(healthy)

    assert code == 1
    assert "another program" in checks["log"]["said"]


def test_a_master_key_of_another_store_is_told(healthy):
    (healthy / "master.key").write_text(secrets.token_hex(32))

    code, checks = examined(healthy)

    assert (code, problems(checks).keys()) == (1, {"key store"})
    assert "does not open it" in checks["key store"]["said"]


def test_a_key_store_that_is_older_than_the_log_is_told(healthy):
    older = (healthy / "keys.db").read_bytes()
    local = Local(healthy)
    local("remember", "what the older keys do not open")
    (healthy / "keys.db").write_bytes(older)

    code, checks = examined(healthy)

    assert (code, problems(checks).keys()) == (1, {"key store"})
    assert "older than the log" in checks["key store"]["said"]


def test_a_clock_behind_the_log_is_told(healthy):
    change(healthy, "UPDATE event SET appended_at = appended_at + 3600000000 WHERE position = 5")

    code, checks = examined(healthy)

    assert (code, problems(checks).keys()) == (1, {"clock"})
    assert 3500 < checks["clock"]["facts"]["ahead_us"] / 1_000_000 <= 3600


def test_a_clock_that_stood_is_noted(healthy):
    change(
        healthy,
        "UPDATE event SET appended_at ="
        " 1 + (SELECT appended_at FROM event WHERE position = 4) WHERE position = 5",
    )

    code, checks = examined(healthy)

    assert (code, checks["clock"]["status"]) == (0, "note")
    assert checks["clock"]["facts"] == {"jumps": 1}


def test_read_models_far_behind_a_running_process_are_a_problem(healthy):
    with contextlib.closing(DataFolder.open(healthy)):
        code, checks = examined(healthy, lag_events_max="1")
        with opened(healthy / "views.db") as views:
            views.execute("UPDATE checkpoint SET position = 1")
        late, behind = examined(healthy, lag_events_max="1")

    assert (code, problems(checks)) == (0, {})
    assert (late, problems(behind).keys()) == (1, {"read models"})
    assert behind["read models"]["facts"]["lag"] == 4


def test_keys_are_counted_by_their_state(healthy):
    store = open_memoranda(healthy)
    made = [
        store.keys.create(
            name="k",
            workspace="default",
            actor="a",
            agent=None,
            permissions=["read"],
            expires_at=until,
        )[1]
        for until in (None, None, "2026-01-01T00:00:00Z")
    ]
    store.keys.revoke(made[0].key_id)
    store.close()

    code, checks = examined(healthy)

    assert code == 0
    assert checks["api keys"]["facts"] == {"in_force": 1, "expired": 1, "revoked": 1}


def test_an_erasure_that_is_not_completed_is_noted(healthy):
    made = Local(healthy)("remember", "to be destroyed", "--json").result["record"]["id"]
    Local(healthy)("forget", made, "--mode", "application_delete", "--reason", "asked")
    before, completed = examined(healthy)
    change(healthy, "DELETE FROM event WHERE topic = 'erasure.completed'")

    after, waiting = examined(healthy)

    assert (before, after) == (0, 0)
    assert completed["erasures"]["facts"] == {"asked": 1, "waiting": 0}
    assert waiting["erasures"]["facts"] == {"asked": 1, "waiting": 1}
    assert waiting["erasures"]["status"] == "note"
