"""trace answers the same, byte for byte, when every read model is gone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from domain.canonical import canonical
from domain.context import CONTRACT_PERMISSIONS, Context
from ops.wiring import Memoranda, open_memoranda
from tests.circumstances import context
from tests.inputs import envelope
from tests.laws.worlds import Group, ask, caught_up, every_trace, random_steps

LIFE = 300
PERMISSIONS = (CONTRACT_PERMISSIONS, frozenset({"trace"}))


def viewers() -> list[Context]:
    return [
        context(workspace=workspace, actor=actor, permissions=permissions)
        for workspace in ("one", "two")
        for actor in ("ana", "bea")
        for permissions in PERMISSIONS
    ]


def traces(memoranda: Memoranda, wanted: list[tuple[str, str]]) -> list[bytes]:
    """The answers to all of them, as everybody sees them; refusals too."""
    return [
        canonical(ask(memoranda, who, envelope("trace", target={"kind": kind, "id": name})))
        for who in viewers()
        for kind, name in wanted
    ]


def drop_all_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        tables = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        assert "memory_version" in tables
        for name in tables:
            connection.execute(f"DROP TABLE {name}")
        connection.commit()


def live(data: Path) -> tuple[list[tuple[str, str]], list[bytes]]:
    """A life of random commands: what can be traced of it, and all the answers."""
    memoranda = open_memoranda(data)
    groups = [Group(memoranda, name, prefix=name) for name in ("one", "two")]
    for at, step in enumerate(random_steps(31, LIFE)):
        groups[at % 2].do(step)
    wanted = [found for group in groups for found in every_trace(group)]
    answers = traces(caught_up(memoranda), wanted)
    memoranda.close()
    return wanted, answers


def test_trace_reads_the_log_alone(tmp_path: Path) -> None:
    # Given all trace answers of a life
    data = tmp_path / "data"
    wanted, before = live(data)
    assert {kind for kind, _ in wanted} == {"memory", "relationship", "recall", "mutation"}
    assert sum(b'"error"' not in answer for answer in before) > len(before) / 4
    # When the runner stands still and every table of the read models is dropped
    memoranda = open_memoranda(data)
    memoranda.warmer.stop()
    memoranda.runner.stop()
    drop_all_tables(data / "views.db")
    without_tables = traces(memoranda, wanted)
    memoranda.close()
    # Then nothing is told otherwise
    assert without_tables == before
    # And when the file itself is gone, and made anew
    for path in data.glob("views.db*"):
        path.unlink()
    memoranda = open_memoranda(data)
    without_file = traces(memoranda, wanted)
    memoranda.close()
    assert without_file == before
