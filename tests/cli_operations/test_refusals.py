"""What cannot be done is told on standard error: code, field, remedy, and an exit status."""

from __future__ import annotations

import contextlib
import json
import socket
import sqlite3
import threading

import pytest

from tests.cli_operations.running import Local, run
from tests.services.ports import free_port

pytestmark = pytest.mark.timeout(300)


def test_a_folder_that_a_server_has_open_is_refused_with_the_way_around(server):
    local = Local(server.data)

    plain = local("recall", "anything")
    machine = local("recall", "anything", "--json")

    assert (plain.code, plain.out, machine.code, machine.out) == (1, "", 1, "")
    assert plain.err.startswith("error: STORE_UNAVAILABLE: ")
    assert "in use by another process" in plain.err
    assert "--url" in plain.err
    assert machine.error["code"] == "STORE_UNAVAILABLE"


def test_a_question_in_the_wrong_folder_makes_no_store_there(local, data):
    done = local("recall", "anything")

    assert (done.code, done.out) == (1, "")
    assert "there is no store" in done.err
    assert not data.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["remember"], "nothing to remember"),
        (["remember", " "], "content.value is blank"),
        (["remember", "x", "--property", "color"], "NAME=TEXT"),
        (["remember", "x", "--property", "=red"], "NAME=TEXT"),
        (["remember", "x", "--property", "a=1", "--property", "a=2"], "given twice"),
        (["remember", "x", "--properties", "{"], "--properties is not JSON"),
        (["remember", "x", "--properties", '{"a": 1, "a": 2}'], "names a key twice"),
        (["remember", "x", "--properties", "[1]", "--slot", "s"], "must be an object"),
        (["remember", "--properties", "[1]"], "content"),
        (["remember", "x", "--source", " "], "provenance.0.source_id"),
        (["remember", "x", "--valid-from", "2026-01-01"], "TIMESTAMP_NAIVE"),
        (["remember", "x", "--idempotency-key", " "], "idempotency_key"),
        (["remember", "x", "--workspace", " "], "--workspace"),
        (["remember", "x", "--actor", ""], "--actor"),
        (["remember", "x", "--session", "a\nb"], "SESSION_FORMAT"),
        (["remember", "x", "--url", "127.0.0.1:8420"], "--url must be"),
        (["remember", "x", "--url", "http://[::1"], "--url must be"),
        (["remember", "x", "--url", "http://localhost:port"], "--url must be"),
        (["remember", "x", "--url", "http://localhost?x=1"], "--url must be"),
        (["remember", "x", "--url", "http://localhost"], "MEMORANDA_KEY"),
        (["remember", "x", "--url", "http://localhost", "--api-key", "a b"], "visible ASCII"),
        (["remember", "x", "--url", "http://localhost", "--data", "d"], "--data is for the local"),
        (["remember", "x", "--url", "http://localhost", "--actor", "a"], "--actor is for the loc"),
        (["remember", "x", "--mode", "y"], "No such option"),
        (["relate", "mem_a", "mem_b"], "--kind"),
        (["forget", "mem_a", "--mode", "shred", "--reason", "x"], "--mode"),
        (["recall"], "QUESTION"),
        (["log", "-n", "201"], "200"),
    ],
)
def test_what_is_not_understood_ends_with_two_and_does_nothing(data, arguments, words):
    done = run(*arguments, data=str(data))

    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert "Traceback" not in done.err
    assert not (data / "log.db").exists()


def test_machines_get_code_field_and_reason(local):
    done = local("remember", "x", "--valid-from", "2026-01-01", "--json")

    assert done.error["code"] == "INVALID_REQUEST"
    assert (done.error["field"], done.error["reason"]) == ("valid_from", "TIMESTAMP_NAIVE")


def test_standard_input_is_text_in_utf_8_as_it_is(local):
    kept = local("remember", "-", "--json", stdin="two\r\n\nlines \n")
    empty = local("remember", "-", stdin="")
    broken = local("remember", "-", stdin=b"\xff\xfe")

    assert kept.result["record"]["content"]["value"] == "two\r\n\nlines "
    assert (empty.code, broken.code) == (2, 2)
    assert "content.value is blank" in empty.err
    assert "NOT_UTF8" in broken.err


def test_what_is_no_text_is_refused_by_both_doors_alike(remote, local):
    here, away = (door("remember", "\udcff", "--json") for door in (local, remote))

    assert (here.code, away.code) == (2, 2)
    assert here.error == away.error
    assert here.error["reason"] == "LONE_SURROGATE"


def test_a_refusal_of_the_store_ends_with_one(remote, local):
    for door in (remote, local):
        made = door("remember", "x", "--json").result["record"]["id"]
        late = door("update", made, "--expected-version", "7", "--confidence", "1", "--json")
        plain = door("update", made, "--expected-version", "7", "--confidence", "1")

        assert (late.code, plain.code) == (1, 1)
        assert late.error["current_version"] == 1
        assert plain.err.startswith("error: VERSION_CONFLICT (expected_version): expected_version")


def test_a_key_that_is_unknown_or_may_not_is_refused_by_the_server(server):
    unknown = run("recall", "x", "--url", server.url, "--api-key", "mk_nobody", "--json")
    writer = run("recall", "x", "--url", server.url, "--json", key=server.keys["writer"])
    log = run("log", "--url", server.url, "--json", key=server.keys["writer"])

    assert [one.code for one in (unknown, writer, log)] == [1, 1, 1]
    assert unknown.error["code"] == "AUTH_INVALID"
    assert writer.error["code"] == log.error["code"] == "PERMISSION_DENIED"
    assert "trace" in log.error["message"]


def test_the_option_wins_over_the_environment(server):
    done = run("log", "--url", server.url, "--api-key", server.keys["doors"], key="mk_nobody")

    assert done.code == 0


def test_a_server_that_is_not_there_ends_with_three(server):
    url = f"http://127.0.0.1:{free_port()}"

    plain = run("remember", "x", "--url", url, "--api-key", "k")
    machine = run("log", "--url", url, "--api-key", "k", "--json")

    assert (plain.code, plain.out, machine.code) == (3, "", 3)
    assert "memoranda serve" in plain.err
    assert "--idempotency-key" not in plain.err
    assert machine.error["code"] == "UNREACHABLE"


@contextlib.contextmanager
def answering(said):
    """Something that listens, reads a request and says this."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer():
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as request:
                length = 0
                while (line := request.readline()).strip():
                    name, _, value = line.partition(b":")
                    length = int(value) if name.lower() == b"content-length" else length
                request.read(length)
                connection.sendall(said)

        answering = threading.Thread(target=answer)
        answering.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        answering.join()


PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<ht>"
OTHER = b'HTTP/1.1 404 Not Found\r\nContent-Length: 16\r\n\r\n{"error": "gone"'
NO_ERROR = b"HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\n{}"
BUSY = (
    b"HTTP/1.1 503 Busy\r\nContent-Length: 84\r\n\r\n"
    b'{"ok": false, "error": {"code": "OVERLOADED", "message": "wait", "retryable": true}}'
)


@pytest.mark.parametrize("said", [b"", PAGE, OTHER, NO_ERROR])
def test_what_answers_but_is_no_memoranda_ends_with_three_and_the_key_to_repeat(said):
    with answering(said) as url:
        done = run("remember", "x", "--url", url, "--api-key", "k", "--idempotency-key", "again")

    assert (done.code, done.out) == (3, "")
    assert "--idempotency-key again" in done.err


def test_a_command_that_may_have_happened_tells_the_key_that_was_made_for_it():
    with answering(BUSY) as url:
        plain = run("remember", "x", "--url", url, "--api-key", "k")
    with answering(BUSY) as url:
        machine = run("remember", "x", "--url", url, "--api-key", "k", "--json")

    assert (plain.code, machine.code) == (1, 1)
    assert "--idempotency-key cli-" in plain.err
    assert json.loads(machine.err)["idempotency_key"].startswith("cli-")
    assert machine.error["retryable"] is True


@pytest.mark.parametrize("command", [("trace", "k"), ("log",)])
def test_a_damaged_event_is_told_with_what_finds_all_of_them(local, data, command):
    local("remember", "x", "--idempotency-key", "k")
    change_a_byte(data / "log.db", position=2)

    done = local(*command, "--json")

    assert (done.code, done.out) == (1, "")
    assert done.error["code"] == "INTERNAL"
    assert "memoranda verify" in done.error["message"]


def change_a_byte(file, position):
    with contextlib.closing(sqlite3.connect(file)) as log, log:
        for (trigger,) in log.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            log.execute(f"DROP TRIGGER {trigger}")
        log.execute(
            "UPDATE event SET state = cast(substr(state, 1, length(state) - 1) || x'00' AS BLOB)"
            " WHERE position = ?",
            (position,),
        )


@pytest.mark.parametrize(
    "arguments",
    [
        ("stats", "--data", "x"), ("stats", "--workspace", "w"), ("verify", "--data", "x"),
        ("rebuild", "--data", "x"), ("rebuild", "--drop-older"), ("keys", "list", "--data", "x"),
        ("rebuild", "--without-comparing"), ("parked", "list", "--data", "x"),
        ("import", "x", "--data", "x"), ("doctor", "--data", "x"),
    ],
)  # fmt: skip
def test_an_option_of_a_folder_is_refused_with_a_server(server, arguments):
    done = run(*arguments, "--url", server.url, "--json", key=server.keys["doors"])

    assert (done.code, done.out) == (2, "")
    assert done.error["field"] == next(one for one in arguments if one.startswith("--"))


@pytest.mark.parametrize("command", [("stats",), ("verify",), ("keys", "list"), ("import", "x")])
def test_what_operators_ask_needs_a_key_and_a_server(server, command):
    without = run(*command, "--url", server.url, "--json")
    nowhere = run(*command, "--url", "nowhere", "--json", key="k")

    assert (without.code, without.error["field"]) == (2, "--api-key")
    assert (nowhere.code, nowhere.error["field"]) == (2, "--url")
