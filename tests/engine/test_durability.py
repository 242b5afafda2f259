"""Whose answer waits for the disk."""

from __future__ import annotations

import sqlite3

from commands.jobs import Group, RecordJob
from domain.decisions import Fact
from tests.builders import recall_recorded
from tests.circumstances import an_id, context
from tests.inputs import envelope

FULL, NORMAL = 2, 1


class Watched(sqlite3.Connection):
    """Notes with which synchronous setting each transaction is committed."""

    noted: list[int]

    def execute(self, sql, *parameters):
        if sql == "COMMIT":
            self.noted.append(super().execute("PRAGMA synchronous").fetchone()[0])
        return super().execute(sql, *parameters)


def test_a_mutation_waits_for_the_disk_and_a_recall_does_not(write_side_of, monkeypatch):
    # Given
    monkeypatch.setattr(Watched, "noted", [], raising=False)
    side = write_side_of(factory=Watched)
    Watched.noted.clear()
    recall = RecordJob(context(), [Fact(an_id("recall_"), recall_recorded())], durable=False)
    # When
    side.send(envelope("remember", envelope_changes={"idempotency_key": "a"}))
    side.engine.submit(Group([recall]))
    side.send(envelope("remember", envelope_changes={"idempotency_key": "b"}))
    # Then
    assert Watched.noted == [FULL, NORMAL, FULL]


def test_of_mutations_and_recalls_that_come_together_only_recalls_do_not_wait(
    write_side_of, monkeypatch
):
    monkeypatch.setattr(Watched, "noted", [], raising=False)
    side = write_side_of(factory=Watched)
    Watched.noted.clear()
    recall = RecordJob(context(), [Fact(an_id("recall_"), recall_recorded())], durable=False)
    mutation = side.group(envelope("remember"))

    side.engine._commit_groups([Group([recall]), mutation])

    assert Watched.noted == [FULL, NORMAL]
