"""A running Memoranda: the one object behind every door."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from commands.api_keys import ApiKeys
from commands.assessing import Assessor
from commands.deriving import Deriver
from commands.extracting import Extracting
from commands.faults import told_in_words
from commands.proposals import ProposalBook
from commands.service import CommandService
from commands.validation_policies import PolicyBook
from commands.windows import Windows
from commands.workspace_settings import SettingsBook
from domain import limits
from domain.canonical import Json, JsonObject
from domain.context import Context
from domain.contract import RecallInput, TraceInput
from domain.errors import MemorandaError, invalid
from domain.ports import LogReader
from domain.requests import CONTRACT_VERSION, Request, parse_request
from ops.data_folder import DataFolder
from ops.metrics import Metrics
from ops.parts import OpenFor
from ops.recall_index import RecallIndex
from read_api.assessment_replay import Assessments
from read_api.claims import Claims
from read_api.memtables import Memtables
from read_api.queries import Queries
from read_api.reassessing import Reassessing
from read_api.recall import Recall
from read_api.replay import Replay
from read_api.trace import Trace
from read_api.warming import Warmer
from read_api.why_not import WhyNot
from read_api.window_replay import WindowReplay
from workers.following import Following


@dataclass(frozen=True, slots=True)
class Memoranda:
    """A running Memoranda: commands and questions in, answers out. Close it when done."""

    folder: DataFolder
    keys: ApiKeys
    settings: SettingsBook
    policies: PolicyBook
    rejections: ProposalBook
    windows: Windows
    extracting: Extracting | None
    """What takes up windows that wait; None without a model."""
    window_replay: WindowReplay
    log: LogReader
    read: Queries
    claims: Claims
    assessor: Assessor
    deriver: Deriver
    assessments: Assessments
    reassessing: Reassessing
    why_not: WhyNot
    replay: Replay
    runner: Following
    commands: CommandService
    recall: Recall
    trace: Trace
    memtables: Memtables
    index: RecallIndex
    warmer: Warmer
    metrics: Metrics
    _open: OpenFor
    _closing: ExitStack

    def execute(self, context: Context, value: Json) -> JsonObject:
        """One operation of the v1 contract: the parsed envelope in, the answer's body out.

        Raises MemorandaError (spec/operations.md §1).
        """
        context = self.settings.trusted(context)
        request = self._parsed(context, value)
        with self.metrics.timed(request.operation), self._open, told_in_words():
            match request.input:
                case RecallInput():
                    answer = self.recall.answer(context, request.input)
                    self.metrics.recalled(answer)
                    return _body("recall", answer)
                case TraceInput():
                    return _body("trace", self.trace.answer(context, request.input))
                case _:
                    return _body(*self.commands.execute(context, request))

    def execute_many(
        self, context: Context, items: Sequence[Json], *, atomic: bool = False
    ) -> list[JsonObject]:
        """Up to 500 mutations in one transaction, each with its own verdict, in order."""
        return self.execute_each([(context, item) for item in items], atomic=atomic)

    def execute_each(
        self, items: Sequence[tuple[Context, Json]], *, atomic: bool = False
    ) -> list[JsonObject]:
        """`execute_many`, with a context for each item (imports name a time for each)."""
        if not 1 <= len(items) <= limits.BATCH_MAX:
            raise invalid(f"items must hold 1 to {limits.BATCH_MAX} mutations", field="items")
        items = [(self.settings.trusted(context), value) for context, value in items]
        parsed = [self._checked(context, value) for context, value in items]
        refused = [at for at, one in enumerate(parsed) if isinstance(one, MemorandaError)]
        if atomic and refused:
            return [_atomic_refusal(one, refused[0]) for one in parsed]
        good = [
            (context, one)
            for (context, _), one in zip(items, parsed, strict=True)
            if isinstance(one, Request)
        ]
        with self._open, told_in_words():
            done = self.commands.execute_many(good, atomic=atomic) if good else []
        for (_, request), answer in zip(good, done, strict=True):
            self.metrics.decided(request.operation, answer)
        answers = iter(done)
        return [
            _refusal(one) if isinstance(one, MemorandaError) else _verdict(next(answers))
            for one in parsed
        ]

    def reject_proposal(
        self, context: Context, proposal_id: str, reason: str, key: str | None
    ) -> JsonObject:
        """Decide against a proposal to consolidate (`ProposalBook.reject`)."""
        context = self.settings.trusted(context)
        with self._open, told_in_words():
            return self.rejections.reject(context, proposal_id, reason, key)

    def _parsed(self, context: Context, value: Json) -> Request:
        try:
            request = parse_request(value)
            request.check(context)
        except MemorandaError as refusal:
            self.metrics.refused(value, refusal)
            raise
        return request

    def _checked(self, context: Context, value: Json) -> Request | MemorandaError:
        try:
            request = self._parsed(context, value)
        except MemorandaError as refusal:
            return refusal
        if isinstance(request.input, (RecallInput, TraceInput)):
            return invalid("a batch takes mutations: ask recall and trace alone", field="operation")
        return request

    def close(self) -> None:
        """Answer everybody who has asked, then stop following, then close the files."""
        self._open.close()
        self._closing.close()


def _body(tag: str, result: JsonObject) -> JsonObject:
    return {
        "contract_version": CONTRACT_VERSION,
        "result": {"operation": tag, "result": result},
    }


def _verdict(answer: tuple[str, JsonObject] | MemorandaError) -> JsonObject:
    return _refusal(answer) if isinstance(answer, MemorandaError) else _body(*answer)


def _refusal(error: MemorandaError) -> JsonObject:
    return {"ok": False, "error": error.as_wire()}


def _atomic_refusal(one: Request | MemorandaError, culprit: int) -> JsonObject:
    if isinstance(one, MemorandaError):
        return _refusal(one)
    name = f"items.{culprit}"
    return _refusal(invalid(f"{name} was refused, and the batch is atomic", field=name))
