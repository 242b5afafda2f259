"""What must hold of a store after all that: told as sentences about what does not."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sqlalchemy import Engine

from domain.events import CommandRecorded, MemoryForgotten
from domain.recorded import RecordedEvent
from ops.rebuild import rebuild
from ops.wiring import Memoranda
from projections.database import open_views
from projections.schema import METADATA
from tests.chaos.journals import Told
from tests.projections.views import tables

ROOT: Final = Path(__file__).resolve().parents[2]
WITHOUT_RECEIPT: Final = (
    "recall.recorded", "consolidation.proposed", "erasure.step", "erasure.completed", "key.issued",
)  # fmt: skip
Key = tuple[str, str, str]


@dataclass
class Verdict:
    """Figures, and every sentence about something that is wrong."""

    events: int = 0
    receipts: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: list[str] = field(default_factory=list)


def judge(memoranda: Memoranda, told: Sequence[Told], rebuilt: Path) -> Verdict:
    """Compare the log with the journals, with itself, and with its read models."""
    events = memoranda.log.after(0, 10**9)
    verdict = judge_log(events, told)
    verdict.wrong += _without_receipt(events, told)
    verdict.wrong += _without_holes(events)
    verdict.wrong += _read_models(memoranda, rebuilt)
    verdict.wrong += _verified(memoranda.folder.path)
    return verdict


def judge_log(events: Sequence[RecordedEvent], told: Sequence[Told]) -> Verdict:
    """What holds of the log in either mode, all of which is given, and of the journals."""
    verdict = Verdict(events=len(events), receipts=sum(bool(one.receipt) for one in told))
    verdict.wrong += _against_journals(events, told, verdict)
    verdict.wrong += _transactions(events)
    verdict.wrong += _streams(events)
    verdict.wrong += _erasures(events)
    return verdict


def _against_journals(
    events: Sequence[RecordedEvent], told: Sequence[Told], verdict: Verdict
) -> Iterator[str]:
    """Every receipt is in the log at its id, version and position; nothing else is, none twice."""
    stored: defaultdict[Key, list[RecordedEvent]] = defaultdict(list)
    for event in events:
        for fact in event.facts:
            if isinstance(fact, CommandRecorded) and fact.payload is not None:
                key = fact.payload.idempotency_key
                stored[event.context.workspace, event.context.actor, key].append(event)
    there = {event.name for event in events}
    receipts = {one.key: one for one in told if one.receipt}
    for key, one in receipts.items():
        found = [_receipt_of(event) for event in stored[key]]
        said = tuple(one.receipt[n] for n in ("committed_id", "committed_version", "position"))
        # An applied proposal's version is the highest among its members'; its own is 2.
        version = 2 if one.envelope["operation"] == "consolidate" else said[1]
        if said not in found or f"{said[0]}@{version}" not in there:
            verdict.lost += 1
            yield f"lost: {key} was answered with {said}, the log says {found}"
    for key, found_events in stored.items():
        if len(found_events) > 1:
            verdict.doubled += 1
            yield f"doubled: {key} is recorded {len(found_events)} times"
        if found_events and key not in receipts:
            yield f"{key} is recorded, and was refused or never asked"


def _receipt_of(event: RecordedEvent) -> tuple[str, int, int]:
    (fact,) = event.facts
    assert isinstance(fact, CommandRecorded)
    assert fact.payload is not None
    return fact.payload.committed_id, fact.payload.committed_version, event.position


def _without_receipt(events: Sequence[RecordedEvent], told: Sequence[Told]) -> Iterator[str]:
    """Recalls and proposals that were answered; a crash of the process loses none of them."""
    for one in unrecorded(events, told):
        yield f"lost: {one.committed_without_receipt} was answered"


def unrecorded(events: Sequence[RecordedEvent], told: Sequence[Told]) -> list[Told]:
    """Answers without a receipt that name what is not in the log."""
    there = {event.name for event in events}
    named = ((one, one.committed_without_receipt) for one in told)
    return [one for one, name in named if name is not None and f"{name}@1" not in there]


def _transactions(events: Sequence[RecordedEvent]) -> Iterator[str]:
    """What a command wrote stands together, ends with its receipt, and is all of it."""
    open_events: list[RecordedEvent] = []
    appended = 0
    for event in events:
        if event.appended_us != appended and open_events:
            yield f"position {open_events[0].position} has no receipt in its transaction"
            open_events = []
        appended = event.appended_us
        if event.topic in WITHOUT_RECEIPT:
            continue
        open_events.append(event)
        for fact in event.facts:
            if isinstance(fact, CommandRecorded):
                names = {one.name for one in open_events}
                missing = {f"{name}@{version}" for name, version in fact.targets} - names
                if missing or {one.context for one in open_events} != {event.context}:
                    yield f"position {event.position}: the transaction is not whole"
                open_events = []
    if open_events:
        yield f"position {open_events[0].position} has no receipt"


def _streams(events: Sequence[RecordedEvent]) -> Iterator[str]:
    """Versions count from 1 in every stream, without a hole."""
    versions: Counter[str] = Counter()
    for event in events:
        versions[event.stream] += 1
        if event.version != versions[event.stream]:
            yield f"{event.name} comes after version {versions[event.stream] - 1}"


def _without_holes(events: Sequence[RecordedEvent]) -> Iterator[str]:
    """Positions count from 1: SQLite, unlike a sequence of PostgreSQL, gives them all."""
    for number, event in enumerate(events, 1):
        if event.position != number:
            yield f"position {event.position} comes after {number - 1}"


def _erasures(events: Sequence[RecordedEvent]) -> Iterator[str]:
    """What was to be erased is erased: the versions up to the forget, or the one it names."""
    payloads: defaultdict[str, list[RecordedEvent]] = defaultdict(list)
    for event in events:
        if event.key is not None and event.topic != MemoryForgotten.TOPIC:
            payloads[event.stream].append(event)
    for event in events:
        for fact in event.facts:
            if isinstance(fact, MemoryForgotten) and fact.mode == "application_delete":
                one = {version for _, version in fact.targets or ()}
                for covered in payloads[event.stream]:
                    by_it = covered.version in one if one else covered.version < event.version
                    if by_it and not covered.erased:
                        yield f"{covered.name} can be read after {event.name}"


def _read_models(memoranda: Memoranda, rebuilt: Path) -> Iterator[str]:
    """Live read models equal a rebuild, column by column."""
    head = memoranda.log.head()
    if memoranda.runner.wait_for("", head, 60.0) < head:
        yield "the read models do not reach the end of the log"
        return
    rebuild(memoranda.log, rebuilt, lambda _done, _head: None)
    live = open_views(memoranda.folder.views)
    again = open_views(rebuilt)
    try:
        yield from differences(live, again)
    finally:
        live.dispose()
        again.dispose()


def differences(live: Engine, again: Engine, but: Sequence[str] = ()) -> Iterator[str]:
    """Where the rows of two sets of read models differ; some tables may be left out."""
    here, there = tables(live), tables(again)
    for table in METADATA.sorted_tables:
        if table.name in but:
            continue
        rows, others = here.get(table.name, []), there.get(table.name, [])
        if len(rows) != len(others):
            yield f"{table.name}: {len(rows)} rows live, {len(others)} rebuilt"
        for row, other in zip(rows, others, strict=False):
            for column, one, two in zip(table.columns, row, other, strict=True):
                if one != two:
                    yield f"{table.name}.{column.name}: {one!r} live, {two!r} rebuilt"


def _verified(folder: Path) -> Iterator[str]:
    """The program that shares nothing with ours finds nothing wrong."""
    done = subprocess.run(
        [
            sys.executable, ROOT / "docs" / "verify.py", folder / "log.db",
            "--keys", folder / "keys.db", "--master-key", folder / "master.key",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode or not done.stdout.endswith(" events verified, 0 wrong\n"):
        yield f"docs/verify.py: {done.stdout}{done.stderr}"
