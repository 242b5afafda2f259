"""An import that was interrupted goes on, and ends as if it had not been."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops import import_references, importer
from ops.import_ledger import LedgerError
from ops.import_references import KnownKeys
from ops.import_run import ImportStoppedError
from ops.importer import import_file
from ops.wiring import open_memoranda
from tests.importer.lines import (
    asking,
    forget,
    memories,
    refused_rows,
    relate,
    remember,
    state_of,
    update,
    written,
)


class InterruptionError(Exception):
    """The test ends an import here."""


@pytest.fixture(autouse=True)
def _points_after_every_batch(monkeypatch):
    monkeypatch.setattr(importer, "POINT_SECONDS", 0)


def history(rounds):
    """Lines in which keys change hands, with a refused line in each round."""
    rows = []
    for number in range(rounds):
        rows += [
            remember("shared", f"round {number}", key=None),
            remember(f"own {number}", key=None),
            relate("shared", f"own {number}", key=None),
            update("shared", key=None, confidence=0.5),
            relate("shared", "nobody", key=None),
            forget("shared", key=None),
        ]
    return rows


def interrupted_after(line):
    """A progress callback that ends the import."""

    def on_progress(done, total):
        if done >= line:
            raise InterruptionError

    return on_progress


@pytest.fixture
def whole(tmp_path):
    """What an import without interruption leaves: state, counts, refused lines."""

    def run(rows):
        store = open_memoranda(tmp_path / "whole")
        try:
            path = written(tmp_path / "whole.jsonl", rows)
            report = import_file(store, path, actor="cli:tests")
            return state_of(store), report, refused_rows(path)
        finally:
            store.close()

    return run


@pytest.mark.parametrize("line", [1, 5, 6, 29, 59])
def test_an_interrupted_import_ends_as_an_uninterrupted_one(store, tmp_path, whole, line):
    rows = history(10)
    path = written(tmp_path / "lines.jsonl", rows)
    with pytest.raises(InterruptionError):
        import_file(store, path, actor="cli:tests", on_progress=interrupted_after(line))

    report = import_file(store, path, actor="cli:tests")

    state, expected, refused = whole(rows)
    assert state_of(store) == state
    assert (report.lines, report.accepted, report.refused) == (60, 50, 10)
    assert (expected.accepted, expected.refused) == (50, 10)
    assert refused_rows(path) == refused
    assert report.refusals == expected.refusals


def test_a_resumed_import_does_not_start_from_the_beginning(store, tmp_path):
    path = written(tmp_path / "lines.jsonl", history(10))
    with pytest.raises(InterruptionError):
        import_file(store, path, actor="cli:tests", on_progress=interrupted_after(30))
    seen = []

    report = import_file(
        store, path, actor="cli:tests", on_progress=lambda done, _: seen.append(done)
    )

    assert min(seen) > 24
    assert report.lines == 60
    assert list((tmp_path / "data" / "imports").iterdir()) == []


@pytest.mark.parametrize("damage", ["point", "position", "refused file", "point gone"])
def test_nothing_depends_on_the_resume_point(store, tmp_path, whole, damage):
    rows = history(6)
    path = written(tmp_path / "lines.jsonl", rows)
    with pytest.raises(InterruptionError):
        import_file(store, path, actor="cli:tests", on_progress=interrupted_after(20))
    (point,) = (tmp_path / "data" / "imports").iterdir()
    match damage:
        case "point":
            point.write_bytes(b"\x00{")
        case "position":
            point.write_text(json.dumps({**json.loads(point.read_text()), "position": 10**9}))
        case "refused file":
            path.with_name("lines.jsonl.refused.jsonl").unlink()
        case "point gone":
            point.unlink()

    report = import_file(store, path, actor="cli:tests")

    state, _, refused = whole(rows)
    assert state_of(store) == state
    assert (report.accepted, report.refused, len(refused_rows(path))) == (30, 6, len(refused))


def test_lines_that_were_executed_after_the_last_point_are_replays(store, tmp_path, whole):
    rows = history(6)
    path = written(tmp_path / "lines.jsonl", rows)
    with pytest.raises(InterruptionError):
        import_file(store, path, actor="cli:tests", on_progress=interrupted_after(12))
    (point,) = (tmp_path / "data" / "imports").iterdir()
    early = point.read_bytes()
    with pytest.raises(InterruptionError):
        import_file(store, path, actor="cli:tests", on_progress=interrupted_after(30))
    point.write_bytes(early)

    report = import_file(store, path, actor="cli:tests")

    assert state_of(store) == whole(rows)[0]
    assert (report.accepted, report.refused) == (30, 6)


def test_a_store_that_cannot_go_on_stops_the_import_and_loses_no_line(store, tmp_path):
    path = written(tmp_path / "lines.jsonl", [remember("a"), remember("b")])
    store.commands.engine.close()

    with pytest.raises(ImportStoppedError, match="line 1"):
        import_file(store, path)

    assert refused_rows(path) == []


def test_refused_lines_that_cannot_be_kept_stop_the_import(store, tmp_path):
    path = written(tmp_path / "lines.jsonl", [b"x\n"])
    path.with_name("lines.jsonl.refused.jsonl").mkdir()

    with pytest.raises(LedgerError, match="cannot be written"):
        import_file(store, path)


@given(
    st.lists(
        st.tuples(st.sampled_from(["learn", "drop"]), st.integers(0, 4), st.integers(0, 3)),
        max_size=40,
    )
)
@settings(max_examples=200)
def test_known_keys_are_what_was_last_said_of_them(steps):
    known, expected = KnownKeys(), {}
    for what, key, record in steps:
        if what == "learn":
            known.learn(asking(), "memory", str(key), f"mem_{record}")
            expected[str(key)] = f"mem_{record}"
        else:
            known.drop(f"mem_{record}")
            expected = {k: v for k, v in expected.items() if v != f"mem_{record}"}

    assert {
        str(key): known.get(asking(), "memory", str(key))
        for key in range(5)
        if known.get(asking(), "memory", str(key)) is not None
    } == expected


def test_an_import_keeps_no_more_keys_than_it_may():
    known = KnownKeys(most=2)
    for key in "abc":
        known.learn(asking(), "memory", key, f"mem_{key}")

    assert [known.get(asking(), "memory", key) for key in "abc"] == [None, "mem_b", "mem_c"]


def test_keys_that_are_no_longer_kept_are_looked_up(store, tmp_path, monkeypatch):
    monkeypatch.setattr(import_references, "KNOWN_MAX", 1)
    path = written(
        tmp_path / "lines.jsonl", [remember("a"), remember("b"), relate("a", "b"), update("a")]
    )

    report = import_file(store, path, actor="cli:tests")

    assert (report.accepted, report.refused) == (4, 0)
    assert memories(store)["a"]["version"] == 2
