"""The judge of the chaos runs sees what it is there to see."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ops.wiring import Memoranda, open_memoranda
from tests.chaos.journals import Journal, Told, read_all
from tests.chaos.verdict import Verdict, judge
from tests.circumstances import context
from tests.inputs import envelope


@pytest.fixture
def told(tmp_path: Path) -> list[Told]:
    """Three commands and their answers, through a journal; the store is closed again."""
    memoranda = open_memoranda(tmp_path / "data")
    folder = tmp_path / "journals"
    folder.mkdir()
    with closing(Journal(folder / "1.jsonl")) as journal:
        for number in range(3):
            body = envelope("remember", envelope_changes={"idempotency_key": f"k{number}"})
            journal.keep(Told("w", "ana", body, memoranda.execute(context(), body)))
    memoranda.runner.wait_for("", memoranda.log.head(), 30.0)
    memoranda.close()
    return list(read_all(folder))


def judged(tmp_path: Path, told: list[Told]) -> Verdict:
    memoranda: Memoranda = open_memoranda(tmp_path / "data")
    try:
        return judge(memoranda, told, tmp_path / "rebuilt.db")
    finally:
        memoranda.close()


def test_a_store_in_order_is_found_in_order(tmp_path: Path, told: list[Told]) -> None:
    assert judged(tmp_path, told) == Verdict(events=6, receipts=3)


def test_an_answer_that_is_not_in_the_log_is_lost(tmp_path: Path, told: list[Told]) -> None:
    forged = Told("w", "ana", {**told[0].envelope, "idempotency_key": "k9"}, told[0].answer)

    verdict = judged(tmp_path, [*told, forged])

    assert verdict.lost == 1
    assert "'k9') was answered with" in verdict.wrong[0]


def test_a_command_that_nobody_was_answered_is_named(tmp_path: Path, told: list[Told]) -> None:
    verdict = judged(tmp_path, told[1:])

    assert verdict.wrong == ["('w', 'ana', 'k0') is recorded, and was refused or never asked"]


def test_a_column_of_a_read_model_that_differs_is_named(tmp_path: Path, told: list[Told]) -> None:
    with closing(sqlite3.connect(tmp_path / "data" / "views.db")) as views, views:
        views.execute("UPDATE memory_version SET kind = 'other' WHERE version = 1")

    verdict = judged(tmp_path, told)

    assert set(verdict.wrong) == {"memory_version.kind: 'other' live, 'observation' rebuilt"}
