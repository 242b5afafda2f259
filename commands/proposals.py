"""Deciding against a proposal to consolidate: a command with a receipt, outside the contract."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Final

from commands.engine import Engine
from commands.jobs import CommandJob, Group, Outcome, ReceiptRequest
from commands.keystore import KeyStore
from commands.working import View
from domain import checks, limits
from domain.canonical import JsonObject, canonical
from domain.context import Context
from domain.decisions import Decision, Fact
from domain.errors import MemorandaError
from domain.ids import PROPOSAL, decode_id
from domain.proposals import reject
from domain.receipts import receipt_answer, receipt_stream
from domain.requests import needed_key

REJECT: Final = "reject_proposal"
"""What the receipt calls it."""


@dataclass(frozen=True, slots=True)
class _Rejection:
    """The plan of a rejection: the proposal, then its members."""

    proposal_id: str
    reason: str

    def needs(self, view: View) -> set[str]:
        named = [self.proposal_id] if decode_id(self.proposal_id, PROPOSAL) else []
        return view.missing(named) or view.missing(self._members(view))

    def _members(self, view: View) -> list[str]:
        proposal = view.proposal(self.proposal_id)
        return [] if proposal is None else [member for member, _ in proposal.members]

    def decide(self, view: View, d: Decision) -> list[Fact]:
        states = [view.memory(member) for member in self._members(view)]
        return reject(d, self.reason, view.proposal(self.proposal_id), states)

    def committed(self, facts: list[Fact], view: View) -> tuple[str, int]:
        stream = view.working.get(self.proposal_id)
        return self.proposal_id, 0 if stream is None else stream.version


@dataclass(frozen=True, slots=True)
class ProposalBook:
    """Rejects proposals. Safe to share between threads."""

    engine: Engine
    keys: KeyStore

    def reject(
        self, context: Context, proposal_id: str, reason: str, key: str | None
    ) -> JsonObject:
        """Reject a proposal for good: `{proposal_id, status, receipt}`.

        Needs the permission `consolidate` or `review`, and an idempotency key. Of one that is
        rejected nothing is recorded but the receipt. Refusals: `domain.proposals.reject`,
        INVALID_REQUEST for a blank reason, IDEMPOTENCY_CONFLICT.
        """
        context.require_any("consolidate", "review")
        named = needed_key(key)
        checks.not_blank(reason, "reason", limits.TEXT_BYTES_MAX)
        secrets = self.keys.ensure_workspace(context.workspace)
        said = canonical([REJECT, {"proposal_id": proposal_id, "reason": reason}])
        receipt = ReceiptRequest(
            stream=receipt_stream(secrets.ids, context.workspace, context.actor, named),
            fingerprint=hmac.digest(secrets.fingerprints, said, "sha256").hex(),
            operation=REJECT,
            idempotency_key=named,
            mode=None,
        )
        plan = _Rejection(proposal_id, reason)
        verdict = self.engine.submit(Group([CommandJob(context, plan, receipt)]))[0]
        if isinstance(verdict, MemorandaError):
            raise verdict
        return _answer(verdict)


def _answer(outcome: Outcome) -> JsonObject:
    if outcome.receipt is None:
        raise AssertionError("a rejection has a receipt")
    return {
        "proposal_id": outcome.receipt.said.committed_id,
        "status": "rejected",
        "receipt": receipt_answer(outcome.receipt, replayed=outcome.replayed),
    }
