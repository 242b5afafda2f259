"""Which claims a policy would now recommend otherwise; nothing is changed, nothing recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Final

from pydantic import Field

from domain.canonical import JsonObject
from domain.claims.decisions import DecisionState, apply_decision
from domain.context import Context
from domain.envelope import CorruptEventError
from domain.events import ClaimAssessed
from domain.ports import LogReader
from domain.validation.assessing import assess
from domain.validation.definition import check_policy_name
from read_api.around_damage import around_damage
from read_api.claim_site import ClaimSite
from read_api.claims import Claims
from read_api.list_filters import POSITION_MAX, Waiting
from read_api.past_basis import AskedBasis, told

LOOKED_AT_MAX: Final = 200
"""Assessments that one page looks at."""
_TOPICS: Final = (ClaimAssessed.TOPIC,)


class ReassessmentQuestion(Waiting):
    """Of which assessments."""

    policy: Annotated[str, Field(description="The policy that assessed them, and does it again.")]
    since: Annotated[
        int,
        Field(ge=0, le=POSITION_MAX, description="Assessments recorded behind this position."),
    ] = 0


class Reassessing:
    """Assesses again what was assessed before. Safe to share between threads."""

    def __init__(self, claims: Claims, log: LogReader) -> None:
        self._claims = claims
        self._log = log

    def answer(self, context: Context, asked: ReassessmentQuestion) -> JsonObject:
        """`{items, next_since, damaged, basis, position}`: what would come out otherwise.

        A page looks at 200 assessments, and at each claim in the one that is its latest under the
        policy. `next_since` is null at the end of the log; `damaged` are the positions of those
        that cannot be read, whose claims are not looked at.
        """
        check_policy_name(asked.policy, "policy")
        with self._claims.site(context, AskedBasis()) as site:
            definition = site.policies.in_force(asked.policy)
            here = site.basis.workspace
            read = around_damage(
                lambda after, most: self._log.after(after, most, workspace=here, topics=_TOPICS),
                asked.since,
                LOOKED_AT_MAX,
            )
            states = (apply_decision(None, event) for event in read.events)
            latest = {
                one.claim[0]: one
                for one in states
                if one is not None and _is_latest(site, one, asked.policy)
            }
            found = site.gathered(latest, reviewed=True)
            items = [
                _told(was, now.judgement.as_json())
                for claim, was in latest.items()
                if claim in found
                for now in [
                    assess(found[claim], was.actor, asked.policy, definition, site.basis.position)
                ]
                if was.assessment is not None and now.recommended != was.assessment.recommended
            ]
            more = read.looked == LOOKED_AT_MAX
            return {
                "items": items,
                "next_since": read.last if more else None,
                "damaged": [one.position for one in read.damaged],
                "basis": told(site.basis),
                "position": site.basis.position,
            }


def _is_latest(site: ClaimSite, one: DecisionState, policy: str) -> bool:
    if one.policy != policy or not one.home.visible_to(site.basis.viewer):
        return False
    newest = _under(site.decisions.newest_assessments(one.claim[0]), policy)
    try:
        return next(newest, one).id == one.id
    except CorruptEventError:  # of a later one, which is told where the page comes to it
        return False


def _under(decisions: Iterable[DecisionState], policy: str) -> Iterator[DecisionState]:
    return (one for one in decisions if one.policy == policy)


def _told(was: DecisionState, now: JsonObject) -> JsonObject:
    return {
        "claim": list(was.claim),
        "assessment_id": was.id,
        "was": None if was.assessment is None else was.assessment.recommended,
        "now": now["recommended"],
        "blockers": now["blockers"],
        "dimensions": now["dimensions"],
    }
