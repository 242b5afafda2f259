"""Each part of a log is posted once, whatever happens between two runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ops.cli_capture import Captured, _store
from tests.capture.logs import CLAUDE, CODEX, asks, calls, codex, results, told, turn
from tests.capture.receiver import FAILED, KEY, OVERLOADED, REFUSED, refusal

PROPOSAL = {
    "action": "create_new_concept",
    "concept_type": "convention",
    "title": "Time zones",
    "claim_text": "The user said that jobs run in UTC.",
    "durable_claim": {"rule": "Jobs run in UTC", "scope": "scheduled jobs"},
    "memory_type": "convention",
    "tags": [],
    "confidence": 0.9,
    "citations": [],
    "primary_evidence_ids": ["E1"],
    "reason": "the user said so",
}


def texts(receiver):
    return [event["text"] for event in receiver.events if event["actor"] == "user"]


def test_a_session_is_posted_with_the_key_to_the_route_of_windows(capturing):
    done = capturing.write(turn("one"), turn("two"))()

    assert (done.code, done.err) == (0, "")
    assert done.out == "lines 1–4: 4 events, no_output\n"
    assert capturing.receiver.requests == [("/v1/agent-sessions/windows", f"Bearer {KEY}")]
    [window] = capturing.receiver.sent
    assert window["trigger"] == "manual"
    assert window["history_window"] == {"kind": "lines", "start": 1, "end": 4}


def test_again_it_posts_only_what_is_new(capturing):
    capturing.write(turn("one"))()

    nothing = capturing()
    capturing.write(turn("two"))
    more = capturing()

    assert nothing.out == "nothing new\n"
    assert more.out == "lines 3–4: 2 events, no_output\n"
    assert texts(capturing.receiver) == ["one", "two"]


@pytest.mark.parametrize("how", ["lose", "drop", (503, refusal(OVERLOADED))])
def test_after_a_lost_answer_the_same_bytes_are_sent_though_the_log_has_grown(capturing, how):
    capturing.receiver.misbehave = [how]
    lost = capturing.write(turn("one"))()
    capturing.write(turn("two"))

    again = capturing("--json")

    first, second, _ = capturing.receiver.bodies
    assert lost.code == (1 if isinstance(how, tuple) else 3)
    assert first == second
    assert texts(capturing.receiver) == ["one", "two"]
    assert [one["idempotent"] for one in again.json["windows"]] == [how == "lose", False]


def test_a_run_that_broke_off_in_the_middle_goes_on_there(capturing):
    capturing.receiver.misbehave = [None, "drop"]
    capturing.write(*(turn(f"q{n}") for n in range(250)))

    broken = capturing()
    capturing()

    assert broken.code == 3
    assert broken.out.startswith("lines 1–200: 200 events")
    assert texts(capturing.receiver) == [f"q{n}" for n in range(250)]
    assert len(capturing.receiver.windows) == 3


def test_a_log_of_many_windows_is_posted_once(capturing):
    capturing.write(*(turn(f"q{n}") for n in range(450)))()

    assert texts(capturing.receiver) == [f"q{n}" for n in range(450)]
    assert [len(one["events"]) for one in capturing.receiver.sent] == [200, 200, 200, 200, 100]


def test_a_window_that_is_refused_is_cut_from_the_log_again(capturing):
    capturing.receiver.misbehave = [(400, refusal(REFUSED))]
    refused = capturing.write(turn("one"))()
    capturing.write(turn("two"))

    capturing()

    assert refused.code == 2
    assert "branch is too long" in refused.err
    assert capturing.receiver.sent[1]["history_window"]["end"] == 4


def test_a_part_that_is_refused_for_good_can_be_left_out(capturing):
    capturing.receiver.misbehave = [(400, refusal(REFUSED))]
    capturing.write(turn("one"), turn("two"))()

    assert capturing("--since", "3").code == 0
    assert texts(capturing.receiver) == ["two"]


def test_since_never_sends_again_what_was_posted(capturing):
    capturing.write(turn("one"))()

    assert capturing("--since", "1").out == "nothing new\n"


def test_a_torn_line_and_rubbish_are_told_and_a_torn_one_is_read_when_it_is_whole(capturing):
    last = turn("two")
    capturing.write(turn("one"), b"\xff\x00\x1b[2J\n", last[:50])

    first = capturing("--json").json
    capturing.write(last[50:])
    capturing()

    assert (first["unreadable_lines"], first["torn_last_line"]) == (1, True)
    assert texts(capturing.receiver) == ["one", "two"]


def test_a_turn_that_is_not_answered_waits_and_is_sent_whole(capturing):
    waiting = capturing.write(turn("one"), asks("two"), calls(command="ls"))("--json").json
    capturing.write(results("x"), turn("three"))
    capturing()

    assert waiting["waiting_from_line"] == 3
    assert [len(window["events"]) for window in capturing.receiver.sent] == [2, 5]


def test_what_codex_said_at_the_beginning_is_known_in_later_runs(capturing):
    meta = codex("session_meta", {"id": "s-1", "cwd": "/x", "git": {"branch": "b"}})
    agent = codex("event_msg", {"type": "error", "message": "stop"})
    capturing.write(meta, told("one"), agent)(client="codex")
    capturing.write(told("two"), agent)(client="codex")

    assert {(one["session_id"], one["branch"]) for one in capturing.receiver.sent} == {("s-1", "b")}


def test_another_log_under_the_same_name_begins_at_its_beginning(capturing):
    capturing.write(turn("one"), turn("two"))()
    capturing.log.unlink()
    # As long as the first one up to there, so that a line ends where that was read to.
    longer = capturing.write(turn("1st"), turn("2nd"), turn("3rd"))()
    capturing.log.unlink()
    shorter = capturing.write(turn("short"))()

    assert (longer.code, shorter.code) == (0, 0)
    assert texts(capturing.receiver) == ["one", "two", "1st", "2nd", "3rd", "short"]


def test_another_server_gets_all_of_it(capturing):
    capturing.write(turn("one"))()
    capturing.receiver.url = capturing.receiver.url.replace("127.0.0.1", "localhost")
    capturing()

    assert len(capturing.receiver.bodies) == 2


def test_states_are_of_a_store_and_of_whom_they_are_posted_for_and_hold_no_password(monkeypatch):
    addresses = {"DATABASE_URL": "postgresql://ana:hunter2@db:5432/m", "REDIS_URL": "redis://r"}
    here = _store(Captured(data=Path("/d"), workspace="w", actor="ana"))
    for name, value in (addresses | {"MASTER_KEY": "0" * 64}).items():
        monkeypatch.setenv(f"MEMORANDA_{name}", value)

    assert here == "/d w ana"
    assert _store(Captured(actor="bo")) == "postgresql://db:5432/m bo"
    assert _store(Captured(url="http://h:1")) == "http://h:1"


def test_a_dry_run_prints_what_would_be_sent_and_sends_and_keeps_nothing(capturing):
    capturing.write(turn("one"))
    shown = capturing("--dry-run")
    again = capturing("--dry-run")

    assert not capturing.state.exists()
    capturing()
    assert shown.out == again.out
    assert [json.loads(shown.out)] == capturing.receiver.sent
    assert capturing("--dry-run").out == ""


def test_proposals_go_with_the_last_window_once(capturing, tmp_path):
    file = tmp_path / "proposals.json"
    file.write_text(json.dumps([PROPOSAL]))
    capturing.receiver.misbehave = [None, "lose"]
    capturing.write(*(turn(f"q{n}") for n in range(150)))
    capturing("--proposals", file)
    capturing.write(turn("more"))

    again = capturing("--proposals", file)
    none = capturing("--proposals", file)

    sent = [one.get("proposals") for one in capturing.receiver.sent]
    assert sent == [None, [PROPOSAL], [PROPOSAL], None]
    assert "lines 201–300: 100 events, knowledge_patched, known before" in again.out
    assert (none.code, "there is no window for the proposals" in none.err) == (2, True)


@pytest.mark.parametrize(
    "text", ["{}", "[{}]", "no json", json.dumps([PROPOSAL | {"owner": "x"}]), "[" * 99]
)
def test_proposals_are_checked_before_anything_is_sent(capturing, tmp_path, text):
    file = tmp_path / "proposals.json"
    file.write_text(text)

    assert capturing.write(turn("one"))("--proposals", file).code == 2
    assert capturing.receiver.bodies == []


def test_a_window_whose_proposals_failed_is_recorded_and_told(capturing):
    capturing.receiver.misbehave = [FAILED]
    failed = capturing.write(turn("one"))()

    assert failed.code == 1
    assert "outcome parse_failed" in failed.out
    assert capturing().out == "nothing new\n"


def test_a_state_that_cannot_be_used_is_named(capturing):
    capturing.write(turn("one"))()
    [file] = capturing.state.glob("*.json")
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_text('{"version": 2}')

    done = capturing()

    assert done.code == 2
    assert str(file) in done.err
    assert len(capturing.receiver.bodies) == 1


@pytest.mark.parametrize("since", ["yesterday", "-1", "2026-11-25", "2026-11-25T00:00:00", "٣"])
def test_what_is_no_line_and_no_time_is_refused(capturing, since):
    assert capturing.write(turn("one"))("--since", since).code == 2
    assert capturing.receiver.bodies == []


def test_what_cannot_be_read_is_named(capturing, tmp_path):
    assert "cannot be read" in capturing().err
    capturing.log = tmp_path
    assert capturing().code == 2
    assert "SESSION.jsonl is missing" in capturing(log=False).err


def test_a_log_whose_name_is_no_text_is_captured(capturing, tmp_path):
    capturing.log = tmp_path / "\udcff.jsonl"
    capturing.write(turn("one"))

    assert [capturing().code, capturing().out] == [0, "nothing new\n"]


@pytest.mark.parametrize(("log", "client"), [(CODEX, "codex"), (CLAUDE, "claude-code")])
def test_whole_sessions_grow_and_nothing_is_lost_or_doubled(capturing, log, client):
    capturing.log.touch()
    lines = log.read_bytes().splitlines(keepends=True)
    for at in range(0, len(lines), 3):
        capturing.write(*lines[at : at + 3])
        assert capturing(client=client).code == 0
    capturing("--finished", client=client)
    grown = capturing.receiver.events

    capturing.receiver.windows.clear()
    capturing.state = capturing.state.with_name("other")
    capturing("--finished", client=client)

    assert grown == capturing.receiver.events
