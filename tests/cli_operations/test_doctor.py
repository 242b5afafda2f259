"""doctor says what is wrong with a folder, or a server, and changes nothing."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest

from ops.data_folder import DataFolder
from ops.wiring import open_memoranda
from tests.cli_operations.patients import contents, examined, problems
from tests.cli_operations.running import run
from tests.erasure.world import Talk

pytestmark = pytest.mark.timeout(300)


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
    assert checks["read models"]["facts"]["positions"].keys() == {"records", "evidence", "bundles"}
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


def test_segments_that_are_damaged_are_a_note_and_made_anew(data):
    with contextlib.closing(open_memoranda(data)) as memoranda:
        talk = Talk(memoranda)
        talk.remember(content={"format": "text", "value": "a heron"})
        replace(memoranda.index.rounds, idle_seconds=-60).work_off()

    code, checks = examined(data)
    assert (code, checks["index"]["status"]) == (0, "ok")
    assert checks["index"]["facts"]["segments"] == 1

    [rows] = (data / "index").rglob("rows.npz")
    rows.write_bytes(b"")
    code, checks = examined(data)
    assert (code, checks["index"]["status"]) == (0, "note")
    assert checks["index"]["facts"]["damaged"] == 1

    assert run("rebuild", "--data", data).code == 0
    code, checks = examined(data)
    assert (checks["index"]["status"], checks["index"]["facts"]["segments"]) == ("ok", 0)
    with contextlib.closing(open_memoranda(data)) as memoranda:
        assert len(Talk(memoranda).recall("heron")["items"]) == 1

    (data / "index.db").write_bytes(b"garbage" * 1000)
    code, checks = examined(data)
    assert (code, checks["index"]["status"]) == (0, "note")
