"""Assessments and reviews of claims: what is read is recorded with what came out of it.

Outside of the contract, with the receipts of the contract (spec/operations.md §8): the same key
again gives the stored answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from commands.receipted import Receipted
from commands.working import View
from domain import memory_decisions
from domain.canonical import Json, JsonObject
from domain.claims.gathering import Gathered
from domain.claims.statement import CLAIM_KINDS
from domain.context import Context
from domain.contract import Patch
from domain.decisions import Decision, Fact
from domain.errors import Code, MemorandaError, invalid, not_found
from domain.events import Review, ReviewApproved, ReviewRejected
from domain.ids import DECISION, MEMORY, decode_id
from domain.memory import MemoryState
from domain.validation.assessing import Assessed, decided_content
from domain.validation.definition import Definition, check_policy_name

Verdict = Literal["approved", "rejected"]


class EvidenceReader(Protocol):
    """Reads claims for decisions; the read side."""

    def assessed(
        self, context: Context, claim: str, policy: str, as_of: str | None, without: Sequence[str]
    ) -> Assessed:
        """The claim judged by a policy at the head of the log."""
        ...

    def gathered(self, context: Context, claim: str) -> Gathered:
        """The claim and the evidence about it, at the head of the log."""
        ...


class Policies(Protocol):
    """The validation policies of workspaces."""

    def named(self, workspace: str, name: str) -> Definition:
        """The rules of a policy that may be used; refuses one that is unknown or retired."""
        ...


@dataclass(frozen=True, slots=True)
class _Assess:
    """The plan of an assessment: recorded as it was read; with `apply` the update that cites it."""

    assessed: Assessed
    apply: bool

    @property
    def _claim(self) -> str:
        return self.assessed.found.evidence.claim.target[0]

    def needs(self, view: View) -> set[str]:
        return view.missing([self._claim])

    def decide(self, view: View, d: Decision) -> list[Fact]:
        state = _claim_of(view.memory(self._claim), d)
        decision = d.new_id(DECISION)
        facts = [Fact(decision, self.assessed.event())]
        if not self.apply:
            return facts
        read = self.assessed.found.evidence.claim.target[1]
        if state.content is None:
            raise not_found("the claim", field="claim_id", reason="TARGET_DELETED")
        content = decided_content(
            state.content, self.assessed.recommended, self.assessed.policy, decision
        )
        patch = Patch.model_validate({"content": content})
        patch.check()
        return [*facts, *memory_decisions.update(d, state, patch, read)]

    def committed(self, facts: list[Fact], _: View) -> tuple[str, int]:
        return facts[0].stream, 1


@dataclass(frozen=True, slots=True)
class _Review:
    """The plan of a reviewer's word about a claim at a version."""

    claim: str
    version: int
    policy: str
    verdict: Verdict

    def needs(self, view: View) -> set[str]:
        return view.missing([self.claim])

    def decide(self, view: View, d: Decision) -> list[Fact]:
        state = _claim_of(view.memory(self.claim), d)
        memory_decisions.expect_version(state.version, self.version)
        kind = ReviewApproved if self.verdict == "approved" else ReviewRejected
        said = kind(
            session=state.home.session,
            visibility=state.home.visibility,
            owner=state.home.owner,
            target_id=self.claim,
            targets=[(self.claim, self.version)],
            payload=Review(policy=self.policy),
        )
        return [Fact(d.new_id(DECISION), said)]

    def committed(self, facts: list[Fact], _: View) -> tuple[str, int]:
        return facts[0].stream, 1


def _expect(assessed: Assessed, version: int | None) -> None:
    """VERSION_CONFLICT where the claim is at another version than is expected, if any is."""
    memory_decisions.expect_version(assessed.found.evidence.claim.target[1], version)


def _expect_shown(assessed: Assessed) -> None:
    """INVALID_REQUEST where a status would cite what some who read it cannot look up."""
    if assessed.hidden:
        raise invalid(
            "some of the evidence is private, and the claim is not: assess it without apply, or "
            "support it with what all may read",
            field="apply",
            reason="PRIVATE_EVIDENCE",
        )


def _claim_of(state: MemoryState | None, d: Decision) -> MemoryState:
    found = memory_decisions.addressable(state, d.context.viewer, "claim_id")
    if found.kind not in CLAIM_KINDS:
        raise not_found("the claim", field="claim_id", reason="TARGET_NOT_FOUND")
    return found


@dataclass(frozen=True, slots=True)
class Assessor:
    """Assesses and reviews claims. Callers run on their own threads."""

    receipted: Receipted
    evidence: EvidenceReader
    policies: Policies

    def what_if(
        self,
        context: Context,
        claim: str,
        policy: str,
        as_of: str | None,
        without: Sequence[str],
        *,
        expected_version: int | None = None,
    ) -> JsonObject:
        """The judgement if some memories or relationships were not there; nothing is recorded.

        INVALID_REQUEST where the claim is one of them, VERSION_CONFLICT as `assess`.
        """
        context.require("write")
        context = self.receipted.trusted(context)
        self._check(context, claim, policy)
        if claim in without:
            raise invalid("exclude names the claim itself: leave that out", field="exclude")
        assessed = self.evidence.assessed(context, claim, policy, as_of, without)
        _expect(assessed, expected_version)
        return {
            "assessment": None,
            "claim": list(assessed.found.evidence.claim.target),
            "exclude": sorted(set(without)),
            **assessed.verdict().model_dump(),
            "pieces": [one.as_json() for one in assessed.judgement.pieces],
        }

    def assess(
        self,
        context: Context,
        claim: str,
        policy: str,
        *,
        key: str | None,
        as_of: str | None = None,
        apply: bool = False,
        expected_version: int | None = None,
    ) -> JsonObject:
        """Judge a claim by a policy and record it; with `apply` write the status that comes out.

        `{assessment, receipt}`, and as `applied` the version of the claim that cites it, where one
        does. VERSION_CONFLICT where the claim is not at `expected_version`, or has changed while it
        was judged. Nothing is written then.
        """
        context.require("write")
        said: list[Json] = [claim, policy, as_of, apply, expected_version]
        request = self.receipted.request(context, "assess", key, said)
        context = self.receipted.trusted(context)
        known = self.receipted.known(context, request)
        if known is not None:
            return known
        self._check(context, claim, policy)
        assessed = self.evidence.assessed(context, claim, policy, as_of, ())
        _expect(assessed, expected_version)
        if apply:
            _expect_shown(assessed)
        return self.receipted.done(context, request, _Assess(assessed, apply))

    def review(
        self,
        context: Context,
        claim: str,
        policy: str,
        verdict: Verdict,
        *,
        key: str | None,
        version: int | None = None,
    ) -> JsonObject:
        """What a reviewer says about what the claim states now: `{review, receipt}`.

        PERMISSION_DENIED without `review`, or of who wrote the claim or evidence for it.
        """
        context.require("review")
        said: list[Json] = [claim, policy, verdict, version]
        request = self.receipted.request(context, "review", key, said)
        context = self.receipted.trusted(context)
        known = self.receipted.known(context, request)
        if known is not None:
            return known
        self._check(context, claim, policy)
        found = self.evidence.gathered(context, claim)
        evidence = found.evidence
        memory_decisions.expect_version(evidence.claim.target[1], version)
        writers = evidence.claim.authors.union(*(piece.authors for piece in evidence.pieces))
        if verdict == "approved" and context.actor in writers:
            raise MemorandaError(
                Code.PERMISSION_DENIED,
                "who wrote a claim or the evidence about it cannot approve it: ask somebody else",
                field="claim_id",
                reason="OWN_CLAIM",
            )
        plan = _Review(claim, evidence.claim.target[1], policy, verdict)
        return self.receipted.done(context, request, plan)

    def _check(self, context: Context, claim: str, policy: str) -> None:
        check_policy_name(policy, "policy")
        if decode_id(claim, MEMORY) is None:
            raise not_found("the claim", field="claim_id", reason="TARGET_NOT_FOUND")
        self.policies.named(context.workspace, policy)
