"""The recipes of docs/how-to/capture.md, run as they are written, by what the clients say."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from domain.errors import MemorandaError
from ops.capture.hooks import hook_call
from tests.capture.logs import CLAUDE, CODEX
from tests.capture.receiver import KEY
from tests.cli.processes import environment
from tests.docs.pages import ROOT, fences

pytestmark = pytest.mark.timeout(300)
PAGE = ROOT / "docs" / "how-to" / "capture.md"
BIN = Path(sys.executable).parent
SESSION = "019ab5c2-7f3e-7d21-9c44-5be0a1f6d3c8"
NOTIFIED = {
    "type": "agent-turn-complete",
    "thread-id": SESSION,
    "turn-id": "7",
    "cwd": "/srv/ana/src/tide-tables",
    "input-messages": ["Good."],
    "last-assistant-message": "The job runs at 03:15 UTC.",
}


def recipe(language):
    [text] = [text for kind, text in fences(PAGE) if kind == language]
    return text


def started(command, receiver, home, said=b""):
    """The program that the client starts, with its environment."""
    given = {"HOME": str(home), "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    settings = environment(key=KEY) | given
    done = subprocess.run(
        command, input=said, capture_output=True, env=settings, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == b""
    return done.stderr.decode()


def test_claude_code_starts_it_at_the_end_of_each_turn(receiver, tmp_path):
    settings = json.loads(recipe("json").replace("http://127.0.0.1:8420", receiver.url))
    log = tmp_path / "session.jsonl"
    shutil.copy(CLAUDE, log)
    call = {"session_id": "s", "transcript_path": str(log), "cwd": "/", "stop_hook_active": False}
    told = []

    for event in ("PreCompact", "Stop", "SessionEnd"):
        [[hook]] = [one["hooks"] for one in settings["hooks"][event]]
        said = json.dumps(call | {"hook_event_name": event}).encode()
        told.append(started(["sh", "-c", hook["command"]], receiver, tmp_path, said))

    assert set(settings["hooks"]) == {"PreCompact", "Stop", "SessionEnd"}
    assert [one["trigger"] for one in receiver.sent] == ["pre_compact", "stop"]
    assert "from line 31 on it waits" in told[0]
    assert told[2] == "nothing new\n"
    assert (tmp_path / ".local" / "state" / "memoranda" / "capture").is_dir()


def test_codex_starts_it_after_each_turn(receiver, tmp_path):
    notify = tomllib.loads(recipe("toml").replace("http://127.0.0.1:8420", receiver.url))["notify"]
    day = tmp_path / ".codex" / "sessions" / "2026" / "11" / "24"
    day.mkdir(parents=True)
    shutil.copy(CODEX, day / f"rollout-2026-11-24T09-12-01-{SESSION}.jsonl")

    started([*notify, json.dumps(NOTIFIED)], receiver, tmp_path)

    [window] = receiver.sent
    assert (window["trigger"], window["session_id"]) == ("agent_turn_complete", SESSION)
    assert len(window["events"]) == 18


def test_a_hook_of_codex_names_the_log_itself():
    call = hook_call(b'{"hook_event_name":"Stop","transcript_path":"/x/y.jsonl"}', Path("/none"))

    assert (call.log, call.trigger, call.turn_ended) == (Path("/x/y.jsonl"), "stop", True)


@pytest.mark.parametrize(
    ("event", "trigger", "ended"),
    [
        ("SessionEnd", "session_end", True),
        ("PreCompact", "pre_compact", False),
        ("UserPromptSubmit", "user_prompt_submit", False),
        ("SubagentStop", "subagent_stop", False),
    ],
)
def test_only_some_events_end_a_turn(event, trigger, ended):
    said = json.dumps({"hook_event_name": event, "transcript_path": "/x"}).encode()

    call = hook_call(said)

    assert (call.trigger, call.turn_ended) == (trigger, ended)


@pytest.mark.parametrize("session", [SESSION, "*", "../../x", "a/b", "", None, 7])
def test_a_session_that_has_no_log_is_told_and_names_no_other_file(tmp_path, session):
    day = tmp_path / "sessions" / "2026" / "11" / "24"
    day.mkdir(parents=True)
    (day / "rollout-2026-other.jsonl").touch()

    with pytest.raises(MemorandaError, match=r"log of session|names no log"):
        hook_call(json.dumps(NOTIFIED | {"thread-id": session}).encode(), tmp_path)


def test_the_latest_log_of_a_session_is_taken(tmp_path):
    for day in ("09", "10"):
        folder = tmp_path / "sessions" / "2026" / "11" / day
        folder.mkdir(parents=True)
        (folder / f"rollout-2026-11-{day}-{SESSION}.jsonl").touch()

    found = hook_call(json.dumps(NOTIFIED).encode(), tmp_path)

    assert re.search(r"rollout-2026-11-10-", found.log.name)
