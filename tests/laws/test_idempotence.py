"""A command sent once or often, alone or at once, after a restart or an erasure, happened once."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.canonical import Json, JsonObject, canonical
from domain.memory_streams import memory_versions
from ops.wiring import Memoranda, open_memoranda
from tests.laws.choices import Step
from tests.laws.conftest import new_workspace
from tests.laws.masks import masked
from tests.laws.worlds import MUTATIONS, Asked, Group, ask, law, random_steps, steps


def without_advice(answer: JsonObject, **receipt: Json) -> JsonObject:
    """The part of an answer that is kept; `receipt` says what may differ in the receipt."""
    result = answer.get("result", {}).get("result")
    if result is None:
        return answer
    kept = {name: value for name, value in result.items() if name not in ADVICE}
    if kept.get("receipt"):
        kept["receipt"] = {**kept["receipt"], **receipt}
    return kept


ADVICE = ("slot", "erasure")
"""Computed after the commit, absent when replayed (design.md §3)."""
ERASURES = ("erasure.step", "erasure.completed")


def log_of(group: Group, without: tuple[str, ...] = ()) -> list[bytes]:
    """What the log of a workspace says, but for keys and hashes, and for some topics."""
    events = [
        event
        for event in group.memoranda.log.after(0, 10**6, workspace=group.workspace)
        if event.topic not in without
    ]
    return masked(
        {
            "event": [event.stream, event.version, event.topic, event.recorded_at],
            "context": {**event.context.as_json(), "workspace": None},
            "facts": [json.loads(canonical([f.structure(), f.sealed()])) for f in event.facts],
        }
        for event in events
    )


@given(steps(MUTATIONS), st.lists(st.integers(1, 3), min_size=15, max_size=15))
@law(12)
def test_each_command_sent_one_to_three_times_leaves_what_it_leaves_once(
    store: Memoranda, sequence: list[Step], times: list[int]
) -> None:
    # Given the same commands in two workspaces
    once = Group(store, new_workspace()).play(sequence)
    often = Group(store, new_workspace())
    for step, count in zip(sequence, times, strict=False):
        # When they are repeated in one of them
        asked = often.do(step)
        for _ in range(count - 1):
            if asked.mutated:
                # Then a success is answered again as it was, and a refusal by the same cause
                again = ask(store, asked.context, asked.envelope)
                assert without_advice(again) == without_advice(asked.answer, replayed=True)
            elif "error" in asked.answer:
                assert ask(store, asked.context, asked.envelope) == asked.answer
    # And the log says what it says where each was sent once
    assert log_of(often) == log_of(once)


@pytest.mark.parametrize("seed", [11, 12])
def test_many_senders_of_one_command_at_once_get_one_receipt(fresh: Memoranda, seed: int) -> None:
    group = Group(fresh, "w")
    with ThreadPoolExecutor(6) as pool:
        for step in random_steps(seed, 20, MUTATIONS):
            who, body = group.who(step), group.body(step)
            answers = list(pool.map(lambda _, w=who, b=body: ask(fresh, w, b), range(6)))
            kept = [without_advice(answer) for answer in answers]
            receipts = [one["receipt"] for one in kept if one.get("receipt")]
            if receipts:
                assert Counter(receipt["replayed"] for receipt in receipts) == {True: 5, False: 1}
                same = [without_advice(answer, replayed=None) for answer in answers]
                assert all(one == same[0] for one in same)
            first = next((a for a in answers if "error" in a or not _replayed(a)), answers[0])
            group.learn(Asked(who, body, first))
    _one_receipt_each(fresh, group)


def _replayed(answer: JsonObject) -> bool:
    receipt = answer["result"]["result"].get("receipt") or {}
    return bool(receipt.get("replayed"))


def _one_receipt_each(memoranda: Memoranda, group: Group) -> None:
    topics = ("command.recorded",)
    stored = memoranda.log.after(0, 10**6, workspace=group.workspace, topics=topics)
    keys = Counter(event.facts[0].sealed()["idempotency_key"] for event in stored)  # type: ignore[index]
    assert set(keys.values()) <= {1}
    assert set(keys) == {a.envelope["idempotency_key"] for a in group.asked if a.mutated}


def test_every_answer_is_given_again_after_a_restart(tmp_path: Path) -> None:
    # Given a life, and all that became of its memories
    first = open_memoranda(tmp_path / "data")
    group = Group(first, "w").play(random_steps(21, 70, MUTATIONS))
    head = first.log.head()
    first.close()
    again = open_memoranda(tmp_path / "data")
    try:
        states = _last_states(again)
        for asked in group.asked:
            if not asked.mutated:
                continue
            # When each command is sent again
            answer = ask(again, asked.context, asked.envelope)
            # Then it is answered as it was, and without what was erased since
            expected = without_advice(asked.answer, replayed=True)
            found = without_advice(answer)
            if found != expected:
                assert _only_content_is_missing(found, expected, states), (found, expected)
        assert again.log.head() == head
    finally:
        again.close()


def _last_states(memoranda: Memoranda) -> dict[str, Any]:
    streams: dict[str, list[Any]] = {}
    for event in memoranda.log.after(0, 10**6, workspace="w"):
        if event.stream.startswith("mem_"):
            streams.setdefault(event.stream, []).append(event)
    return {stream: memory_versions(events)[-1] for stream, events in streams.items()}


STRUCTURE = (
    "id", "version", "recorded_at", "valid_from", "valid_until", "expires_at", "lifecycle",
)  # fmt: skip


def _only_content_is_missing(
    found: JsonObject, expected: JsonObject, states: dict[str, Any]
) -> bool:
    """What differs belongs to a memory of which something was forgotten; its structure stays."""
    if found["receipt"] != expected["receipt"]:
        return False
    if "record" in expected:
        one, other = found["record"], expected["record"]
        last = states[one["id"]]
        gone = last.forgotten is not None or bool(last.dead_versions)
        return gone and all(one[name] == other[name] for name in STRUCTURE)
    pairs = found.get("disagreements", []), expected.get("disagreements", [])
    hidden = [{**pair, "slot": None} if "slot" in pair else pair for pair in pairs[1]]
    return {**found, "disagreements": hidden} == {**expected, "disagreements": hidden} and all(
        one in (two, three) for one, two, three in zip(pairs[0], pairs[1], hidden, strict=True)
    )


def test_a_replayed_answer_after_an_erasure_has_no_content(fresh: Memoranda) -> None:
    group = Group(fresh, "w", actors=("ana", "ana"), visibility="workspace")
    made = group.do(Step(0, "remember", 1, 1, 8))
    canary = str(Random(5).random())
    made.envelope["input"]["content"] = {"format": "text", "value": f"canary {canary}"}
    made.envelope["idempotency_key"] = "canary"
    first = ask(fresh, made.context, made.envelope)
    group.learn(Asked(made.context, made.envelope, first))
    memory = first["result"]["result"]["record"]["id"]
    forget = group.body(Step(0, "forget", 0, 2, 0))
    forget["input"]["memory_id"] = memory
    assert "error" not in ask(fresh, made.context, forget)
    again = ask(fresh, made.context, made.envelope)
    assert canary not in repr(again)
    record = again["result"]["result"]["record"]
    assert (record["id"], record["version"], record["content"]) == (memory, 1, None)
    assert record["erased"] is True
    assert again["result"]["result"]["receipt"]["replayed"] is True
    assert "slot" not in again["result"]["result"]


@given(steps(MUTATIONS, size=6), steps(MUTATIONS, size=6))
@law(8)
def test_a_key_belongs_to_its_actor_and_its_workspace(
    store: Memoranda, one_steps: list[Step], other_steps: list[Step]
) -> None:
    """The same keys, sent by others: they replay nothing and conflict with nothing."""
    own, foreign = new_workspace(), new_workspace()
    one = Group(store, own, actors=("ana", "ana"))
    groups = [
        one.play(one_steps),
        Group(store, own, actors=("bea", "bea")).play(other_steps),
        Group(store, foreign, actors=("ana", "ana")).play(other_steps),
    ]
    for group in groups:
        for asked in group.asked:
            assert asked.answer.get("error", {}).get("code") != "IDEMPOTENCY_CONFLICT"
            assert not (asked.mutated and _replayed(asked.answer)) or asked in _repeats(group)


def _repeats(group: Group) -> list[Asked]:
    """Those whose key the group itself had sent before."""
    seen: set[str] = set()
    repeats = []
    for asked in group.asked:
        key = asked.envelope["idempotency_key"]
        if key in seen:
            repeats.append(asked)
        seen.add(key)
    return repeats
