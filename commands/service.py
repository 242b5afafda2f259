"""The write side's one door: a checked request in, an answer out."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from commands.advice import slot_advice
from commands.answers import Answers
from commands.engine import Engine
from commands.erasure import Eraser
from commands.forgetting import Forgetting
from commands.jobs import CommandJob, Group, Outcome, ReceiptRequest
from commands.keystore import KeyStore
from commands.plans import plan_for
from commands.store_errors import StoreError
from domain.canonical import JsonObject
from domain.context import Context
from domain.contract import ForgetInput
from domain.envelope import CorruptEventError
from domain.errors import MemorandaError
from domain.memory import MemoryState
from domain.ports import Clock, DerivedMemories, LogReader
from domain.receipts import receipt_stream
from domain.requests import Request

_LOG: Final = logging.getLogger("memoranda.commands")
Answer = tuple[str, JsonObject]


@dataclass(frozen=True, slots=True)
class CommandService:
    """Executes mutations and proposals. Callers run on their own threads."""

    engine: Engine
    keys: KeyStore
    log: LogReader
    eraser: Eraser
    clock: Clock
    derived: DerivedMemories | None = None
    """Who knows what was made from a memory; None where there are no read models."""

    def execute(self, context: Context, request: Request) -> Answer:
        """One command; raises the MemorandaError that refuses it."""
        answer = self.execute_many([(context, request)], atomic=False)[0]
        if isinstance(answer, MemorandaError):
            raise answer
        return answer

    def execute_many(
        self, commands: Sequence[tuple[Context, Request]], *, atomic: bool
    ) -> list[Answer | MemorandaError]:
        """Several checked commands in one transaction, each with its own verdict."""
        jobs = [self._job(context, request) for context, request in commands]
        verdicts = self.engine.submit(Group(jobs, atomic))
        forgetting = Forgetting(self.eraser, self.log, self.derived)
        refusals = forgetting.carry_out(commands, verdicts)
        return [
            verdict
            if isinstance(verdict, MemorandaError)
            else refusals.get(at) or self._answer(context, request, verdict, forgetting)
            for at, ((context, request), verdict) in enumerate(zip(commands, verdicts, strict=True))
        ]

    def _job(self, context: Context, request: Request) -> CommandJob:
        secrets = self.keys.ensure_workspace(context.workspace)
        plan = plan_for(request.input, context, secrets)
        key = request.idempotency_key
        if not request.is_mutation or key is None:
            return CommandJob(context, plan, None)
        receipt = ReceiptRequest(
            stream=receipt_stream(secrets.ids, context.workspace, context.actor, key),
            fingerprint=request.fingerprint(secrets.fingerprints),
            operation=request.operation,
            idempotency_key=key,
            mode=request.input.mode if isinstance(request.input, ForgetInput) else None,
        )
        return CommandJob(context, plan, receipt)

    def _answer(
        self, context: Context, request: Request, outcome: Outcome, forgetting: Forgetting
    ) -> Answer:
        tag, result = Answers(self.log, context.workspace).of(request.operation, outcome)
        if outcome.replayed:
            return tag, result
        try:
            if request.operation in ("remember", "update", "forget"):
                self._advise(context, outcome, result)
            if isinstance(request.input, ForgetInput):
                result.update(forgetting.advice(context, request.input, outcome))
        except (StoreError, CorruptEventError) as fault:
            # It is recorded: the answer must not say otherwise for want of advice.
            _LOG.warning("advice is left out of an answer: %s", fault)
        return tag, result

    def _advise(self, context: Context, outcome: Outcome, result: JsonObject) -> None:
        receipt = outcome.receipt
        state = None if receipt is None else outcome.states.get(receipt.said.committed_id)
        if isinstance(state, MemoryState) and state.slot_ref is not None:
            advice = slot_advice(
                self.log, context.workspace, context.viewer, state, self.clock.now_us()
            )
            if advice is not None:
                result["slot"] = advice
