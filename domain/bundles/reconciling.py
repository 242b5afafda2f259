"""What becomes of a proposal: the order of docs/spec/bundle.md §4, first hit decides. Pure.

Whoever wrote a proposal, nothing that it says is trusted: ids are looked up among what is the
owner's in this repository, and its evidence must be what the user said in own words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

from domain.bundles.matching import Choice, choose
from domain.bundles.takeaways import Evidence
from domain.bundles.window_body import ProposalBody
from domain.bundles.wording import Wording, wording_key
from domain.canonical import JsonObject

Outcome: TypeAlias = Literal[
    "applied",
    "skipped_not_memory",
    "parse_failed",
    "rejected_scope",
    "skipped_ambiguous",
    "skipped_conflict",
]


class Standing(NamedTuple):
    """A takeaway as it stands: `wording` is None where it was erased.

    `active` says that its memory may be recalled; only such are matched.
    """

    id: str
    concept_id: str
    memory_id: str
    wording: Wording | None
    evidence: Evidence
    active: bool


class Known(Protocol):
    """What is the owner's in the repository of the window; all else is absent."""

    def has_concept(self, concept_id: str) -> bool:
        """Whether there is such a concept."""
        ...

    def takeaway(self, takeaway_id: str) -> Standing | None:
        """One takeaway."""
        ...

    def alike(self, wording: Wording) -> Sequence[Standing]:
        """The active takeaways that may be about the same, by what is said."""
        ...

    def concept_id(self, concept_type: str, title: str) -> str:
        """The id of the concept of a type and a title, there or not."""
        ...

    def takeaway_id(self, concept_id: str, wording: Wording) -> str:
        """The id of the takeaway that a wording would begin in a concept, there or not."""
        ...


class Begin(NamedTuple):
    """A new takeaway; `opens` says that its concept is new, too."""

    takeaway_id: str
    concept_id: str
    opens: bool


class Move(NamedTuple):
    """The takeaway says something else from here on."""

    before: Standing
    mode: Literal["revision", "supersession"]


class Cite(NamedTuple):
    """More evidence for a takeaway that stays as it is."""

    before: Standing
    mode: Literal["restated", "late"]


Effect: TypeAlias = Begin | Move | Cite


class Judged(NamedTuple):
    """The verdict on a proposal, and what it does; what fails does nothing."""

    outcome: Outcome
    reason: str
    effect: Effect | None = None
    covered: tuple[str | None, str | None] = (None, None)
    choice: Choice | None = None

    @property
    def restated(self) -> bool:
        """Whether it says what its takeaway says already."""
        return isinstance(self.effect, Cite) and self.effect.mode == "restated"


def judge(
    proposal: ProposalBody, known: Known, evidence: Evidence, authority: frozenset[str]
) -> Judged:
    """What becomes of a proposal of a window, on what is known when it is decided."""
    unfit = _unauthorised(proposal, authority)
    if proposal.action == "no_output" or unfit is not None:
        covered = _covered(proposal, known) if unfit is None else (None, None)
        return Judged("skipped_not_memory", unfit or proposal.reason, covered=covered)
    wording = wording_of(proposal)
    if not proposal.claim_text.strip() or wording is None:
        missing = "durable_claim" if proposal.durable_claim is None else "claim_text"
        return Judged("parse_failed", f"{missing} is missing or blank: say what holds from now on")
    if proposal.concept_id is not None or proposal.claim_id is not None:
        named = _named(proposal, known)
        if named is None:
            return _REJECTED
        concept_id, takeaway = named
        if takeaway is not None:
            return _onto(takeaway, proposal, wording, evidence)
        return _matched(proposal, known, evidence, wording, concept_id)
    return _matched(proposal, known, evidence, wording, None)


_REJECTED = Judged(
    "rejected_scope",
    "concept_id or claim_id names nothing that is yours in this repository: leave them out, or "
    "send the window with the repository that they belong to",
)


def wording_of(proposal: ProposalBody) -> Wording | None:
    """What is compared of a proposal; None where it says nothing durable."""
    said = proposal.durable_claim
    return None if said is None else Wording(said.rule, said.scope)


def resolve(
    proposal: ProposalBody, known: Known, evidence: Evidence, takeaway_id: str | None
) -> Judged | None:
    """A proposal that was ambiguous, as its owner decided: about that takeaway, or a new one.

    None where the takeaway is not the owner's, in this repository.
    """
    wording = wording_of(proposal)
    if wording is None:
        return None
    if takeaway_id is None:
        return _fresh(proposal, known, evidence, wording, proposal.concept_id, None)
    takeaway = known.takeaway(takeaway_id)
    return None if takeaway is None else _onto(takeaway, proposal, wording, evidence)


def _unauthorised(proposal: ProposalBody, authority: frozenset[str]) -> str | None:
    """Why the evidence of a proposal authorises nothing."""
    if proposal.action == "no_output":
        return None
    unfit = [one for one in proposal.primary_evidence_ids if one not in authority]
    if unfit:
        return f"no statement of the user in this window: {', '.join(unfit)}"
    if not proposal.primary_evidence_ids:
        return "primary_evidence_ids is empty: name the statements of the user that say so"
    return None


def _covered(proposal: ProposalBody, known: Known) -> tuple[str | None, str | None]:
    """The covered ids, as far as they are the owner's in this repository."""
    concept, claim = proposal.covered_concept_id, proposal.covered_claim_id
    if concept is not None and not known.has_concept(concept):
        return None, None
    takeaway = None if claim is None else known.takeaway(claim)
    if takeaway is None or concept not in (None, takeaway.concept_id):
        return concept, None
    return takeaway.concept_id, takeaway.id


def _named(proposal: ProposalBody, known: Known) -> tuple[str, Standing | None] | None:
    """The concept and the takeaway that a proposal names; None where they do not fit."""
    concept_id, takeaway = proposal.concept_id, None
    if proposal.claim_id is not None:
        takeaway = known.takeaway(proposal.claim_id)
        if takeaway is None:
            return None
        concept_id = concept_id or takeaway.concept_id
        if takeaway.concept_id != concept_id:
            return None
    if concept_id is None or not known.has_concept(concept_id):
        return None
    return concept_id, takeaway


def _matched(
    proposal: ProposalBody,
    known: Known,
    evidence: Evidence,
    wording: Wording,
    concept_id: str | None,
) -> Judged:
    alike = {one.id: one for one in known.alike(wording) if one.active}
    said = [(one.id, one.wording) for one in alike.values() if one.wording is not None]
    choice = choose(wording, said)
    if choice.kind == "ambiguous":
        reason = "several takeaways are close, or one is nearly the same: resolve it"
        return Judged("skipped_ambiguous", reason, choice=choice)
    if choice.chosen is not None:
        return _onto(alike[choice.chosen], proposal, wording, evidence, choice)
    return _fresh(proposal, known, evidence, wording, concept_id, choice)


def _onto(
    takeaway: Standing,
    proposal: ProposalBody,
    wording: Wording,
    evidence: Evidence,
    choice: Choice | None = None,
) -> Judged:
    """A proposal about a takeaway: the same again, a change of it, or evidence that is too late."""
    known = takeaway.wording
    if takeaway.active and known is not None and wording_key(known) == wording_key(wording):
        return Judged("applied", proposal.reason, Cite(takeaway, "restated"), choice=choice)
    if evidence < takeaway.evidence:
        reason = "the takeaway rests on newer evidence: recorded beside it, and not moved to"
        return Judged("skipped_conflict", reason, Cite(takeaway, "late"), choice=choice)
    replaced = proposal.action == "supersede_existing_claim"
    move = Move(takeaway, "supersession" if replaced else "revision")
    return Judged("applied", proposal.reason, move, choice=choice)


def _fresh(
    proposal: ProposalBody,
    known: Known,
    evidence: Evidence,
    wording: Wording,
    concept_id: str | None,
    choice: Choice | None,
) -> Judged:
    """Nothing is alike: a takeaway begins, where the proposal says of what topic."""
    if proposal.action in {"update_existing_claim", "supersede_existing_claim"} and choice:
        return Judged(
            "rejected_scope",
            "nothing of yours in this repository is like it: name claim_id, or create it",
            choice=choice,
        )
    opens = False
    if concept_id is None:
        if proposal.title is None or proposal.concept_type is None:
            return Judged(
                "parse_failed",
                "title and concept_type are needed for a new topic, or concept_id of a known one",
                choice=choice,
            )
        concept_id = known.concept_id(proposal.concept_type, proposal.title)
        opens = not known.has_concept(concept_id)
        if opens and proposal.action == "add_new_claim":
            return Judged(
                "parse_failed",
                "add_new_claim is for a known topic: name concept_id, or create the concept",
                choice=choice,
            )
    takeaway_id = known.takeaway_id(concept_id, wording)
    existing = None if opens else known.takeaway(takeaway_id)
    if existing is not None:
        # It began with these words, and says something else by now: it is about the same.
        return _onto(existing, proposal, wording, evidence, choice)
    return Judged("applied", proposal.reason, Begin(takeaway_id, concept_id, opens), choice=choice)


def candidates(choice: Choice | None, known: Known) -> list[JsonObject]:
    """What a proposal was compared with, best first: `{claim_id, concept_id, memory_id, …}`."""
    found: list[JsonObject] = []
    for takeaway_id, comparison in () if choice is None else choice.compared:
        takeaway = known.takeaway(takeaway_id)
        if takeaway is not None:
            found.append(
                {
                    "claim_id": takeaway.id,
                    "concept_id": takeaway.concept_id,
                    "memory_id": takeaway.memory_id,
                    "score": comparison.score,
                    "verdict": comparison.verdict,
                    "differing": list(comparison.differing),
                }
            )
    return found
