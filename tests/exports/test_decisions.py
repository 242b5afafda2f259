"""The verifier decides by its own writing of the policy, and as the resolver does."""

from __future__ import annotations

from typing import Any

import pytest

from domain.instants import parse_instant
from domain.slots import slot_ref
from ops.beside import open_beside
from ops.standalone_verifier import ExportVerifier, Lineage, verify_export
from tests.exports.history import Tampered
from tests.policy.cases import CASES
from tests.policy.foreign import foreign_file

ABOUT_A_SLOT = [case for case in CASES if "key" in case["query"]]


@pytest.mark.parametrize("case", ABOUT_A_SLOT, ids=lambda case: case["id"])
def test_a_slot_is_won_as_the_specification_says(case: dict[str, Any], tmp_path) -> None:
    file, streams = foreign_file(case["events"], "w", tmp_path)
    with open_beside(tmp_path / "w.made") as beside:
        ref = slot_ref(beside.keys.ensure_workspace("w").slots, case["query"]["key"])
    verifier = ExportVerifier(file)
    assert verifier.run().wrong == 0
    known = until(case)
    position = sum(said["id"] in known for said in in_order(case, streams))
    as_of = parse_instant(case["query"]["as_of"], "as_of")
    head = {
        "ctx": {"actor": "ann", "session": case["query"]["session"]},
        "s": {"counts": {"position": position, "as_of_us": as_of}},
    }

    won = verifier._winner(head, {}, ref)

    stood = [one["id"] for one in case["expected"]["excluded"] if one["reason"] == "payload_erased"]
    assert named(verifier, streams, won, position, as_of) == [*case["expected"]["selected"], *stood]


def in_order(case, streams):
    """The events of the case, one for each row of the file."""
    said = {event["id"]: event for event in case["events"]}
    return [said[name] for name in streams.arrived]


def until(case) -> set[str]:
    """The ids of what is known."""
    bound = case["query"].get("as_known_at")
    return {
        event["id"]
        for event in case["events"]
        if bound is None
        or parse_instant(event.get("appended_at", event["recorded_at"]), "at")
        <= parse_instant(bound, "bound")
    }


def named(verifier, streams, stream, position, as_of) -> list[str]:
    """The statement that won, in the words of the case."""
    if stream is None:
        return []
    lineage = Lineage(stream, verifier._said[stream], position)
    best = max(
        lineage.eligible(as_of),
        key=lambda one: (one.bounds["valid_from"], one.recorded, one.version),
    )
    return [streams.names[f"{stream}@{best.version}"]]


def test_a_decision_for_a_loser_is_found_though_every_hash_was_computed_again(files, tmp_path):
    file = Tampered(files[False])
    winner, loser = _mast(file)
    row = _decision(file, winner)
    row["structure"]["s"]["targets"] = [[loser, 1]]
    file.rehash()

    [found] = verify_export(file.write(tmp_path / "edited.jsonl", hashes=True)).findings

    assert found["row"] == row["n"]
    assert f"gave {loser}@1, which is no answer" in found["rule"] or (
        f"gave {loser}, whose slot {winner} wins" in found["rule"]
    )


def test_a_decision_for_an_older_version_is_found(files, tmp_path):
    file = Tampered(files[False])
    row = file.rows[-1]
    [[winner, version]] = row["structure"]["s"]["targets"]
    row["structure"]["s"]["targets"] = [[winner, version - 1]]
    file.rehash()

    [found] = verify_export(file.write(tmp_path / "edited.jsonl", hashes=True)).findings

    assert (found["row"], found["rule"].partition(",")[0]) == (row["n"], f"gave {winner}@1")


def _mast(file):
    """The memory that the slot `mast` was answered with, and another one of it."""
    rows = [row for row in file.rows if row["structure"]["topic"] == "memory.remembered"]
    mast = [
        row["structure"]["stream"]
        for row in rows
        if "payload" in row and "mast" in str(row["payload"]["content"])
    ]
    given = [
        row["structure"]["s"]["targets"][0][0]
        for row in file.rows
        if row["structure"]["topic"] == "recall.recorded" and "payload" in row
        and row["payload"]["filters"].get("slot") == "mast"
    ]  # fmt: skip
    return given[0], next(one for one in mast if one != given[0])


def _decision(file, winner):
    return file.first(
        lambda row: (
            row["structure"]["topic"] == "recall.recorded"
            and "payload" in row
            and row["structure"]["s"]["targets"][0][0] == winner
        )
    )
