"""Mutations outside of the contract, with its receipts (spec/operations.md §8).

The same key again gives the stored answer; with another request it is refused.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import dataclass

from commands.answers import Answers
from commands.engine import Engine
from commands.jobs import CommandJob, Group, Outcome, ReceiptRequest
from commands.keystore import KeyStore
from commands.plans import Plan
from domain.canonical import Json, JsonObject, canonical
from domain.context import Context
from domain.errors import MemorandaError
from domain.ports import LogReader
from domain.receipts import ReceiptState, apply_receipt, expect_same, receipt_stream
from domain.requests import needed_key


@dataclass(frozen=True, slots=True)
class Receipted:
    """Executes plans under idempotency keys.

    `trusted` gives a context what holds in its workspace.
    """

    engine: Engine
    keys: KeyStore
    log: LogReader
    trusted: Callable[[Context], Context]

    def request(
        self, context: Context, operation: str, key: str | None, said: list[Json]
    ) -> ReceiptRequest:
        """What a mutation will be known by; `said` is all that it asks for."""
        given = needed_key(key)
        secrets = self.keys.ensure_workspace(context.workspace)
        digest = hmac.digest(secrets.fingerprints, canonical([operation, said]), "sha256")
        return ReceiptRequest(
            stream=receipt_stream(secrets.ids, context.workspace, context.actor, given),
            fingerprint=digest.hex(),
            operation=operation,
            idempotency_key=given,
            mode=None,
        )

    def known(self, context: Context, request: ReceiptRequest) -> JsonObject | None:
        """The answer that a key was given before; None for a new one."""
        state: ReceiptState | None = None
        for event in self.log.stream(context.workspace, request.stream):
            state = apply_receipt(state, event)
        if state is None:
            return None
        expect_same(state, request.fingerprint)
        return self._answer(
            context, request, Outcome(state, True, {}, state.targets, state.position)
        )

    def done(self, context: Context, request: ReceiptRequest, plan: Plan) -> JsonObject:
        """Carry out a plan, and answer; the MemorandaError that refuses it."""
        verdict = self.engine.submit(Group([CommandJob(context, plan, request)]))[0]
        if isinstance(verdict, MemorandaError):
            raise verdict
        return self._answer(context, request, verdict)

    def _answer(self, context: Context, request: ReceiptRequest, outcome: Outcome) -> JsonObject:
        _, answer = Answers(self.log, context.workspace).of(request.operation, outcome)
        return answer
