"""No secret of a log leaves the machine or stays in the state, by the bytes that are sent."""

from __future__ import annotations

import json
import re

import pytest

from ops.capture.windows import END_CHARACTERS, sized
from tests.bundles.secrets import secrets
from tests.capture import reads
from tests.capture.logs import answers, asks, calls, claude, codex, item, results, told

PADDING = "x" * 1990
SECRETS = {one.kind: one for one in secrets(20261130)}


def in_claude(text, secret):
    """A session of Claude Code with it in every place."""
    todo = {"todos": [{"content": text}], "password": secret, text: "key"}
    return [
        asks(text, cwd=f"/none/{text}", gitBranch=text, sessionId=text),
        answers(text),
        calls(command=f"echo '{text}'"),
        results(text),
        calls("Edit", "t2", file_path=text, old_string=text, new_string=text),
        calls("TodoWrite", "t3", **todo),
        calls(text, "t4", deep={"er": [text]}),
        results([{"type": "text", "text": f"{PADDING}\n{text}\n{PADDING}"}], "t3"),
        results(text, "t4", is_error=True),
        answers(text, isApiErrorMessage=True),
        claude("user", f"<bash-input>{text}</bash-input>"),
        asks(f"{PADDING}\n{text}\n{PADDING}"),
        claude("assistant", [{"type": "thinking", "thinking": text}]),
        answers(),
    ]


def in_codex(text, secret):
    """A session of Codex with it in every place."""
    git = {"repository_url": text, "branch": text, "commit_hash": text}

    def call(kind, **more):
        return codex("response_item", {"type": kind, "call_id": "c"} | more)

    return [
        codex("session_meta", {"id": text, "cwd": f"/none/{text}", "git": git}),
        item("user", text),
        told(text),
        call("function_call", name="shell", arguments=json.dumps({"command": ["sh", text]})),
        call("function_call_output", output=json.dumps({"output": text, "metadata": {}})),
        call("function_call", name=text, arguments=json.dumps({"password": secret, "a": [text]})),
        call("function_call_output", output={"content": text, "success": False}),
        call("custom_tool_call", name="apply_patch", input=f"{PADDING}\n{text}\n{PADDING}"),
        call("local_shell_call", action={"type": "exec", "command": ["curl", text]}),
        codex("event_msg", {"type": "error", "message": text}),
        codex("response_item", {"type": "reasoning", "summary": [{"text": text}]}),
        item("assistant", text),
    ]


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize(("client", "session"), [("claude-code", in_claude), ("codex", in_codex)])
def test_no_secret_in_any_place_is_sent_or_kept(capturing, tmp_path, client, session, kind):
    _, text, parts = SECRETS[kind]
    proposals = tmp_path / "proposals.json"
    proposals.write_text(json.dumps([{"action": "no_output", "reason": text, "tags": [text]}]))
    capturing.receiver.misbehave = ["lose"]
    asked = ("--proposals", proposals, "--trigger", text, "--finished")

    lost = capturing.write(*session(text, parts[0]))(*asked, client=client)

    [kept] = [file for file in capturing.state.iterdir() if file.suffix == ".json"]
    shown = capturing("--dry-run", client=client)
    done = capturing(*asked, "--json", client=client)
    events = capturing.receiver.events
    assert (lost.code, done.code, len(capturing.receiver.bodies)) == (3, 0, 2)
    assert len(events) >= 9
    assert sum("[redacted:" in one["text"] for one in events) >= 6
    for place in (*capturing.receiver.bodies, kept.read_bytes(), shown.out, done.out, done.err):
        told_there = place if isinstance(place, str) else place.decode()
        assert not any(part in told_there for part in parts)


@pytest.mark.parametrize("kind", SECRETS)
def test_no_part_of_a_secret_at_the_cut_of_a_long_text_is_sent(kind):
    _, text, parts = SECRETS[kind]
    tails = [part[len(part) // 2 :] for part in parts]
    for shift in (1, len(text) // 3, len(text) // 2, len(text) - 2):
        begin = f"{'x' * (END_CHARACTERS - shift - 1)} {text} "
        end = f" {text} {'z' * (END_CHARACTERS - shift - 1)}"
        [event] = reads.in_claude(asks(begin + "y" * END_CHARACTERS + end))

        sent = sized(event).wire["text"]

        assert len(sent) <= 4000
        assert not any(tail[at : at + 6] in sent for tail in tails for at in range(len(tail) - 5))


def test_of_a_long_text_begin_and_end_are_sent_and_what_is_missing_is_counted():
    [event] = reads.in_claude(asks("b" * 1000 + " x" * 500_000 + " " + "e" * 1000))
    text = sized(event).wire["text"]

    missing = int(re.search(r"\[… (\d+) characters cut …\]", text)[1])
    assert text.startswith("b" * 1000)
    assert text.endswith("e" * 1000)
    assert abs(missing + len(text) - len(event.text)) < 50


@pytest.mark.parametrize("text", [" " * 50_000 + "x", "x" + "\n" * 50_000, "x" * 50_000])
def test_long_texts_of_blanks_or_without_any_are_cut(text):
    [event] = reads.in_claude(asks(text))

    assert 3900 < len(sized(event).wire["text"]) <= 4000


def test_what_was_redacted_is_told_by_kind_and_number(capturing):
    text = SECRETS["github"].text

    done = capturing.write(asks(text), answers())()

    assert "redacted before it was sent: " in done.out
    assert " 1\n" in done.out
