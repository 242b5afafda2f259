"""Two commands at once end as one order or the other, or as an explicit conflict."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from domain.canonical import JsonObject
from domain.context import Context
from domain.memory_streams import fold_memory
from ops.rebuild import rebuild
from ops.wiring import Memoranda
from projections.database import open_views
from tests.circumstances import context
from tests.inputs import envelope
from tests.laws.choices import Step
from tests.laws.conftest import new_workspace
from tests.laws.test_idempotence import ERASURES, log_of
from tests.laws.worlds import MUTATIONS, Group, ask, caught_up, law, random_steps, steps
from tests.projections.views import tables

SINGLE = [verb for verb in MUTATIONS if verb != "again"]


@pytest.fixture(scope="module")
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def prepared(group: Group, step: Step, name: str) -> tuple[Context, JsonObject]:
    """A command that depends on nothing but what was known before the two."""
    body = group.body(step)
    body["idempotency_key"] = name
    return replace(group.who(step), request_id=name), body


@given(steps(SINGLE, size=6), steps(SINGLE, size=2).filter(lambda pair: len(pair) == 2))
@law(25)
def test_two_commands_at_once_leave_what_one_of_their_orders_leaves(
    store: Memoranda, pool: ThreadPoolExecutor, before: list[Step], pair: list[Step]
) -> None:
    # Given three workspaces with the same past
    groups = [Group(store, new_workspace()).play(before) for _ in range(3)]
    sent = [
        [prepared(g, step, name) for step, name in zip(pair, "xy", strict=True)] for g in groups
    ]
    # When both come at once in the first, and in the two orders in the others
    together = threading.Barrier(2)

    def at_once(command: tuple[Context, JsonObject]) -> JsonObject:
        together.wait()
        return ask(store, *command)

    answers = list(pool.map(at_once, sent[0]))
    orders = [
        [ask(store, *sent[1][0]), ask(store, *sent[1][1])],
        list(reversed([ask(store, *sent[2][1]), ask(store, *sent[2][0])])),
    ]
    # Then the first is as one of them, to the last event and the codes of the answers
    # (keys are destroyed after the commit, so maybe after the other's)
    found = _codes(answers), log_of(groups[0], without=ERASURES)
    assert found in [
        (_codes(order), log_of(group, without=ERASURES))
        for order, group in zip(orders, groups[1:], strict=True)
    ]


def _codes(answers: list[JsonObject]) -> list[str | None]:
    return [answer.get("error", {}).get("code") for answer in answers]


def updating(key: str, memory: str, expected: int | None) -> JsonObject:
    made: JsonObject = envelope(
        "update",
        envelope_changes={"idempotency_key": key},
        target={"kind": "memory", "id": memory},
        expected_version=expected,
    )
    return made


def remembered(memoranda: Memoranda) -> str:
    answer = ask(memoranda, context(), envelope("remember"))
    return str(answer["result"]["result"]["record"]["id"])


def at_once(
    pool: ThreadPoolExecutor, count: int, act: Callable[[int], JsonObject]
) -> list[JsonObject]:
    together = threading.Barrier(count)

    def one(number: int) -> JsonObject:
        together.wait()
        return act(number)

    return list(pool.map(one, range(count)))


def test_of_many_that_expect_one_version_exactly_one_wins(
    fresh: Memoranda, pool: ThreadPoolExecutor
) -> None:
    memory = remembered(fresh)
    for expected in range(1, 21):
        answers = at_once(
            pool,
            6,
            lambda n, v=expected: ask(fresh, context(), updating(f"{v}-{n}", memory, v)),  # type: ignore[misc]
        )
        errors = [answer["error"] for answer in answers if "error" in answer]
        assert len(errors) == 5
        for error in errors:
            assert error["code"] == "VERSION_CONFLICT"
            assert error["current_version"] == expected + 1
    assert len(fresh.log.stream("w", memory)) == 21


def test_every_success_without_an_expectation_is_a_version_of_its_own(
    fresh: Memoranda, pool: ThreadPoolExecutor
) -> None:
    memory = remembered(fresh)

    def write(number: int) -> list[JsonObject]:
        return [ask(fresh, context(), updating(f"{number}-{at}", memory, None)) for at in range(25)]

    answers = [answer for part in pool.map(write, range(6)) for answer in part]
    receipts = [answer["result"]["result"]["receipt"] for answer in answers]
    versions = sorted(receipt["committed_version"] for receipt in receipts)
    assert versions == list(range(2, 152))
    events = fresh.log.stream("w", memory)
    assert [event.version for event in events] == list(range(1, 152))
    state = fold_memory(events)
    assert state is not None
    assert state.version == 151


def test_one_identity_key_at_once_is_one_memory(fresh: Memoranda, pool: ThreadPoolExecutor) -> None:
    for key in ("k1", "k2", "k3"):
        answers = at_once(
            pool,
            8,
            lambda n, k=key: ask(  # type: ignore[misc]
                fresh,
                context(),
                envelope(
                    "remember", identity_key=k, envelope_changes={"idempotency_key": f"{k}-{n}"}
                ),
            ),
        )
        records = [answer["result"]["result"]["record"] for answer in answers]
        assert len({record["id"] for record in records}) == 1
        assert sorted(record["version"] for record in records) == list(range(1, 9))


def test_fifty_mixed_commands_at_once_are_fifty_verdicts_and_a_sound_log(
    fresh: Memoranda, pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    """Bug report 21."""
    groups = [Group(fresh, "w", prefix=f"g{at}") for at in range(5)]

    def live(number: int) -> Group:
        return groups[number].play(random_steps(number, 10, MUTATIONS))

    played = list(pool.map(live, range(5)))
    verdicts = Counter(
        asked.answer.get("error", {}).get("code", "ok") for group in played for asked in group.asked
    )
    assert sum(verdicts.values()) == 50
    assert not set(verdicts) & {"INTERNAL", "DURABILITY_FAILED", "OVERLOADED"}
    caught_up(fresh)
    path = tmp_path / "again.db"
    rebuild(fresh.log, path, lambda _done, _head: None)
    engine = open_views(path)
    again = tables(engine)
    engine.dispose()
    assert again == tables(fresh.runner._engine)
