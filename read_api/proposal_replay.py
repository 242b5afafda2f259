"""A proposal, decided once more from the log alone: no read model is asked.

What was proposed, applied and rejected is decided again by the same rules, on the members and the
relationships as they stood then, and held against what was recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from domain.canonical import Json, JsonObject
from domain.context import Context
from domain.errors import not_found
from domain.event_bases import Target
from domain.events import ConsolidationApplied, ConsolidationProposed, ConsolidationRejected
from domain.ids import PROPOSAL, decode_id
from domain.ports import LogReader
from domain.proposals import ProposalState, apply_proposal
from domain.recorded import RecordedEvent
from domain.visibility import Viewer
from read_api.differing import DIFFERS, EXCEPT_ERASED, IDENTICAL, Difference, differences
from read_api.histories import Histories
from read_api.proposal_sides import applied, proposed, rejected

_MEMBERS: Final = ("members", "canonical_id", "visibility", "disagreements", "applied", "rejected")
"""What is compared, in the order in which a difference is told."""


@dataclass(frozen=True, slots=True)
class ProposalReplay:
    """Replays proposals. Safe to share between threads."""

    log: LogReader
    trusted: Callable[[Context], Context]

    def replay(self, context: Context, proposal_id: str) -> JsonObject:
        """`{proposal_id, verdict, first_difference, erased, recorded, replayed, position}`.

        `verdict` is `identical`, `identical_except_erased` where only that is missing which went
        with a member that was forgotten since, or `differs`. NOT_FOUND for what is not to be seen.
        """
        context = self.trusted(context)
        head = self.log.head()
        events, state = self._told(context, proposal_id)
        viewer = Viewer(events[0].context.actor, context.viewer.session)
        histories = Histories(self.log, context.workspace, viewer)
        was, now = _sides(histories, events)
        erased = sorted(_gone(histories, state.members))
        verdict, first = _compared(was, now, erased)
        return {
            "proposal_id": proposal_id,
            "verdict": verdict,
            "first_difference": None if first is None else first.wire(),
            "erased": erased,
            "recorded": was,
            "replayed": now,
            "position": head,
        }

    def _told(
        self, context: Context, proposal_id: str
    ) -> tuple[Sequence[RecordedEvent], ProposalState]:
        named = decode_id(proposal_id, PROPOSAL) is not None
        events = self.log.stream(context.workspace, proposal_id) if named else []
        state: ProposalState | None = None
        for event in events:
            state = apply_proposal(state, event)
        if state is None or not state.home.visible_to(context.viewer):
            raise not_found("the proposal")
        return events, state


def _sides(histories: Histories, events: Sequence[RecordedEvent]) -> tuple[JsonObject, JsonObject]:
    """What was recorded, and what comes out now."""
    was: JsonObject = dict.fromkeys(_MEMBERS)
    now: JsonObject = dict.fromkeys(_MEMBERS)
    state: ProposalState | None = None
    for event in events:
        for fact in event.facts:
            match fact:
                case ConsolidationProposed():
                    one, other = proposed(histories, event, fact)
                    was |= one
                    now |= other
                case ConsolidationApplied() if state is not None:
                    was["applied"], now["applied"] = applied(histories, event, fact, state)
                case ConsolidationRejected() if state is not None:
                    was["rejected"], now["rejected"] = rejected(histories, event, fact, state)
        state = apply_proposal(state, event)
    return was, now


def _gone(histories: Histories, members: Sequence[Target]) -> Iterator[str]:
    """The members of which the text that was seen is not to be seen any more."""
    found = histories.memories(member for member, _ in members)
    for member, version in members:
        history = found.get(member)
        if history is None or version > len(history.states):
            continue
        if history.last.forgotten is not None or history.at(version).erased:
            yield member


def _compared(
    was: JsonObject, now: JsonObject, erased: Collection[str]
) -> tuple[str, Difference | None]:
    """What was erased since may change which disagreements come out, and nothing else."""
    first = next(differences(was, now), None)
    if first is None:
        return IDENTICAL, None
    if not erased:
        return DIFFERS, first
    told = was["disagreements"] is not None
    before, after = (_lasting(side, erased, told=told) for side in (was, now))
    lasting = next(differences(before, after), None)
    return (EXCEPT_ERASED, first) if lasting is None else (DIFFERS, lasting)


def _lasting(side: Mapping[str, Json], erased: Collection[str], *, told: bool) -> JsonObject:
    """What of a side does not depend on what was erased."""
    pairs = (side["disagreements"] or []) if told else []
    lasting = [pair for pair in pairs if set(pair["memory_ids"]).isdisjoint(erased)]
    return {**side, "disagreements": lasting}
