"""Facts and procedures: made from claims or episodes, each derived from every one of them.

What it was made from stays as it is; when one of them falls, the derived memory shows it
(`stale_sources`, `needs_review`, gaps). It is private where one of them, or the assessment that it
cites, is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from commands.assessing import Policies
from commands.receipted import Receipted
from commands.working import View
from domain import checks, memory_decisions
from domain.canonical import JsonObject
from domain.claims.decisions import DecisionState
from domain.claims.pieces import DERIVED_FROM
from domain.context import Context
from domain.contract import Content, RememberInput
from domain.decisions import Decision, Fact
from domain.errors import MemorandaError, invalid, not_found
from domain.event_bases import Target
from domain.events import Related
from domain.ids import MEMORY, decode_id
from domain.memory import MemoryState
from domain.relationship_decisions import new_edge
from domain.validation.assessing import cited_content

CONTRIBUTORS_MAX: Final = 100
Kind = Literal["fact", "procedure"]


class AssessedClaims(Protocol):
    """Assessments, as they were recorded."""

    def assessed(self, context: Context, assessment: str) -> DecisionState:
        """One of them; NOT_FOUND for whatever is no assessment for who asks."""
        ...


@dataclass(frozen=True, slots=True)
class _Derive:
    """The plan of a derived memory and of the relationships to what it was made from."""

    contributors: Sequence[Target]
    said: RememberInput

    def needs(self, view: View) -> set[str]:
        return view.missing([memory for memory, _ in self.contributors])

    def decide(self, view: View, d: Decision) -> list[Fact]:
        states = [
            _contributor(view.memory(memory), version, d, f"claims.{at}")
            for at, (memory, version) in enumerate(self.contributors)
        ]
        private = any(state.home.visibility == "private" for state in states)
        private = private or self.said.visibility == "private"
        said = self.said.model_copy(update={"visibility": "private"}) if private else self.said
        facts = memory_decisions.remember(d, said, None, None)
        derived = facts[-1].stream
        link = Related(kind=DERIVED_FROM, properties={}, provenance=[], identity_key=None)
        edges = [new_edge(d, derived, state.id, private=private, payload=link) for state in states]
        return [*facts, *edges]

    def committed(self, facts: list[Fact], _: View) -> tuple[str, int]:
        return facts[0].stream, 1


def _contributor(state: MemoryState | None, version: int, d: Decision, field: str) -> MemoryState:
    found = memory_decisions.addressable(state, d.context.viewer, field)
    try:
        memory_decisions.expect_version(found.version, version)
    except MemorandaError as refusal:
        refusal.field = field
        raise
    return found


@dataclass(frozen=True, slots=True)
class Deriver:
    """Makes derived memories. Callers run on their own threads."""

    receipted: Receipted
    policies: Policies
    assessments: AssessedClaims

    def derive(
        self,
        context: Context,
        contributors: Sequence[Target],
        kind: Kind,
        content: Content,
        *,
        policy: str,
        assessment: str | None,
        key: str | None,
    ) -> JsonObject:
        """A fact or a procedure from memories at their versions: `{record, receipt}`.

        VERSION_CONFLICT where one of them has changed. `assessment` must be of one of them and by
        the policy; it may be left out where none of them is a claim. All in one transaction.
        """
        context.require("write")
        request = self.receipted.request(
            context,
            "derive",
            key,
            [list(map(list, contributors)), kind, content.as_json(), policy, assessment],
        )
        context = self.receipted.trusted(context)
        known = self.receipted.known(context, request)
        if known is not None:
            return known
        _check(contributors)
        checks.content(content.as_json(), "content")
        self.policies.named(context.workspace, policy)
        # What cites a decision is told to nobody who could not look that up.
        home = "workspace"
        if assessment is not None:
            home = self._cited(context, assessment, contributors, policy).home.visibility
        cited = [
            {"source_id": memory, "locator": f"@{version}", "observed_at": None}
            for memory, version in contributors
        ]
        said = RememberInput.model_validate(
            {
                "kind": kind,
                "schema_version": "1",
                "content": cited_content(content.as_json(), policy, assessment),
                "provenance": cited,
                "tags": [],
                "visibility": home,
            }
        )
        said.check()
        return self.receipted.done(context, request, _Derive(contributors, said))

    def _cited(
        self, context: Context, assessment: str, contributors: Sequence[Target], policy: str
    ) -> DecisionState:
        found = self.assessments.assessed(context, assessment)
        if found.claim[0] not in {memory for memory, _ in contributors}:
            raise invalid(
                "assessment is of none of the claims: name one of them", field="assessment"
            )
        if found.policy != policy:
            raise invalid("assessment was made by another policy: name that", field="policy")
        return found


def _check(contributors: Sequence[Target]) -> None:
    if not 1 <= len(contributors) <= CONTRIBUTORS_MAX:
        raise invalid(f"claims must name 1 to {CONTRIBUTORS_MAX} memories", field="claims")
    if len({memory for memory, _ in contributors}) < len(contributors):
        raise invalid("claims names a memory twice: name each once", field="claims")
    for at, (memory, _) in enumerate(contributors):
        if decode_id(memory, MEMORY) is None:
            raise not_found("the memory", field=f"claims.{at}", reason="TARGET_NOT_FOUND")
