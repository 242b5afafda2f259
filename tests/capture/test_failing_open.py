"""A hook never holds up the agent: it ends with 0, in time, and what it missed is posted later."""

from __future__ import annotations

import json
import time

import pytest

from tests.capture.logs import turn
from tests.capture.receiver import OVERLOADED, REFUSED, refusal
from tests.services.ports import free_port

WARNING = "warning: the session is not captured to its end"


def unreachable(capturing):
    capturing.receiver.url = f"http://127.0.0.1:{free_port()}"


@pytest.mark.parametrize(
    ("how", "status"),
    [
        ("drop", 3),
        ((401, refusal({"code": "AUTH_INVALID", "message": "no", "retryable": False})), 1),
        ((400, refusal(REFUSED)), 2),
        ((503, refusal(OVERLOADED)), 1),
        ((200, ["no object"]), 3),
        ((404, {"detail": "Not Found"}), 3),
    ],
)
def test_whatever_the_server_says_it_ends_with_0_and_the_next_run_makes_up_for_it(
    capturing, how, status
):
    capturing.receiver.misbehave = [how, how]
    capturing.write(turn("one"))

    strict, opened = capturing(), capturing("--fail-open")
    capturing()

    assert (strict.code, opened.code) == (status, 0)
    assert WARNING in opened.err
    assert WARNING not in strict.err
    assert [event["text"] for event in capturing.receiver.events] == ["one", "one: done."]


def test_without_a_server_it_ends_with_0(capturing):
    unreachable(capturing)
    capturing.write(turn("one"))

    assert capturing().code == 3
    assert capturing("--fail-open").code == 0


def test_it_waits_no_longer_than_it_was_told(capturing):
    capturing.receiver.misbehave = ["hang"]
    begun = time.monotonic()

    done = capturing.write(turn("one"))("--fail-open", "--timeout", "0.3")

    capturing.receiver.released.set()
    assert done.code == 0
    assert "it took longer than 0.3 s" in done.err
    assert time.monotonic() - begun < 10


def test_five_seconds_are_the_most_unless_it_is_told():
    from ops.cli_capture import Captured

    assert [
        Captured(hook=True).seconds,
        Captured(fail_open=True).seconds,
        Captured(hook=True, timeout=1).seconds,
        Captured().seconds,
    ] == [5, 5, 1, None]


@pytest.mark.parametrize(
    "said", [b"", b"{", b"[]", b"{}", b'{"hook_event_name":"Stop"}', b"\xff", b"x" * (9 << 20)]
)
def test_what_no_client_says_ends_with_0(capturing, said):
    done = capturing("--hook", stdin=said, log=False)

    assert done.code == 0
    assert WARNING in done.err


def test_a_missing_log_and_a_missing_key_end_with_0(capturing, tmp_path):
    call = {"hook_event_name": "Stop", "transcript_path": str(tmp_path / "none.jsonl")}

    assert capturing("--hook", stdin=json.dumps(call), log=False).code == 0
    assert capturing("--fail-open", "--api-key", "").code == 0


def test_a_folder_for_states_that_cannot_be_used_is_told(capturing):
    capturing.write(turn("one"))
    capturing.state.write_text("a file")

    done = capturing()

    assert done.code == 2
    assert "--state" in done.err
    assert capturing("--fail-open").code == 0


def test_an_unforeseen_failure_ends_with_0(capturing, monkeypatch):
    from ops.capture import running

    monkeypatch.setattr(running, "deliver", lambda *_: 1 / 0)
    capturing.write(turn("one"))

    done = capturing("--fail-open")

    assert done.code == 0
    assert "unexpected ZeroDivisionError" in done.err


def test_what_was_posted_before_it_failed_is_told(capturing):
    capturing.receiver.misbehave = [None, "drop"]
    capturing.write(*(turn(f"q{n}") for n in range(150)))

    done = capturing("--fail-open")

    assert done.out == "lines 1–200: 200 events, no_output\n"
    assert WARNING in done.err
