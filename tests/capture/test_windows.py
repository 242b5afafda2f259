"""Windows hold all events once, in order, within their limits, and end between turns."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.bundles.window_body import parse_window
from domain.canonical import canonical
from domain.instants import parse_instant
from ops.capture.events import LogEvent, Session
from ops.capture.lines import START, Place
from ops.capture.reading import Asked, Reading, Since
from ops.capture.windows import BYTES_MAX, EVENTS_MAX, Windows
from tests.capture.logs import CLAUDE, CODEX, answers, asks, calls, claude, results, turn

NOW = "2026-11-30T00:00:00Z"
SAID = {"schema_version": "agent-session-window/v1", "client": "c", "session_id": "s",
        "trigger": "t", "workspace": "w"}  # fmt: skip
LARGEST = "\0" * 4000


def reading(data, client="claude-code", *, since=None, whole=False, start=START):
    asked = Asked(Path("/x/log.jsonl"), client, "manual", since or Since(), whole)
    now = parse_instant(NOW, "now")
    return Reading(asked, io.BytesIO(data), start, Session(), now)


def lines_of(data, **how):
    return [window.lines for window in reading(data, **how)]


def event(line, kind="assistant_message", text="x", *, begins=False):
    actor = "user" if kind == "user_message" else "assistant"
    return LogEvent(Place(line * 10, line), kind, actor, text, begins_turn=begins)


events = st.lists(
    st.tuples(
        st.booleans(),
        st.one_of(
            st.tuples(st.just("x"), st.integers(min_value=1, max_value=120)),
            st.tuples(st.just(LARGEST), st.integers(min_value=1, max_value=12)),
        ),
    ),
    max_size=7,
)


@settings(max_examples=30)
@given(events, st.booleans())
def test_windows_hold_all_events_once_in_order_within_their_limits(parts, whole):
    given_events = []
    for begins, (text, many) in parts:
        for number in range(many):
            kind = "user_message" if begins and number == 0 else "tool_call"
            given_events.append(
                event(len(given_events) + 1, kind, text, begins=kind == "user_message")
            )
    end = Place(10 * len(given_events) + 10, len(given_events) + 1)
    packer = Windows(SAID, NOW)

    made = [window for one in given_events for window in packer.add(one)]
    made += packer.end(end, whole=whole)

    held = [one["line"] for window in made for one in window.body["events"]]
    reached = packer.waiting.line if packer.waiting is not None else end.line
    assert held == list(range(1, reached))
    begins = {one.place.line for one in given_events if one.begins_turn}
    borders = [*(window.lines[0] for window in made[1:]), reached]
    for window, border in zip(made, borders, strict=False):
        assert len(window.body["events"]) <= EVENTS_MAX
        assert len(canonical(window.body)) <= BYTES_MAX
        assert window.next.line == border
        assert window.cut_turn or window.next.line in {*begins, end.line}
        parse_window(window.body)


def test_a_window_takes_turns_until_the_next_does_not_fit():
    data = b"".join(turn(f"q{n}", second=n % 50) for n in range(150))

    assert lines_of(data) == [(1, 200), (201, 300)]


def test_a_turn_that_is_larger_alone_is_cut_between_events_and_says_so():
    long = asks("Go.") + b"".join(calls(call_id=f"t{n}", command="ls") for n in range(250))
    data = turn("before") + long + answers() + turn("after")

    windows = list(reading(data))

    assert [(one.lines, one.cut_turn) for one in windows] == [
        ((1, 2), False),
        ((3, 202), True),
        ((203, 254), True),
        ((255, 256), False),
    ]


def test_a_line_of_very_many_events_is_cut_inside_and_goes_on_there():
    blocks = [{"type": "text", "text": f"part {n}"} for n in range(450)]
    data = asks("Go.") + claude("assistant", blocks)
    windows = list(reading(data))

    again = list(reading(data, start=windows[0].next))

    assert [one.lines for one in windows] == [(1, 2), (2, 2), (2, 2)]
    assert windows[0].next == Place(len(asks("Go.")), 2, 199)
    assert [one.body["events"] for one in again] == [one.body["events"] for one in windows[1:]]


def test_a_turn_without_an_answer_waits_unless_the_session_is_over():
    data = turn("one") + asks("two") + calls(command="ls")
    log = reading(data)

    assert [one.lines for one in log] == [(1, 2)]
    assert log.waiting.line == 3
    assert lines_of(data, whole=True) == [(1, 4)]
    assert lines_of(data + results("x", is_error=True)) == [(1, 2)]
    assert lines_of(data + answers(isSidechain=True)) == [(1, 2)]
    assert lines_of(data + results("x") + answers()) == [(1, 6)]


def test_what_comes_before_the_first_question_is_not_lost():
    assert lines_of(answers("late") + turn("next")) == [(1, 3)]


@pytest.mark.parametrize(
    ("since", "lines"),
    [
        ("1", [(1, 6)]),
        ("2", [(3, 6)]),
        ("3", [(3, 6)]),
        ("99", []),
        ("2026-11-25T14:03:10Z", [(3, 6)]),
        ("2026-11-25T15:03:10+01:00", [(3, 6)]),
        ("2026-11-25T14:03:10.200Z", [(5, 6)]),
    ],
)
def test_turns_that_began_before_are_left_out(since, lines):
    data = turn("one", 1) + turn("two", 10) + turn("three", 20)

    assert lines_of(data, since=Since.of(since)) == lines


def test_a_window_is_observed_when_its_last_event_was_and_never_in_the_future():
    data = turn("one", 1) + asks("two", timestamp=None) + answers(timestamp="2099-01-01T00:00:00Z")

    past, none, ahead = (
        next(iter(reading(part))).body
        for part in (turn("one", 1), asks("a", timestamp=1) + answers(timestamp=""), data)
    )

    assert past["observed_at"] == "2026-11-25T14:03:01.500000Z"
    assert "observed_at" not in none
    assert ahead["observed_at"] == "2026-11-30T00:00:00.000000Z"


def test_texts_are_redacted_before_they_are_cut():
    secret = "gh" + "p_" + "0aB1" * 9
    [window] = reading(turn("x" * 1979 + f" {secret} " + "y" * 3000))

    assert secret[:12] not in canonical(window.body).decode()
    assert window.redactions


@pytest.mark.parametrize(("log", "client"), [(CODEX, "codex"), (CLAUDE, "claude-code")])
def test_whole_sessions_make_windows_that_the_server_takes(log, client):
    [window] = reading(log.read_bytes(), client, whole=True)

    taken = parse_window(window.body)

    assert (taken.client, taken.workspace) == (client, "/srv/ana/src/tide-tables")
    assert taken.branch == "scheduler"


def test_names_without_end_are_cut_to_what_the_server_takes():
    far = {"cwd": "/" + "ü" * 9000, "gitBranch": "b" * 9000, "sessionId": "s" * 9000}
    call = {"type": "tool_use", "id": "t", "name": "n" * 300_000, "input": {}}

    [window] = reading(asks("a", **far) + claude("assistant", [call]) + answers())

    parse_window(window.body)


def test_a_log_without_names_is_called_after_its_file():
    [window] = reading(turn("a").replace(b'"sessionId"', b'"x"').replace(b'"cwd"', b'"y"'))

    assert (window.body["session_id"], window.body["workspace"]) == ("log", "unknown")


def test_a_long_log_is_read_in_bounded_memory(tmp_path):
    log = tmp_path / "long.jsonl"
    output = results("0123456789 " * 25_000)
    with log.open("wb") as file:
        for n in range(60):
            file.write(asks(f"q{n}") + calls(command="ls") + output + answers())
    size = log.stat().st_size
    asked = Asked(log, "claude-code", "manual", Since(), whole=True)
    with log.open("rb") as file:
        tracemalloc.start()
        try:
            count = sum(
                len(window.body["events"]) for window in Reading(asked, file, START, Session(), 0)
            )
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

    assert count == 240
    assert size > 15 * 2**20
    assert most < 4 * 2**20
