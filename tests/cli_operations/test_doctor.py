"""doctor says what is wrong and what to do about it, and changes nothing."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import sqlite3

import pytest

from ops.data_folder import DataFolder
from ops.wiring import open_memoranda
from tests.cli_operations.running import Local, run

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    data = tmp_path_factory.mktemp("healthy") / "data"
    local = Local(data)
    made = local("remember", "as healthy as can be", "--json").result["record"]["id"]
    local("update", made, "--confidence", "0.5")
    local("recall", "healthy")
    return data


@pytest.fixture
def healthy(template, data):
    """A store with three events of a memory; the test may do to it what it wants."""
    shutil.copytree(template, data)
    return data


def examined(data, **settings):
    """Exit status, and the checks by name; of several of one name the worst."""
    done = run("doctor", "--data", data, "--json", **settings)
    order = ("ok", "note", "problem")
    checks = {}
    for check in done.json["checks"]:
        known = checks.setdefault(check["check"], check)
        if order.index(check["status"]) > order.index(known["status"]):
            checks[check["check"]] = check
    return done.code, checks


def problems(checks):
    return {name: check for name, check in checks.items() if check["status"] == "problem"}


@contextlib.contextmanager
def opened(file):
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        yield connection


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_healthy_store_is_told_line_by_line_and_left_as_it_is(healthy):
    before = contents(healthy)

    told = run("doctor", "--data", healthy)
    code, checks = examined(healthy)

    assert (told.code, code, problems(checks)) == (0, 0, {})
    assert {"log", "key store", "read models", "clock", "disk", "settings", "api keys"} <= set(
        checks
    )
    assert len(told.out.splitlines()) >= len(checks)
    assert checks["log"]["facts"]["head"] == 5
    assert checks["read models"]["facts"]["positions"].keys() == {"records", "evidence"}
    assert contents(healthy) == before


def test_a_missing_folder_is_a_problem_and_stays_missing(data):
    told = run("doctor", "--data", data)
    code, checks = examined(data)

    assert (told.code, code) == (1, 1)
    assert problems(checks).keys() == {"folder"}
    assert "memoranda serve" in checks["folder"]["remedy"]
    assert "WRONG" in told.out
    assert not data.exists()


def test_an_empty_folder_has_no_store(data):
    data.mkdir(mode=0o700)

    code, checks = examined(data)

    assert (code, problems(checks).keys()) == (1, {"files"})
    assert list(data.iterdir()) == []


def test_a_file_is_no_folder(data):
    data.write_text("x")

    code, checks = examined(data)

    assert code == 1
    assert "is no folder" in checks["folder"]["said"]


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


@pytest.mark.parametrize("file", ["log.db", "keys.db", "master.key"])
def test_a_file_that_cannot_be_made_anew_is_missed(healthy, file):
    (healthy / file).unlink()

    code, checks = examined(healthy)

    assert (code, problems(checks).keys()) == (1, {"files"})
    assert file in checks["files"]["said"]
    assert "backup" in checks["files"]["remedy"]


def test_missing_read_models_are_no_problem(healthy):
    (healthy / "views.db").unlink()

    code, checks = examined(healthy)

    assert (code, checks["files"]["status"]) == (0, "note")


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


def change(data, statement):
    with opened(data / "log.db") as log:
        triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        for (trigger,) in log.execute(triggers).fetchall():
            log.execute(f"DROP TRIGGER {trigger}")
        log.execute(statement)


def test_files_that_others_may_read_are_told(healthy):
    (healthy / "master.key").chmod(0o644)

    code, checks = examined(healthy)
    healthy.chmod(0o755)
    _, both = examined(healthy)

    assert (code, problems(checks).keys()) == (1, {"files"})
    assert checks["files"]["remedy"] == f"chmod 600 {healthy / 'master.key'}"
    assert problems(both).keys() == {"files", "folder"}


def test_a_folder_that_is_held_is_looked_at_without_its_lock(healthy):
    with contextlib.closing(DataFolder.open(healthy)):
        code, checks = examined(healthy)

    assert (code, checks["in use"]["facts"]) == (0, {"in_use": True})


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


def test_settings_are_told_without_secrets(healthy):
    secret = "s" * 40
    done = run("doctor", "--data", healthy, "--json", host_key=secret, port="99")
    _, checks = examined(healthy, host_key=secret, port="99")

    assert checks["settings"]["facts"]["given"] == {
        "data": str(healthy),
        "host_key": "(set)",
        "port": "99",
    }
    assert checks["settings"]["facts"]["default"]["host"] == "127.0.0.1"
    assert secret not in done.out


def test_a_setting_that_cannot_be_used_is_a_problem(healthy):
    code, checks = examined(healthy, port="many")

    assert (code, problems(checks).keys()) == (1, {"settings"})
    assert "MEMORANDA_PORT" in checks["settings"]["said"]


def test_a_served_folder_and_its_server_are_both_well(server):
    folder = run("doctor", "--data", server.data)
    away = run("doctor", "--url", server.url, "--json", key=server.keys["doors"])

    assert (folder.code, folder.err) == (0, "")
    assert "a process has it open" in folder.out
    assert away.code == 0
    assert [(check["check"], check["status"]) for check in away.json["checks"]] == [
        ("server", "ok"),
        ("read models", "ok"),
        ("key", "ok"),
        ("clock", "ok"),
    ]


def test_a_key_is_looked_at_by_asking_with_it(server):
    none = run("doctor", "--url", server.url, "--json")
    wrong = run("doctor", "--url", server.url, "--json", key="mk_nobody")
    narrow = run("doctor", "--url", server.url, "--json", key=server.keys["writer"])

    assert [one.code for one in (none, wrong, narrow)] == [0, 1, 0]
    assert [one.json["checks"][2]["status"] for one in (none, wrong, narrow)] == [
        "note",
        "problem",
        "note",
    ]


def test_a_server_that_does_not_answer_is_a_problem():
    done = run("doctor", "--url", "http://127.0.0.1:1", "--json")
    both = run("doctor", "--url", "http://127.0.0.1:1", "--data", "d")

    assert (done.code, done.json["checks"][0]["check"]) == (1, "server")
    assert "memoranda serve" in done.json["checks"][0]["remedy"]
    assert (both.code, both.out) == (2, "")
