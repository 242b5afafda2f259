"""What the format asks of a single row, told by rows that a careless writer would store."""

from __future__ import annotations

from typing import Any

import pytest

from tests.verify.stores import HOME, OPEN, first, remember, rules, update, verdict


def replacing(part: str, change) -> Any:
    """A `bad` for the writer that changes one part of the event."""
    return lambda name, value: change(value) if name == part else value


def in_head(**members):
    return replacing("head", lambda head: {**head, **members})


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(replacing("head", lambda head: head | {"more": 1}), id="one more member"),
        pytest.param(
            replacing("head", lambda head: {k: v for k, v in head.items() if k != "v"}),
            id="one member less",
        ),
        pytest.param(in_head(ctx={"workspace": "harbour"}), id="a ctx that is cut"),
        pytest.param(in_head(s=[]), id="a structure that is a list"),
        pytest.param(in_head(s={"content": "the roof"}), id="content in the structure"),
        pytest.param(in_head(stream="mem_1"), id="a stream that is no id"),
        pytest.param(in_head(stream=5), id="a stream that is a number"),
        pytest.param(
            replacing("head_bytes", lambda head: head.replace(b",", b", ", 1)), id="a blank"
        ),
        pytest.param(
            replacing("head_bytes", lambda head: head.replace(b'"ann"', rb'"\u0061nn"')),
            id="an escape that is not needed",
        ),
        pytest.param(
            replacing("head_bytes", lambda head: head[:-1] + b',"v":1}'), id="a member twice"
        ),
        pytest.param(replacing("head_bytes", lambda _: b"[" * 10_000), id="deep nesting"),
        pytest.param(replacing("head_bytes", lambda _: b"\xff"), id="no UTF-8"),
    ],
)
def test_a_head_of_another_form_is_named(bad, writer):
    start = remember(writer)

    wrong = update(writer, start.stream, bad=bad)

    report = verdict(writer, keys=False)
    assert report.findings[0]["position"] == wrong.position
    assert report.findings[0]["column"] == "state"


@pytest.mark.parametrize(
    ("bad", "rule"),
    [
        (in_head(version=3), "is not in the head"),
        (in_head(version=True), "is not in the head"),
        (in_head(version=2.0), "is not in the head"),
        (in_head(topic="memory.revised"), "is not the topic in the head"),
        (in_head(topic="recall.recorded"), "has a topic foreign to its stream"),
        (in_head(topic="takeover.done"), "has a topic foreign to its stream"),
        (in_head(key=None), "has one of body, key and commitment without the others"),
        (in_head(commitment=None), "has one of body, key and commitment without the others"),
        (replacing("body", lambda _: b""), "has one of body, key and commitment without the"),
        (replacing("body", lambda body: body[:43]), "has a body that is too short"),
    ],
    ids=[f"case {number}" for number in range(10)],
)
def test_a_head_that_does_not_fit_is_named(bad, rule, writer):
    start = remember(writer)

    wrong = update(writer, start.stream, bad=bad)

    report = verdict(writer, keys=False)
    assert report.findings[0]["position"] == wrong.position
    assert any(said.startswith(rule) for said in rules(report))


def test_an_event_with_key_and_no_body_is_named(writer):
    memory = remember(writer)
    key = memory.key

    wrong = writer.append(
        writer.new_id("guard_"),
        "identity.claimed",
        {"target_id": memory.stream},
        bad=in_head(key=key),
    )

    assert first(verdict(writer, keys=False)) == (wrong.position, wrong.name, "state")


def test_a_data_key_seals_one_event(writer):
    start = remember(writer)

    wrong = update(writer, start.stream, key=start.key)

    for report in (verdict(writer, keys=False), verdict(writer)):
        assert first(report) == (wrong.position, wrong.name, "state")
        assert rules(report) == ["has another event's key"]


def test_an_event_that_names_what_is_nowhere_is_named(writer):
    gone = writer.new_id("mem_")

    wrong = writer.append(writer.new_id("guard_"), "identity.claimed", {"target_id": gone})

    assert first(verdict(writer, keys=False)) == (wrong.position, wrong.name, "state")


def test_an_event_may_name_what_is_appended_after_it_in_the_same_transaction(writer):
    memory = writer.new_id("mem_")
    writer.append(writer.new_id("guard_"), "identity.claimed", {"target_id": memory})
    structure = {**HOME, **OPEN, "slot_ref": None}
    writer.append(memory, "memory.remembered", structure, {"content": {}})

    assert verdict(writer, keys=False).wrong == 0


@pytest.mark.parametrize("version", [0, -1, 2, 10**30, 1.5, "1", None])
def test_a_target_names_a_version_that_is_there(version, writer):
    memory = remember(writer)

    wrong = writer.append(
        writer.new_id("receipt_"),
        "command.recorded",
        {"targets": [[memory.stream, version]]},
        refs=(("correlation", "req-1"),),
    )

    assert first(verdict(writer, keys=False)) == (wrong.position, wrong.name, "state")


@pytest.mark.parametrize("targets", [5, "xx", [5], [[]], [["mem_1", 1]], {"a": 1}])
def test_targets_of_another_form_are_named(targets, writer):
    remember(writer)

    wrong = writer.append(
        writer.new_id("receipt_"), "command.recorded", {"targets": targets},
        refs=(("correlation", "req-1"),),
    )  # fmt: skip

    assert first(verdict(writer, keys=False)) == (wrong.position, wrong.name, "state")
