"""One batch: load, decide in order, append once. The engine runs it; nothing here waits.

A batch holds the groups of many callers. What one command decides is seen by the next; what one
refuses costs only its own caller (design.md §3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from commands.clock import StrictClock
from commands.jobs import CommandJob, Group, Job, Outcome, ReceiptRequest, RecordJob, Verdict
from commands.keystore import KeyStore
from commands.sealing import Sealed, Sealer
from commands.store_rows import ApiKeyChange, NewRow, RefRow, part_of
from commands.working import View, Working
from domain.decisions import Decision, Fact
from domain.envelope import EventContext
from domain.errors import MemorandaError, invalid
from domain.event_bases import Target
from domain.events import CommandRecorded, ErasureStep, Receipt
from domain.ids import DECISION, MEMORY, PROPOSAL, RECEIPT, RELATIONSHIP
from domain.instants import Micros, server_time
from domain.receipts import ReceiptState, expect_same
from domain.recorded import RecordedEvent
from domain.references import event_refs
from domain.slots import slot_ref

_Now: TypeAlias = tuple[str, Micros]
_RECORDS: Final = (MEMORY, RELATIONSHIP, PROPOSAL, DECISION)


@dataclass(slots=True)
class Pending:
    """What an accepted job will say once its rows have positions."""

    last_row: int
    states: dict[str, object]
    targets: tuple[Target, ...]
    receipt: str | None
    replayed: bool = False


@dataclass(slots=True)
class Batch:
    """Rows to append, and a verdict for each job."""

    working: Working
    sealer: Sealer
    keys: KeyStore
    clock: StrictClock
    new_id: Callable[[str], str]
    parts: int
    rows: list[NewRow] = field(default_factory=list)
    refs: list[RefRow] = field(default_factory=list)
    api_keys: list[ApiKeyChange] = field(default_factory=list)
    events: list[RecordedEvent] = field(default_factory=list)
    not_before_us: int = 0
    trusting: bool = True
    """Take receipts as new without a look: the append refuses the one that is not."""
    decided: list[tuple[Group, list[Pending | MemorandaError]]] = field(default_factory=list)

    def run(self, groups: Sequence[Group]) -> None:
        """Decide all groups, in order."""
        self._prefetch(job for group in groups for job in group.jobs)
        for group in groups:
            self.decided.append((group, self._group(group)))

    def _prefetch(self, jobs: Iterable[Job]) -> None:
        wanted: set[str] = set()
        receipts: set[str] = set()
        for job in jobs:
            if isinstance(job, RecordJob):
                wanted.update(fact.stream for fact in job.facts)
            else:
                wanted.update(job.plan.needs(View(self.working, job.context.workspace)))
                if job.receipt is not None:
                    receipts.add(job.receipt.stream)
        if wanted or not self.trusting:
            # There is a SELECT anyway: the receipts cost nothing more.
            self.working.require(wanted | receipts)
        else:
            self.working.presume_new(receipts)

    def _group(self, group: Group) -> list[Pending | MemorandaError]:
        if not group.atomic:
            return [self._verdict(job) for job in group.jobs]
        saved = self.working.snapshot()
        marks = len(self.rows), len(self.refs)
        verdicts: list[Pending | MemorandaError] = []
        for job in group.jobs:
            verdict = self._verdict(job)
            verdicts.append(verdict)
            if isinstance(verdict, MemorandaError):
                self.working.restore(saved)
                del self.rows[marks[0] :], self.events[marks[0] :], self.refs[marks[1] :]
                return _refused(group, len(verdicts) - 1, verdict)
        return verdicts

    def _verdict(self, job: Job) -> Pending | MemorandaError:
        try:
            if isinstance(job, RecordJob):
                return self._recorded(job)
            return self._command(job)
        except MemorandaError as refusal:
            return refusal

    def _recorded(self, job: RecordJob) -> Pending:
        # A host's recording time is that of mutations; what happens by itself happens now.
        now = self._clock_now()
        self.api_keys.extend(job.api_keys)
        self._put(job.context.for_event(), job.facts, now)
        return Pending(len(self.rows) - 1, {}, (), None)

    def _command(self, job: CommandJob) -> Pending:
        view = View(self.working, job.context.workspace)
        known = self._known(job, view)
        if known is not None:
            return self._replay(job, known)
        try:
            return self._decided(job, view)
        except MemorandaError:
            # What would be refused now may have been done before.
            if job.receipt is None or not self.working.look_again(job.receipt.stream):
                raise
            known = self._known(job, view)
            if known is None:
                raise
            return self._replay(job, known)

    def _known(self, job: CommandJob, view: View) -> ReceiptState | None:
        if job.receipt is None:
            return None
        self.working.current(job.receipt.stream)
        return view.receipt(job.receipt.stream)

    def _decided(self, job: CommandJob, view: View) -> Pending:
        while missing := job.plan.needs(view):
            self.working.require(missing)
        now = self._now(job)
        decision = Decision(
            context=job.context,
            now=now[0],
            now_us=now[1],
            new_id=self._fresh_id,
            slot_ref=lambda slot: slot_ref(
                self.keys.ensure_workspace(job.context.workspace).slots, slot
            ),
        )
        facts = job.plan.decide(view, decision)
        context = job.context.for_event()
        self._put(context, facts, now)
        pending = self._changed(facts)
        if job.receipt is not None:
            recorded = _receipt_of(job.receipt, job.plan.committed(facts, view), pending.targets)
            self._put(context, [Fact(job.receipt.stream, recorded)], now)
            pending.receipt = job.receipt.stream
        pending.last_row = len(self.rows) - 1
        return pending

    def _fresh_id(self, prefix: str) -> str:
        """A new id needs no look into the store: nobody can have it."""
        fresh = self.new_id(prefix)
        self.working.expect_nothing(fresh)
        return fresh

    def _replay(self, job: CommandJob, known: ReceiptState) -> Pending:
        receipt = job.receipt
        expect_same(known, None if receipt is None else receipt.fingerprint)
        return Pending(-1, {}, known.targets, receipt.stream if receipt else None, replayed=True)

    def _changed(self, facts: Sequence[Fact]) -> Pending:
        """The records that facts changed, as they are now, and the erasures that they ask for."""
        states: dict[str, object] = {}
        targets: list[Target] = []
        for fact in facts:
            stream = fact.stream
            if stream.startswith(_RECORDS) and stream not in states:
                aggregate = self.working.get(stream)
                if aggregate is not None:
                    states[stream] = aggregate.state
                    targets.append((stream, aggregate.version))
        states.update({f.stream: f.event for f in facts if isinstance(f.event, ErasureStep)})
        return Pending(-1, states, tuple(targets), None)

    def _now(self, job: Job) -> _Now:
        return job.context.recorded_at or self._clock_now()

    def _clock_now(self) -> _Now:
        micros = self.clock.now_us()
        # appended_at is never before a recording time that we gave: nothing stored lies ahead.
        self.not_before_us = max(self.not_before_us, micros)
        return server_time(micros), micros

    def _put(self, context: EventContext, facts: Sequence[Fact], now: _Now) -> None:
        for fact in facts:
            before = self.working.current(fact.stream)
            sealed = self.sealer.seal(
                stream=fact.stream,
                version=1 if before is None else before.version + 1,
                event=fact.event,
                context=context,
                recorded_at=now[0],
                prev=None if before is None else before.hash,
            )
            event = _event(sealed, fact, context, now)
            refs = event_refs(event)
            for kind, ref in refs:
                self.refs.append(RefRow(sealed.workspace, kind, ref, fact.stream, len(self.rows)))
            self.rows.append(_row(sealed, self.parts))
            self.events.append(event)
            self.working.apply(event, refs)

    def settle(self, positions: Sequence[int]) -> None:
        """After the append: give every caller its verdict."""
        for event, position in zip(self.events, positions, strict=True):
            if event.stream.startswith(RECEIPT):
                self.working.place_receipt(event.stream, position)
        self.working.commit(event.stream for event in self.events)
        for group, verdicts in self.decided:
            group.answer([self._final(verdict, positions) for verdict in verdicts])

    def _final(self, verdict: Pending | MemorandaError, positions: Sequence[int]) -> Verdict:
        if isinstance(verdict, MemorandaError):
            return verdict
        receipt: ReceiptState | None = None
        if verdict.receipt is not None:
            aggregate = self.working.get(verdict.receipt)
            receipt = None if aggregate is None else aggregate.state
        return Outcome(
            receipt=receipt,
            replayed=verdict.replayed,
            states=verdict.states,
            targets=verdict.targets,
            position=receipt.position if receipt else positions[verdict.last_row],
        )


def _refused(group: Group, index: int, error: MemorandaError) -> list[Pending | MemorandaError]:
    """Nothing of an atomic group is done: its culprit says why, the others name the culprit."""
    other = invalid(f"items.{index} was refused, and the batch is atomic", field=f"items.{index}")
    return [error if at == index else other for at in range(len(group.jobs))]


def _receipt_of(
    asked: ReceiptRequest, committed: tuple[str, int], targets: Sequence[Target]
) -> CommandRecorded:
    said = Receipt(
        operation=asked.operation,
        idempotency_key=asked.idempotency_key,
        fingerprint=asked.fingerprint,
        committed_id=committed[0],
        committed_version=committed[1],
        mode=asked.mode,
    )
    return CommandRecorded(targets=list(targets), payload=said)


def _row(sealed: Sealed, parts: int) -> NewRow:
    return NewRow(
        stream=sealed.stream,
        version=sealed.version,
        topic=sealed.topic,
        state=sealed.state,
        event_hash=sealed.hash,
        workspace=sealed.workspace,
        part=part_of(sealed.stream, sealed.workspace, parts),
    )


def _event(sealed: Sealed, fact: Fact, context: EventContext, now: _Now) -> RecordedEvent:
    """The event as it will be read back; its position is given by the append."""
    return RecordedEvent(
        position=0,
        appended_us=0,
        stream=sealed.stream,
        version=sealed.version,
        topic=sealed.topic,
        recorded_at=now[0],
        recorded_us=now[1],
        context=context,
        facts=(fact.event,),
        erased=False,
        key=sealed.key,
        hash=sealed.hash.hex(),
    )
