"""Applying a validation policy to a claim: what is recorded, and what applying it writes. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from domain.canonical import JsonObject, copied
from domain.claims.gathering import Gathered
from domain.claims.pieces import CONTRADICTS, SUPPORTS, Evidence
from domain.claims.statement import ASSESSMENT_NAME, POLICY_NAMES, STATUS_NAMES
from domain.errors import invalid
from domain.events import Assessment, ClaimAssessed
from domain.instants import server_time
from domain.validation.definition import Definition
from domain.validation.judgement import Judgement, judge


class Assessed(NamedTuple):
    """A judgement of the evidence about a claim, at a position of the log."""

    found: Gathered
    judgement: Judgement
    policy: str
    definition: Definition
    position: int
    assessor: str

    @property
    def hidden(self) -> bool:
        """Whether some who read the claim could not read on what it was judged."""
        shared = self.found.memory[-1].state.home.visibility == "workspace"
        return shared and self.found.evidence.private

    @property
    def recommended(self) -> str:
        """The status that the policy recommends."""
        return self.judgement.recommended

    def event(self) -> ClaimAssessed:
        """What is recorded: names, numbers and ids; every version that was read.

        One that read something private is private to who asked for it, as all of that is.
        """
        evidence = self.found.evidence
        home = self.found.memory[-1].state.home
        claim = evidence.claim.target
        read = [one for one in evidence.read if one[0] != claim[0]]
        return ClaimAssessed(
            session=home.session,
            visibility="private" if evidence.private else home.visibility,
            owner=self.assessor if evidence.private else home.owner,
            target_id=claim[0],
            targets=[claim, *read],
            counts=_counts(evidence),
            payload=self.verdict(),
        )

    def verdict(self) -> Assessment:
        """The part of the event that says what came out."""
        return Assessment(
            policy=self.policy,
            definition=self.definition.digest,
            recommended=self.judgement.recommended,
            blockers=[one.as_json() for one in self.judgement.blockers],
            dimensions=self.judgement.dimensions.as_json(),
            basis={
                "position": self.position,
                "as_of": server_time(self.found.evidence.as_of_us),
            },
            complete=self.found.evidence.complete,
        )


def assess(
    found: Gathered, assessor: str, policy: str, definition: Definition, position: int
) -> Assessed:
    """What a policy makes of the evidence; who asks for it cannot have approved it too."""
    evidence = found.evidence
    claim = evidence.claim._replace(authors=evidence.claim.authors | {assessor})
    judgement = judge(evidence._replace(claim=claim), policy, definition)
    return Assessed(found, judgement, policy, definition, position, assessor)


def decided_content(content: JsonObject, status: str, policy: str, assessment: str) -> JsonObject:
    """The content with what was decided written into its properties, in the names that it uses.

    INVALID_REQUEST where its properties are no object, so that nothing can be written into them.
    """
    said, properties = _open(content, "apply")
    properties[_name(properties, STATUS_NAMES)] = status
    properties[_name(properties, POLICY_NAMES)] = policy
    properties[ASSESSMENT_NAME] = assessment
    return said


def cited_content(content: JsonObject, policy: str, assessment: str | None) -> JsonObject:
    """The content of something derived, which says by which policy; its status is not decided."""
    said, properties = _open(content, "content")
    properties[_name(properties, POLICY_NAMES)] = policy
    if assessment is not None:
        properties[ASSESSMENT_NAME] = assessment
    return said


def _open(content: JsonObject, field: str) -> tuple[JsonObject, JsonObject]:
    """A copy of a content, and its properties, which may be written into."""
    said: JsonObject = copied(content)
    if said["format"] == "text":
        said = {
            "format": "text_and_properties",
            "value": {"text": said["value"], "properties": {}},
        }
    properties = said["value"]
    if said["format"] == "text_and_properties":
        properties = properties["properties"]
    if not isinstance(properties, dict):
        raise invalid(
            "the properties of this content are no object, so nothing can be written into them: "
            "give it an object first",
            field=field,
        )
    return said, properties


def _name(properties: JsonObject, names: Iterable[str]) -> str:
    first, *_ = listed = list(names)
    return next((name for name in listed if name in properties), first)


def _counts(evidence: Evidence) -> dict[str, int]:
    stances = [piece.stance for piece in evidence.pieces]
    return {
        "supports": stances.count(SUPPORTS),
        "contradicts": stances.count(CONTRADICTS),
        "rivals": len(evidence.rivals),
        "read": len(evidence.read),
    }
