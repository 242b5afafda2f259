"""The invariants of the policy on generated event sets, through stores and files (policy.md §2.12).

Sets are imported into one store, each in sessions of its own, and asked there; what the store
exports, with and without what was forgotten, is imported into others, and asked again. That each
answer is the resolver's makes I1, I6, I8 and I9 hold of it, which are laws of the resolver.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ops.event_import import import_events
from ops.exporting import ExportQuestion, export
from ops.standalone_verifier import verify_export
from tests.policy.foreign import foreign_file
from tests.policy.imported_histories import KEYS, MOMENTS, OWN, forks, histories, moment
from tests.policy.imported_world import Imported
from tests.policy.stored import WORKSPACE, opened, together

SETS = st.lists(histories() | forks(), min_size=4, max_size=4)
BASES = st.lists(st.tuples(MOMENTS, st.none() | st.integers(0, 30)), min_size=2, max_size=2)
WITNESS = {
    "id": "witness",
    "type": "assertion",
    "session": "quay",
    "source": "logbook",
    "recorded_at": moment(0),
    "key": KEYS[0],
    "value": "heron",
}
"""So that there is something to export, whatever is generated."""
EARLY = [
    {
        "id": "e0",
        "type": "expiry",
        "session": "harbor",
        "source": "logbook",
        "recorded_at": moment(0),
        "expires_at": moment(0),
        "target": "e2",
    },
    {
        "id": "e2",
        "type": "correction",
        "session": "lagoon",
        "source": "logbook",
        "recorded_at": moment(1),
        "key": KEYS[1],
        "value": "x",
        "target": "nothing",
    },
    {
        "id": "e4",
        "type": "tombstone",
        "session": "harbor",
        "source": "logbook",
        "recorded_at": moment(5),
        "scope": "lineage",
        "target": "e2",
    },
]
"""An expiry before what it is about, covered by a tombstone: without its payload it looked like a
correction.
"""
Asked = dict[tuple[str, str, str, int | None], Any]


def asked(there: Imported, count: int, bases: list[tuple[str, int | None]]) -> tuple[Asked, Asked]:
    """What is answered in each session about each slot at each basis, in the names of the sets, and
    as it was given.
    """
    told: Asked = {}
    raw: Asked = {}
    for number in range(count):
        for key in KEYS:
            for as_of, at in bases:
                known = None if at is None else there.positions[at % len(there.positions)]
                question = f"{OWN}-{number}", key, as_of, known
                told[question] = there.answer(*question)
                raw[question] = {
                    part: there.raw[part] for part in ("items", "excluded", "conflicts")
                }
    return told, raw


def check_resolved(there: Imported, told: Asked) -> None:
    """The answers are the resolver's; of older positions what is selected.

    At these a text that was made in part of one that was forgotten later is found by no words
    (ADR 0029), so where versions are forgotten alone nothing is said of them.
    """
    partly = {one["session"] for one in there.said.values() if one.get("scope") == "event"}
    for question, answer in told.items():
        expected = there.resolved(*question)
        if question[3] is None:
            assert answer == expected, question
        elif question[0] not in partly:
            assert answer["selected"] == expected["selected"], question


@settings(max_examples=6, deadline=None)
@given(SETS, BASES)
@example([EARLY], [(moment(1), None)])
def test_i2_what_was_exported_and_imported_answers_as_the_resolver_does_at_every_basis(
    sets: list[list[dict[str, Any]]], bases: list[tuple[str, int | None]]
) -> None:
    with TemporaryDirectory() as name:
        folder, events = Path(name), [*together(sets), WITNESS]
        file, streams = foreign_file(events, WORKSPACE, folder)
        import_events(folder / "first", file, lambda *_: None)
        with opened(folder / "first", events, streams) as first:
            told, raw = asked(first, len(sets), bases)
            check_resolved(first, told)
        for sanitized in (True, False):
            out, store = folder / f"{sanitized}.jsonl", folder / f"{sanitized}"
            question = ExportQuestion(workspace=WORKSPACE, sanitized=sanitized)
            export(folder / "first", question, out, lambda *_: None)
            # It holds the recalls, too, whose decisions are made again by another program.
            assert verify_export(out).wrong == 0
            for _ in range(2):  # what is there already changes nothing (I4)
                import_events(store, out, lambda *_: None)
            with opened(store, events, streams) as second:
                assert asked(second, len(sets), bases) == (told, raw)
