"""SciFact through the importer: `make scifact`.

Reads the claims and abstracts where they lie, tells what they make beside what was expected, and
loads them, and 200 claims that real abstracts are made to disagree about, into a new store. There
every claim is assessed by two shipped policies, and ten are printed as a person would read them.
Options: --data FOLDER (with scifact in it), --keep FOLDER to load into a store that stays. Exit
status 1 where a figure is not the expected one, 2 where the files are not there.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from domain.context import CONTRACT_PERMISSIONS, Context
from ops.importer import import_lines_into
from ops.memoranda import Memoranda
from ops.wiring import open_memoranda
from tests.benchmarks.common import load as load_of_machine
from tests.scifact.conversion import Collection, import_lines, mixed, read
from tests.scifact.counting import as_expected, counts, table
from tests.scifact.judging import (
    EXPECTED,
    EXPECTED_MIXED,
    POLICIES,
    Outcome,
    claim_ids,
    judge,
    totals_table,
)
from tests.scifact.telling import chosen, told

DATA: Final = Path(__file__).resolve().parents[2].parent / "shared" / "data"
WORKSPACE: Final = "scifact"
MIXED: Final = 200
SHOWN: Final = 10
"""Claims that are printed as a person would read them."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    folder = options.data / "scifact"
    collection = read(folder)
    if collection is None:
        print(f"SciFact SKIPPED, NOT LOADED: there is none in {folder} (--data names a folder)")
        return 2
    good = counted(collection)
    print(f"\nload of the machine before: {load_of_machine()}")
    with _store(options.keep) as memoranda:
        good &= loaded(memoranda, collection)
        good &= judged(memoranda, collection)
    print(f"load of the machine after: {load_of_machine()}")
    return 0 if good else 1


def counted(collection: Collection) -> bool:
    """Print what the files make beside what was expected; whether they agree."""
    found = counts(import_lines(collection.claims, collection.abstracts))
    print(f"\n{len(collection.claims)} claims, {len(collection.abstracts)} abstracts in the files")
    for row in table(found):
        print(row)
    return as_expected(found)


def loaded(memoranda: Memoranda, collection: Collection) -> bool:
    """Import everything; print how fast. Whether no line was refused."""
    claims = [*collection.claims, *mixed(collection, MIXED)]
    lines = list(import_lines(claims, collection.abstracts))
    started = time.perf_counter()
    report = import_lines_into(
        memoranda, lines, name="SciFact", workspace=WORKSPACE, actor="scifact"
    )
    written = time.perf_counter() - started
    memoranda.read.wait(WORKSPACE, memoranda.log.head(), 600)
    followed = time.perf_counter() - started
    print(
        f"\n{len(claims)} claims loaded, {MIXED} of them mixed: {report.accepted} lines accepted, "
        f"{report.replayed} of them replayed, {report.refused} refused"
    )
    print(f"  written: {report.accepted / written:,.0f} lines/s ({written:.1f} s)")
    print(f"  until the read models have it: {report.accepted / followed:,.0f} lines/s")
    for refusal in report.refusals:
        print(f"  REFUSED line {refusal.line}: {refusal.code} {refusal.message}")
    return not report.refused


def judged(memoranda: Memoranda, collection: Collection) -> bool:
    """Assess everything; print totals, how fast, and some claims. Whether totals are expected."""
    made = mixed(collection, MIXED)
    claims = [*collection.claims, *made]
    context = assessor()
    found = judge(memoranda, context, claims)
    good = True
    for policy in POLICIES:
        print(f"\n{policy}, {len(collection.claims)} claims:")
        good &= _print_totals(found.totals(collection.claims, policy), EXPECTED[policy])
        print(f"{policy}, {len(made)} mixed claims:")
        good &= _print_totals(found.totals(made, policy), EXPECTED_MIXED[policy])
    count = len(found.outcomes)
    print(
        f"\n{count} assessments recorded: {count / found.seconds:,.0f}/s by the clock, "
        f"{count / found.processor_seconds:,.0f}/s by the processor, followers included"
    )
    ids = claim_ids(memoranda, context)
    for claim in chosen(claims, found, SHOWN):
        print()
        outcomes = {policy: found.outcomes[claim.key, policy] for policy in POLICIES}
        for row in told(memoranda, context, ids[claim.key], outcomes):
            print(row)
    return good


def _print_totals(found: Mapping[Outcome, int], expected: Mapping[Outcome, int]) -> bool:
    for row in totals_table(found, expected):
        print(row)
    return dict(found) == dict(expected)


def assessor() -> Context:
    """Who assesses: not the one who wrote the claims."""
    return Context(
        workspace=WORKSPACE,
        actor="assessor",
        session="assessments",
        permissions=CONTRACT_PERMISSIONS,
        request_id="make scifact",
    )


@contextmanager
def _store(keep: Path | None) -> Iterator[Memoranda]:
    with tempfile.TemporaryDirectory() as folder:
        memoranda = open_memoranda(keep or Path(folder) / "data")
        try:
            yield memoranda
        finally:
            memoranda.close()


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="SciFact through the importer.")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--keep", type=Path, help="a folder for a store that stays")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
