"""Bug reports 3, 17, 36: the same again is the same, and never one too many or none."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ops.wiring import Memoranda, open_memoranda
from tests.builders import properties, text
from tests.circumstances import context
from tests.laws.faults import FaultyConnection, faults
from tests.laws.test_idempotence import without_advice
from tests.laws.worlds import MUTATIONS, Group, ask, random_steps
from tests.reports.asking import body, done, found, memory

__all__ = ["faults"]


def test_report_03_remembering_the_same_twice_deletes_nothing(memoranda: Memoranda) -> None:
    # Given the same command sent a hundred times under one key
    command = body("remember", key="k", content=text("otter"))
    answers = [ask(memoranda, context(), command) for _ in range(100)]
    # Then it happened once
    receipts = [answer["result"]["result"]["receipt"] for answer in answers]
    assert [receipt["replayed"] for receipt in receipts] == [False] + [True] * 99
    assert len({receipt["position"] for receipt in receipts}) == 1
    assert len(memoranda.log.after(0, 10)) == 2
    (name,) = found(memoranda, "otter")
    assert name == receipts[0]["committed_id"]


def test_report_03_the_same_fact_under_other_keys_agrees_with_itself(memoranda: Memoranda) -> None:
    content = properties(slot="drink", object="tea")
    first = memory(memoranda, content=content)
    second = done(memoranda, "remember", content=content)
    others = [{"id": first, "version": 1, "status": None, "same_value": True}]
    assert second["slot"] == {"key": "drink", "others": others, "conflicts": 0}
    assert sorted(found(memoranda, "tea")) == sorted([first, second["record"]["id"]])
    # With an identity key it is one memory, however often it is remembered
    names = {memory(memoranda, identity_key="K", content=text("heron")) for _ in range(100)}
    assert found(memoranda, "heron") == list(names)


def test_report_17_a_command_file_that_runs_twice_adds_nothing(memoranda: Memoranda) -> None:
    # Given a file of commands that has run
    group = Group(memoranda, "w").play(random_steps(17, 40, MUTATIONS))
    commands = [asked for asked in group.asked if asked.mutated]
    head = memoranda.log.head()
    # When it runs again
    again = [ask(memoranda, asked.context, asked.envelope) for asked in commands]
    # Then every receipt is a replay, and nothing was written
    assert all(answer["result"]["result"]["receipt"]["replayed"] for answer in again)
    assert memoranda.log.head() == head


def test_report_17_one_changed_byte_under_a_key_is_a_conflict(memoranda: Memoranda) -> None:
    ask(memoranda, context(), body("remember", key="k", content=text("otter")))
    head = memoranda.log.head()
    for changed in ("Otter", "otter ", "otte\u200br", "ötter"):
        error = ask(memoranda, context(), body("remember", key="k", content=text(changed)))["error"]
        assert (error["code"], error["field"]) == ("IDEMPOTENCY_CONFLICT", "idempotency_key")
        assert changed not in error["message"]
    assert memoranda.log.head() == head


RETRIES = 40


def test_report_36_forty_retries_of_a_lost_answer_are_one_event(
    faults: type[FaultyConnection], tmp_path: Path
) -> None:
    # Given a command whose connection to the disk is lost after its commit
    memoranda = open_memoranda(tmp_path / "data")
    command = body("remember", key="k", content=text("otter"), identity_key="K")
    faults.planned[:] = ["after"]
    answers = [ask(memoranda, context(), command)]
    # When it is sent again, forty times, also at once, also after a restart
    answers += [ask(memoranda, context(), command) for _ in range(RETRIES // 4)]
    with ThreadPoolExecutor(8) as pool:
        answers += pool.map(lambda _: ask(memoranda, context(), command), range(RETRIES // 2))
    memoranda.close()
    memoranda = open_memoranda(tmp_path / "data")
    answers += [ask(memoranda, context(), command) for _ in range(RETRIES // 4)]
    # Then there is one event and one answer
    topics = [event.topic for event in memoranda.log.after(0, 100)]
    memoranda.close()
    assert topics == ["identity.claimed", "memory.remembered", "command.recorded"]
    same = [without_advice(answer, replayed=None) for answer in answers]
    assert len(same) == RETRIES + 1
    assert all(one == same[0] for one in same)


def test_report_36_a_key_is_its_actors_in_its_workspace(memoranda: Memoranda) -> None:
    places = [
        context(workspace=workspace, actor=actor)
        for workspace in ("one", "two")
        for actor in ("ana", "bea")
    ]
    for number, who in enumerate(places):
        answer = ask(memoranda, who, body("remember", key="k", content=text(str(number))))
        assert answer["result"]["result"]["receipt"]["replayed"] is False
    # Session, agent and request are no part of its scope
    elsewhere = context(workspace="one", session="other", agent="a", request_id="r2")
    answer = ask(memoranda, elsewhere, body("remember", key="k", content=text("0")))
    assert answer["result"]["result"]["receipt"]["replayed"] is True
    assert answer["result"]["result"]["receipt"]["audit_correlation_id"] == "req-1"


@pytest.mark.parametrize("key", ["k", " k ", "€" * 85])
def test_report_36_a_refused_command_leaves_its_key_free(memoranda: Memoranda, key: str) -> None:
    wrong = body("update", key=key)
    assert ask(memoranda, context(), wrong)["error"]["code"] == "NOT_FOUND"
    answer = ask(memoranda, context(), body("remember", key=key))
    assert answer["result"]["result"]["receipt"]["replayed"] is False
