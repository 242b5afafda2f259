"""What callers hand to the engine, and what they get back."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, NamedTuple

from commands.plans import Plan
from commands.store_rows import ApiKeyChange
from domain.context import Context
from domain.decisions import Fact
from domain.errors import MemorandaError
from domain.event_bases import Target
from domain.receipts import ReceiptState


# Tuples, since each command makes one of each: to make a frozen dataclass takes a call a field.
class ReceiptRequest(NamedTuple):
    """What a mutation's receipt will say beside what it commits."""

    stream: str
    fingerprint: str
    operation: str
    idempotency_key: str
    mode: str | None


class CommandJob(NamedTuple):
    """One command; without `receipt` it is a proposal, which has none."""

    context: Context
    plan: Plan
    receipt: ReceiptRequest | None


@dataclass(frozen=True, slots=True)
class RecordJob:
    """Facts that need no decision: a recall, an API key, the step of an erasure.

    `durable=False` lets the last fraction of a second be lost in a power cut; only recalls ask
    for it (design.md §3).
    """

    context: Context
    facts: Sequence[Fact]
    durable: bool = True
    api_keys: Sequence[ApiKeyChange] = ()


Job = CommandJob | RecordJob


class Outcome(NamedTuple):
    """What became of a job.

    `states` are the records that it changed, at the versions that it made; empty for a replay,
    whose answer is read from the log. `position` is the last position of the job.
    """

    receipt: ReceiptState | None
    replayed: bool
    states: dict[str, Any]
    targets: tuple[Target, ...]
    position: int


Verdict = Outcome | MemorandaError


@dataclass(frozen=True, slots=True)
class Commit:
    """An append that stands: its last position, how many events, and whether any changes records.

    A recall is recorded without changing any.
    """

    position: int
    events: int
    changes: bool


@dataclass(slots=True)
class Group:
    """Jobs of one caller, committed together; atomic: all or nothing.

    `verdicts` are there once they are decided and stored. A caller that waits for another thread
    to do it waits on `answered`.
    """

    jobs: Sequence[Job]
    atomic: bool = False
    verdicts: list[Verdict] | None = None
    answered: Future[None] | None = None

    def answer(self, verdicts: list[Verdict]) -> None:
        """Give the caller its verdicts."""
        self.verdicts = verdicts
        if self.answered is not None:
            self.answered.set_result(None)
