"""What a window has made while its proposals are decided one after the other. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from domain.bundles.reconciling import Begin, Cite, Judged, Move, Standing, wording_of
from domain.bundles.takeaways import Evidence
from domain.bundles.window_body import ProposalBody


@dataclass(slots=True)
class Made:
    """Takeaways and concepts as earlier proposals of the window have left them."""

    takeaways: dict[str, Standing] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)

    def note(
        self, proposal: ProposalBody, judged: Judged, memory_id: str | None, evidence: Evidence
    ) -> None:
        """Let later proposals see what came out of this one; `memory_id` is its takeaway's."""
        match judged.effect:
            case Begin(takeaway_id, concept_id, opens):
                if opens:
                    self.opened.add(concept_id)
                self._stands(takeaway_id, concept_id, proposal, memory_id, evidence)
            case Move(before, _):
                self._stands(before.id, before.concept_id, proposal, memory_id, evidence)
            case Cite(before, "restated"):
                newer = max(before.evidence, evidence)
                self.takeaways[before.id] = before._replace(evidence=newer)
            case _:
                pass

    def _stands(
        self,
        takeaway_id: str,
        concept_id: str,
        proposal: ProposalBody,
        memory_id: str | None,
        evidence: Evidence,
    ) -> None:
        self.takeaways[takeaway_id] = Standing(
            id=takeaway_id,
            concept_id=concept_id,
            memory_id=memory_id or "",
            wording=wording_of(proposal),
            evidence=evidence,
            active=True,
        )
