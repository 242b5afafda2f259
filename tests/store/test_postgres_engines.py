"""Several processes decide on one log in PostgreSQL, each with keys and an engine of its own."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from commands.clock import SystemClock
from commands.key_postgres import PostgresKeyRows
from commands.keystore import KeyStore
from commands.store_postgres import PostgresRecorder
from domain.errors import Code, MemorandaError
from tests.engine.building import MASTER_KEY, WriteSide
from tests.inputs import envelope

SIDES = 3
CALLERS = 9
COMMANDS = 15


@pytest.fixture
def sides(postgres_url):
    opened = [
        (
            PostgresRecorder(postgres_url, SystemClock()),
            KeyStore.over(PostgresKeyRows(postgres_url), MASTER_KEY, SystemClock()),
        )
        for _ in range(SIDES)
    ]
    made = [WriteSide(log, keys) for log, keys in opened]
    for side in made:
        side.engine.start()
    yield made
    for side in made:
        side.engine.close()
    for stores in opened:
        for store in stores:
            store.close()


def remember(key: str, **changes):
    return envelope("remember", envelope_changes={"idempotency_key": key}, **changes)


def test_a_command_that_many_send_at_once_happens_once(sides):
    def send(number: int):
        return [
            sides[(number + turn) % SIDES].send(remember(f"k{turn}")) for turn in range(COMMANDS)
        ]

    with ThreadPoolExecutor(CALLERS) as threads:
        answers = list(threads.map(send, range(CALLERS)))

    for turn in range(COMMANDS):
        said = [answer[turn] for answer in answers]
        assert len({one["record"]["id"] for one in said}) == 1
        assert Counter(one["receipt"]["replayed"] for one in said)[False] == 1
    topics = Counter(event.topic for event in sides[0].log.after(0, 1_000))
    assert topics == {"memory.remembered": COMMANDS, "command.recorded": COMMANDS}


def test_of_many_who_name_the_same_record_one_makes_it_and_the_rest_correct_it_in_turn(sides):
    def send(number: int):
        body = remember(f"caller {number}", identity_key="the roof")
        try:
            return sides[number % SIDES].send(body)
        except MemorandaError as refusal:
            return refusal.code

    with ThreadPoolExecutor(CALLERS) as threads:
        answers = list(threads.map(send, range(CALLERS)))

    made = [one for one in answers if not isinstance(one, Code)]
    assert made
    assert len({one["record"]["id"] for one in made}) == 1
    versions = sorted(one["record"]["version"] for one in made)
    assert versions == list(range(1, len(made) + 1))


def test_what_one_process_erases_another_one_cannot_open(sides):
    one, other = sides[:2]
    memory = one.send(remember("k"))["record"]["id"]
    [seen] = other.log.stream("w", memory)
    assert seen.erased is False

    gone = {"memory_id": memory, "mode": "application_delete", "reason": "asked to"}
    one.send(envelope("forget", envelope_changes={"idempotency_key": "gone"}, **gone))

    first, *_ = other.log.stream("w", memory)
    assert first.erased is True
