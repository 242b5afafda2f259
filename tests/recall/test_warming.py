"""After a start the index of a workspace is there before anybody asks."""

from __future__ import annotations

from pathlib import Path

from domain.context import CONTRACT_PERMISSIONS, Context
from ops.wiring import Memoranda, open_memoranda

COUNT = 30


def _context(workspace: str) -> Context:
    return Context(workspace, "ana", "s", CONTRACT_PERMISSIONS, "request")


def _filled(memoranda: Memoranda, workspace: str) -> None:
    items = [
        {
            "contract_version": "v1",
            "operation": "remember",
            "idempotency_key": f"{workspace}-{number}",
            "input": {
                "kind": "observation",
                "schema_version": "1",
                "content": {"format": "text", "value": f"walrus number {number}"},
                "provenance": [],
                "tags": [],
            },
        }
        for number in range(COUNT)
    ]
    memoranda.execute_many(_context(workspace), items)
    memoranda.runner.wait_for("", memoranda.log.head(), 30)


def test_the_indexes_of_written_workspaces_are_built_at_the_start(tmp_path: Path) -> None:
    first = open_memoranda(tmp_path)
    _filled(first, "one")
    _filled(first, "two")
    first.close()

    again = open_memoranda(tmp_path)
    try:
        assert again.warmer.wait(30)
        for workspace in ("one", "two"):
            assert again.memtables.of(workspace).position >= COUNT
    finally:
        again.close()


def test_a_stopping_store_does_not_wait_for_the_indexes(tmp_path: Path) -> None:
    memoranda = open_memoranda(tmp_path)
    _filled(memoranda, "one")
    memoranda.close()
    again = open_memoranda(tmp_path)

    again.close()

    assert again.warmer.wait(0)
