"""Claims that wait for a reviewer's word."""

from __future__ import annotations

from typing import Final

from domain.canonical import JsonObject
from domain.claims.decisions import DecisionState, apply_decision
from domain.claims.known import Memory
from domain.claims.statuses import latest_assessment
from domain.envelope import CorruptEventError
from domain.events import ClaimAssessed
from domain.recorded import RecordedEvent
from read_api.inbox_parts import Part, Place, Site, What, behind, positions
from read_api.known_in_views import KnownInViews

WAITING_FOR_A_WORD: Final[dict[str, What]] = {
    "approvals_missing": "approval",
    "contradiction_withdrawn": "contradiction_withdrawn",
}
"""Blockers that, where there is no other one, a reviewer clears by saying something."""


def waiting_claims(site: Site, place: Place, most: int, look: int) -> Part:
    """Claims whose last assessment says that nothing but a reviewer's word is missing."""
    found = site.events(place, look, ClaimAssessed.TOPIC)
    waiting = [state for event in found.events if (state := _waiting(site, event)) is not None]
    ids = [state.claim[0] for state in waiting]
    memories = KnownInViews(site.connection, site.basis, site.decisions).memories(ids)
    items: list[JsonObject] = []
    for state in waiting:
        if len(items) == most:
            return Part(items, Place(state.position, ""), found.looked, positions(found))
        claim = memories.get(state.claim[0])
        if claim is not None and _is_last(site, claim, state):
            items.append(_claim(site, claim, state))
    return Part(items, behind(found, look), found.looked, positions(found))


def _waiting(site: Site, event: RecordedEvent) -> DecisionState | None:
    state = apply_decision(None, event)
    if state is None or state.assessment is None or not state.home.visible_to(site.basis.viewer):
        return None
    return state if _what(state) is not None else None


def _what(state: DecisionState) -> What | None:
    blockers = [] if state.assessment is None else state.assessment.blockers
    names = [one["blocker"] for one in blockers]
    return WAITING_FOR_A_WORD.get(names[0]) if len(names) == 1 else None


def _is_last(site: Site, claim: Memory, state: DecisionState) -> bool:
    """Whether nothing was assessed since, and the claim still states the same.

    Where what was assessed since cannot be read, it is no more the last one either.
    """
    now = claim[-1].state
    if now.erased or now.forgotten is not None:
        return False
    try:
        last = latest_assessment(claim, site.decisions.newest_assessments(now.id))
    except CorruptEventError:
        return False
    return last is not None and last.id == state.id


def _claim(site: Site, claim: Memory, state: DecisionState) -> JsonObject:
    """Once somebody has said something, what is missing is another assessment."""
    now = claim[-1].state
    said = site.decisions.reviewed_since(now.id, state.position)
    verb = "assess" if said else "approve"
    return {
        "what": _what(state),
        "id": now.id,
        "version": now.version,
        "since": state.recorded_at,
        "position": state.position,
        "because": state.id,
        "policy": state.policy,
        "command": f"memoranda {verb} {now.id} --policy {state.policy}",
    }
