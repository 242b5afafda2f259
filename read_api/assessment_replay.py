"""An assessment, computed again from the log alone: no read model is asked.

The evidence of its basis is gathered once more and judged by the policy as it stood there, retired
since or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from domain.canonical import Json, JsonObject
from domain.claims.decisions import DecisionState
from domain.claims.gathering import gather
from domain.context import Context
from domain.errors import not_found
from domain.event_bases import Target
from domain.ids import MEMORY
from domain.ports import LogReader
from domain.validation.assessing import Assessed, assess
from domain.validation.policies import PoliciesState
from domain.visibility import Viewer
from read_api.decisions import Decisions
from read_api.differing import DIFFERS, EXCEPT_ERASED, IDENTICAL, Difference, differences
from read_api.histories import Histories
from read_api.known_in_log import KnownInLog
from read_api.queries import Trusted

_COMPARED: Final = ("definition", "evidence", "complete", "recommended", "blockers", "dimensions")
"""What is compared, in the order in which a difference is told."""


class Assessments:
    """Reads assessments and reviews from the log, and replays them. Safe between threads."""

    def __init__(
        self, log: LogReader, policies: Callable[[str, int], PoliciesState], trusted: Trusted
    ) -> None:
        self._log = log
        self._policies = policies
        self._trusted = trusted

    def one(self, context: Context, decision: str) -> JsonObject:
        """A decision as it was recorded; NOT_FOUND for what is absent or another's."""
        context = self._trusted(context)
        head = self._log.head()
        return {**self._found(context, decision, head).as_json(), "position": head}

    def assessed(self, context: Context, assessment: str) -> DecisionState:
        """An assessment; NOT_FOUND for a review, and for what is absent or another's."""
        found = self._found(self._trusted(context), assessment, self._log.head())
        if found.assessment is None:
            raise not_found("the assessment", field="assessment")
        return found

    def replay(self, context: Context, decision: str) -> JsonObject:
        """`identical`, `identical_except_erased`, or `differs` with the first difference.

        `{assessment_id, verdict, first_difference, erased, replayed, position}`.
        """
        context = self._trusted(context)
        head = self._log.head()
        recorded = self._found(context, decision, head)
        if recorded.assessment is None:
            raise not_found("the assessment", field="assessment_id")
        again = self._again(context, recorded)
        erased = sorted(self._gone(context, [recorded.claim, *recorded.read]))
        was, now = _side(recorded), None if again is None else _again_side(again)
        first = next(differences(was, now or dict.fromkeys(was)), None)
        return {
            "assessment_id": decision,
            "verdict": _verdict(first, was, now, erased=bool(erased)),
            "first_difference": None if first is None else first.wire(),
            "erased": erased,
            "replayed": now,
            "position": head,
        }

    def _found(self, context: Context, decision: str, head: int) -> DecisionState:
        found = Decisions(self._log, context.workspace, context.viewer, head).one(decision)
        if found is None:
            raise not_found("the decision", field="assessment_id")
        return found

    def _again(self, context: Context, recorded: DecisionState) -> Assessed | None:
        """The same once more, as whoever asked for it saw it; None where the claim is gone."""
        viewer = Viewer(recorded.actor, context.viewer.session)
        position = recorded.seen
        records = KnownInLog(
            Histories(self._log, context.workspace, viewer),
            Decisions(self._log, context.workspace, viewer, position),
        )
        claim = recorded.claim[0]
        found = gather(records, [claim], recorded.as_of_us, reviewed=True).get(claim)
        policy = self._policies(context.workspace, position).named.get(recorded.policy)
        if found is None or policy is None:
            return None
        return assess(found, recorded.actor, recorded.policy, policy.definition, position)

    def _gone(self, context: Context, read: list[Target]) -> Iterator[str]:
        """Of what was read the memories that were forgotten or erased since."""
        histories = Histories(self._log, context.workspace, context.viewer)
        wanted = {record: version for record, version in read if record.startswith(MEMORY)}
        for record, history in histories.memories(wanted).items():
            at = history.at(min(wanted[record], len(history.states)))
            if history.last.forgotten is not None or at.erased:
                yield record


def _side(recorded: DecisionState) -> JsonObject:
    said = recorded.as_json()
    return {name: said[name] for name in _COMPARED}


def _again_side(again: Assessed) -> JsonObject:
    event = again.event()
    _, *read = event.targets
    said = {**again.verdict().model_dump(), "evidence": [f"{one}@{at}" for one, at in read]}
    return {name: said[name] for name in _COMPARED}


def _verdict(
    first: Difference | None,
    was: Mapping[str, Json],
    now: Mapping[str, Json] | None,
    *,
    erased: bool,
) -> str:
    """What was erased since may change what comes out, and nothing else may."""
    if first is None:
        return IDENTICAL
    if erased and (now is None or now["definition"] == was["definition"]):
        return EXCEPT_ERASED
    return DIFFERS
