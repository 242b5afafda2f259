"""A file whose hashes all fit, made by somebody who means harm: told, refused, nothing written."""

from __future__ import annotations

import pytest

from domain.errors import Code, MemorandaError
from ops.standalone_verifier import verify_export
from tests.exports.history import Tampered, imported


def of(topic, *path):
    """The place in the first row of a topic."""

    def found(file):
        row = file.first(lambda row: row["structure"]["topic"] == topic)
        for step in path[:-1]:
            row = row[step]
        return row, path[-1]

    return found


def in_header(*path):
    def found(file):
        row = file.lines[0]
        for step in path[:-1]:
            row = row[step]
        return row, path[-1]

    return found


ODD = (
    (of("consolidation.proposed", "structure", "s", "targets", 0), [["a"]]),
    (of("recall.recorded", "structure", "s", "targets", 0, 0), -1),
    (of("relationship.related", "structure", "s", "source_id"), 1.0),
    (of("memory.forgotten", "structure", "s", "session"), ["s"]),
    (of("memory.forgotten", "n"), {}),
    (of("memory.remembered", "structure", "version"), True),
    (of("memory.remembered", "structure", "version"), 1.0),
    (of("memory.remembered", "structure", "v"), True),
    (of("memory.remembered", "structure", "ctx", "agent"), ["a"]),
    (of("memory.remembered", "structure", "ctx", "request"), "a\0b"),
    (of("memory.remembered", "structure", "s", "owner"), "a\0b"),
    (of("erasure.completed", "structure", "s", "targets", 0, 1), 0),
    (of("recall.recorded", "structure", "s", "counts", "items"), "3"),
    (of("memory.remembered", "position"), 2**63 - 1),
    (of("memory.remembered", "position"), 1.5),
    (in_header("settings", "session_isolation"), "loose"),
    (in_header("settings", "require_source"), "yes"),
    (in_header("settings", "recall_policy"), None),
    (in_header("workspace"), 5),
    (in_header("workspace"), "system"),
    (in_header("slot_secret"), ""),
)


@pytest.mark.parametrize(("place", "value"), ODD, ids=range(len(ODD)))
def test_odd_values_are_refused_by_the_import_and_stop_no_verifier(
    new_world, files, tmp_path, place, value
):
    file = Tampered(files[True])
    row, name = place(file)
    row[name] = value
    file.rehash()
    odd = file.write(tmp_path / "odd.jsonl", hashes=True)
    world = new_world()

    verify_export(odd)
    with pytest.raises(MemorandaError) as refusal:
        imported(world, odd)

    assert refusal.value.code in {Code.INVALID_REQUEST, Code.PERMISSION_DENIED}
    with world.open() as talk:
        assert talk.memoranda.log.head() == 0
