"""The events by which a verdict on a proposal takes effect (docs/spec/bundle.md §3)."""

from __future__ import annotations

from typing import Final

from commands.working import View
from domain import memory_decisions
from domain.bundle_events import (
    CitationAdded,
    Citing,
    ConceptOpened,
    ConceptOpening,
    Takeaway,
    TakeawayAdded,
    TakeawayMoved,
)
from domain.bundles.identity import NO_REPOSITORY, concept_path, slug
from domain.bundles.reconciling import Begin, Cite, Judged, Move, Standing
from domain.bundles.sending import Sent
from domain.bundles.shelved import Shelved
from domain.bundles.window_body import ProposalBody
from domain.bundles.wording import Wording
from domain.canonical import JsonObject
from domain.consolidation import SUPERSEDED_BY
from domain.contract import RememberInput
from domain.decisions import Decision, Fact
from domain.event_bases import Target
from domain.events import IdentityClaimed, IdentityReleased, MemorySuperseded, Related
from domain.relationship_decisions import new_edge

_ANCHOR_CHARACTERS: Final = 60


class Effects:
    """Turns verdicts on the proposals of one window into facts, and keeps the shelf up to date."""

    def __init__(self, d: Decision, sent: Sent, known: Shelved, view: View, version: int) -> None:
        self._d = d
        self._sent = sent
        self._known = known
        self._view = view
        self._window: Target = (sent.id, version)
        self._home: JsonObject = {
            "session": d.context.session,
            "visibility": "private",
            "owner": d.context.actor,
        }
        self.facts: list[Fact] = []
        self.memories: dict[str, int] = {}
        """The memories that the window speaks of, at their versions."""
        self._cited: set[tuple[str, bool]] = set()
        """Takeaways that this window gave evidence for already, and whether it was late."""

    def carry_out(self, proposal: ProposalBody, judged: Judged) -> str | None:
        """The facts of one verdict; the memory that its takeaway has then, None for no takeaway."""
        memory = self._carried_out(proposal, judged)
        self._known.made.note(proposal, judged, memory, self._sent.evidence)
        return memory

    def _carried_out(self, proposal: ProposalBody, judged: Judged) -> str | None:
        match judged.effect:
            case Begin() as begin:
                return self._begin(proposal, begin)
            case Move() as move:
                return self._move(proposal, move)
            case Cite() as cite:
                return self._cite(proposal, cite)
            case None:
                return None

    def _begin(self, proposal: ProposalBody, begin: Begin) -> str:
        if begin.opens:
            self._open(proposal, begin.concept_id)
        memory = self._remember(proposal)
        anchor = slug(_rule(proposal), _ANCHOR_CHARACTERS)
        added = TakeawayAdded(
            **self._home,
            target_id=memory,
            targets=[(memory, 1), (begin.concept_id, 1), self._window],
            payload=self._says(proposal, anchor),
        )
        self.facts.append(Fact(begin.takeaway_id, added))
        self._cited.add((begin.takeaway_id, False))
        self._claim_wording(begin.takeaway_id, None, _wording(proposal))
        return memory

    def _open(self, proposal: ProposalBody, concept_id: str) -> None:
        title, kind = proposal.title or "", proposal.concept_type or ""
        repo = self._sent.shelf.repo
        opened = ConceptOpened(
            **self._home,
            payload=ConceptOpening(
                source_id=self._sent.source_id,
                repo_identifier=repo,
                concept_type=kind,
                concept_path=concept_path(self._d.context.actor, repo, kind, title),
                title=title,
            ),
        )
        self.facts.append(Fact(concept_id, opened))

    def _move(self, proposal: ProposalBody, move: Move) -> str:
        before = move.before
        memory = self._remember(proposal)
        self._supersede(before.memory_id, memory)
        state = self._known.state(before.id)
        known = None if state is None else state.sayings[0].said
        anchor = (
            slug(_rule(proposal), _ANCHOR_CHARACTERS) if known is None else known.display_anchor
        )
        moved = TakeawayMoved(
            **self._home,
            mode=move.mode,
            target_id=memory,
            targets=[(memory, 1), (before.concept_id, 1), self._window],
            payload=self._says(proposal, anchor),
        )
        self.facts.append(Fact(before.id, moved))
        self._cited.add((before.id, False))
        self._claim_wording(before.id, before.wording, _wording(proposal))
        return memory

    def _supersede(self, old: str, new: str) -> None:
        """The memory before, if it can still be addressed, gives way to the new one."""
        state = self._view.memory(old)
        if state is not None and state.forgotten is not None:
            return
        home = {**self._home, "slot_ref": None} if state is None else memory_decisions.homed(state)
        superseded = MemorySuperseded(**home, lifecycle="superseded", target_id=new)
        link = Related(kind=SUPERSEDED_BY, properties={}, provenance=[], identity_key=None)
        self.facts.append(Fact(old, superseded))
        self.facts.append(new_edge(self._d, old, new, private=True, payload=link))

    def _cite(self, proposal: ProposalBody, cite: Cite) -> str:
        before = cite.before
        version = self._version(before.memory_id)
        self.memories[before.memory_id] = version
        if self._cited_already(before, cite):
            return before.memory_id
        said = proposal.durable_claim
        offered: JsonObject | None = None
        if cite.mode == "late" and said is not None:
            offered = {"claim_text": proposal.claim_text, **said.model_dump()}
        added = CitationAdded(
            **self._home,
            mode=cite.mode,
            target_id=before.memory_id,
            targets=[(before.memory_id, version), self._window],
            payload=Citing(
                citation=self._citation(proposal), reason=proposal.reason, offered=offered
            ),
        )
        self.facts.append(Fact(before.id, added))
        return before.memory_id

    def _cited_already(self, before: Standing, cite: Cite) -> bool:
        """Whether this window said so of the takeaway before, now or in an earlier attempt."""
        said = (before.id, cite.mode == "late")
        state = self._known.state(before.id)
        known = said in self._cited or (
            state is not None
            and any(
                one.window_id == self._sent.id and (one.cited_as == "late") == said[1]
                for one in state.cited
            )
        )
        self._cited.add(said)
        return known

    def _remember(self, proposal: ProposalBody) -> str:
        """The memory that recall reads, rendered from rule, scope and rationale."""
        said = proposal.durable_claim
        parts = () if said is None else (said.rule, said.scope, said.rationale)
        evidence = ",".join(dict.fromkeys(proposal.primary_evidence_ids))
        asked = RememberInput.model_validate(
            {
                "kind": proposal.memory_type,
                "schema_version": "1",
                "content": {
                    "format": "text_and_properties",
                    "value": {
                        "text": "\n".join(part for part in parts if part),
                        "properties": {"repo": self._sent.shelf.repo or NO_REPOSITORY},
                    },
                },
                "provenance": [
                    {
                        "source_id": self._sent.source_id,
                        "locator": f"{self._sent.id}#{evidence}",
                        "observed_at": self._sent.observed_at,
                    }
                ],
                "confidence": proposal.confidence,
                "tags": list(dict.fromkeys(proposal.tags)),
                "visibility": "private",
            }
        )
        asked.check()
        facts = memory_decisions.remember(self._d, asked, None, None)
        self.facts.extend(facts)
        memory = facts[-1].stream
        self.memories[memory] = 1
        return memory

    def _says(self, proposal: ProposalBody, anchor: str) -> Takeaway:
        said = proposal.durable_claim
        if said is None or proposal.memory_type is None or proposal.confidence is None:
            raise AssertionError("a proposal that applies is whole")
        return Takeaway(
            display_anchor=anchor,
            claim_text=proposal.claim_text,
            rule=said.rule,
            scope=said.scope,
            rationale=said.rationale,
            memory_type=proposal.memory_type,
            tags=list(dict.fromkeys(proposal.tags)),
            confidence=proposal.confidence,
            reason=proposal.reason,
            citation=self._citation(proposal),
        )

    def _citation(self, proposal: ProposalBody) -> JsonObject:
        return self._sent.citation(proposal.primary_evidence_ids, proposal.citations)

    def _claim_wording(self, takeaway: str, before: Wording | None, now: Wording) -> None:
        """The guard of a wording names the takeaway that says it; the one before is let go."""
        shelf, view = self._sent.shelf, self._view
        old = None if before is None else shelf.wording_guard(before)
        new = shelf.wording_guard(now)
        if old is not None and old != new:
            view.working.require([old])
            if view.holder(old) == takeaway:
                self.facts.append(Fact(old, IdentityReleased(target_id=takeaway)))
        self.facts.append(Fact(new, IdentityClaimed(target_id=takeaway)))

    def _version(self, memory: str) -> int:
        """The version that a memory has, by what is decided so far."""
        state = self._view.memory(memory)
        return 1 if state is None else state.version


def _rule(proposal: ProposalBody) -> str:
    return "" if proposal.durable_claim is None else proposal.durable_claim.rule


def _wording(proposal: ProposalBody) -> Wording:
    said = proposal.durable_claim
    if said is None:
        raise AssertionError("a proposal that applies says something durable")
    return Wording(said.rule, said.scope)
