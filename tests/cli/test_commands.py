"""The other commands as processes: what they print, where, and how they end."""

from __future__ import annotations

import json
import sqlite3
import sys

import pytest

from ops.wiring import open_memoranda
from tests.cli.processes import environment, memoranda, serving
from tests.importer.lines import memories, remember, written
from tests.services import fork_server

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def run(data):
    """A command on the data folder of the test."""

    def command(*arguments, **options):
        return memoranda(*arguments, "--data", data, **options)

    return command


def test_help_names_every_command():
    done = memoranda("--help")

    assert done.returncode == 0
    for name in ("serve", "keys", "import", "rebuild", "verify", "demo"):
        assert name in done.stdout


@pytest.mark.parametrize(
    "arguments", [["fly"], ["serve", "--nowhere"], ["import"], ["keys", "create"]]
)
def test_what_is_not_understood_ends_with_two(arguments):
    done = memoranda(*arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_a_new_key_is_all_that_is_printed_and_is_listed_without_itself(run, data):
    made = run("keys", "create", "--name", "laptop", "--permissions", "read, trace")
    listed = run("keys", "list")

    token = made.stdout.strip()
    assert made.returncode == 0
    assert token.startswith("mk_")
    assert token not in listed.stdout
    assert "laptop" in listed.stdout
    assert "read,trace" in listed.stdout
    with serving(data) as server, server.connect() as connection:
        connection.request("GET", "/v1/memories", headers={"Authorization": f"Bearer {token}"})
        assert connection.getresponse().status == 200
    assert len(server.lines) == 1


def test_a_revoked_key_stays_listed(run):
    made = json.loads(run("keys", "create", "--name", "k", "--json").stdout)

    revoked = run("keys", "revoke", made["key_id"])

    (listed,) = json.loads(run("keys", "list", "--json").stdout)
    assert revoked.returncode == 0
    assert listed["revoked_at"] is not None
    assert "token" not in listed


def test_a_host_key_is_bound_to_nobody(run):
    done = run("keys", "create", "--name", "host", "--permissions", "host", "--json")

    made = json.loads(done.stdout)
    assert (made["workspace"], made["actor"], made["permissions"]) == (None, None, ["host"])


@pytest.mark.parametrize(
    ("status", "arguments", "words"),
    [
        (2, ["create", "--name", "k", "--permissions", "fly"], "permissions must be among"),
        (2, ["create", "--name", "k", "--permissions", ","], "names nothing"),
        (2, ["create", "--name", " "], "name"),
        (1, ["create", "--name", "k", "--workspace", "system"], "system"),
        (2, ["create", "--name", "k", "--actor", " "], "--actor"),
        (2, ["create", "--name", "k", "--expires-at", "tomorrow"], "expires_at"),
        (1, ["revoke", "key_nothing"], "not here"),
    ],
)
def test_a_key_that_cannot_be_is_refused_with_the_remedy(run, status, arguments, words):
    done = run("keys", *arguments)

    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith("error: ")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_an_import_reports_what_it_did_and_names_what_it_refused(run, tmp_path):
    path = written(tmp_path / "lines.jsonl", [remember("a"), b"x\n", remember("b")])

    first = run("import", path)
    again = run("import", path)

    assert first.returncode == again.returncode == 1
    assert first.stdout == "3 lines: 2 accepted (0 of them known before), 1 refused\n"
    assert again.stdout == "3 lines: 2 accepted (2 of them known before), 1 refused\n"
    assert "line 2: INVALID_REQUEST: the body is not JSON" in first.stderr
    assert "lines.jsonl.refused.jsonl" in first.stderr


def test_an_import_without_refusals_ends_well_and_speaks_to_machines(run, tmp_path):
    path = written(tmp_path / "lines.jsonl.gz", [remember("a")], packed=True)

    done = run("import", path, "--workspace", "w", "--actor", "ann", "--json")

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "lines": 1,
        "accepted": 1,
        "replayed": 0,
        "refused": 0,
        "refusals": [],
        "refused_file": None,
    }


@pytest.mark.parametrize(
    ("status", "arguments", "words"),
    [
        (1, ["missing.jsonl"], "missing.jsonl cannot be read"),
        (1, ["x", "--workspace", "system"], "system"),
        (2, ["x", "--actor", ""], "--actor"),
    ],
)
def test_an_import_that_cannot_begin_says_why(run, status, arguments, words):
    done = run("import", *arguments)

    assert (done.returncode, done.stdout) == (status, "")
    assert words in done.stderr


def test_read_models_are_rebuilt_from_the_log(run, data, tmp_path):
    run("import", written(tmp_path / "lines.jsonl", [remember("a")]), "--actor", "cli:tests")
    (data / "views.db").unlink()

    rebuilt = run("rebuild")

    assert (rebuilt.returncode, rebuilt.stdout) == (
        0,
        "the read models stand at position 3\n",
    )
    store = open_memoranda(data)
    assert memories(store).keys() == {"a"}
    store.close()


def test_a_whole_store_is_verified_and_a_changed_byte_is_named(run, data, tmp_path):
    run("import", written(tmp_path / "lines.jsonl", [remember("a")]))

    whole = run("verify")
    with sqlite3.connect(data / "log.db") as log:
        named = log.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (trigger,) in named:
            log.execute(f"DROP TRIGGER {trigger}")
        log.execute("UPDATE event SET topic = 'memory.revised' WHERE position = 2")
    log.close()
    changed = run("verify", "--json")

    assert (whole.returncode, whole.stderr) == (0, "")
    assert whole.stdout.startswith("3 events verified, 0 wrong; payloads: 2 opened")
    assert changed.returncode == 1
    assert json.loads(changed.stdout)["findings"][0]["position"] == 2


def test_what_cannot_be_verified_ends_with_two(run):
    done = run("verify")

    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be verified" in done.stderr


FAILING = """
from ops.cli import app, main

@app.command()
def fail():
    raise {error}

main()
"""


def failing(error, **settings):
    return fork_server.finished(
        [sys.executable, "-c", FAILING.format(error=error), "fail"],
        check=False,
        capture_output=True,
        text=True,
        env=environment(**settings),
    )


def test_an_unforeseen_failure_shows_where_to_those_who_ask():
    plain = failing("KeyError('canary')")
    debugging = failing("KeyError('canary')", debug="1")

    assert (plain.returncode, debugging.returncode) == (1, 1)
    assert plain.stderr.startswith("error: unexpected KeyError: set MEMORANDA_DEBUG=1")
    assert "canary" not in plain.stderr
    assert "Traceback" in debugging.stderr


def test_a_failure_of_the_system_names_the_file():
    done = failing("OSError(28, 'No space left on device', 'log.db')")

    assert done.stderr == "error: No space left on device (log.db)\n"
