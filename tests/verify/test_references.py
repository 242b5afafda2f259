"""The rows of event_ref follow from the heads, in both directions."""

from __future__ import annotations

import pytest

from tests.verify.stores import first, receipt, remember, verdict


@pytest.mark.parametrize("kind", ["endpoint", "correlation", "slot", "supersedes"])
def test_a_dropped_reference_names_its_event(kind, furnished, copy_of):
    copy = copy_of(furnished)
    position = copy.value("SELECT max(position) FROM event_ref WHERE kind = ?", kind)

    copy.change("DELETE FROM event_ref WHERE kind = ? AND position = ?", kind, position)

    assert first(copy.report()) == (position, furnished.written[position - 1].name, "event_ref")


@pytest.mark.parametrize("column", ["workspace", "kind", "ref", "stream"])
def test_a_changed_reference_names_its_event(column, furnished, copy_of):
    for position in (1, 2, 10):
        copy = copy_of(furnished)

        copy.change(f"UPDATE event_ref SET {column} = {column} || 'x' WHERE position = ?", position)

        named = position, furnished.written[position - 1].name, "event_ref"
        assert first(copy.report()) == named


def test_an_added_reference_names_its_event(furnished, copy_of):
    for event in furnished.written:
        copy = copy_of(furnished)

        copy.change(
            "INSERT INTO event_ref VALUES ('harbour', 'slot', 'r', ?, ?)",
            event.stream, event.position,
        )  # fmt: skip

        assert first(copy.report()) == (event.position, event.name, "event_ref")


@pytest.mark.parametrize("position", [0, -4, 999, "3 or so"])
def test_a_reference_without_an_event_is_found(position, furnished, copy_of):
    copy = copy_of(furnished)

    copy.change("INSERT INTO event_ref VALUES ('harbour', 'slot', 'r', 's', ?)", position)

    report = copy.report()
    assert report.wrong == 1
    assert report.findings[0]["column"] == "event_ref"


def test_a_reference_moved_to_another_event_names_both(writer, copy_of):
    one, other = remember(writer), remember(writer, "cellar")
    copy = copy_of(writer)

    copy.change(
        "UPDATE event_ref SET position = ? WHERE position = ?", other.position, one.position
    )

    named = [finding["position"] for finding in copy.report().findings]
    assert named == [one.position, other.position]


def test_a_receipt_without_its_reference_is_named(writer):
    memory = remember(writer)
    wrong = receipt(writer, memory)
    writer.log.execute("DROP TRIGGER event_ref_d")

    writer.log.execute("DELETE FROM event_ref WHERE position = ?", (wrong.position,))

    assert first(verdict(writer, keys=False)) == (wrong.position, wrong.name, "event_ref")
