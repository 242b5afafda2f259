"""What a claim says: its slot and object, and the status that somebody wrote into it.

Written in `properties` of its content (design.md §6); nothing here is inferred. Status, policy and
assessment are what a decision changes; all else is the statement that was decided about.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from domain.canonical import Json, JsonObject
from domain.slots import comparable, properties_of

CLAIM_KINDS: Final = frozenset({"claim", "fact"})
"""The kinds of memories that state something to be believed."""

STATUS_NAMES: Final = ("epistemic_status", "status")
POLICY_NAMES: Final = ("validation_policy", "policy")
ASSESSMENT_NAME: Final = "assessment_id"
_DECIDED: Final = frozenset({*STATUS_NAMES, *POLICY_NAMES, ASSESSMENT_NAME})


class Statement(NamedTuple):
    """What the properties of a claim say; None where they do not.

    `object` is any JSON; `scope` too, and None also where it is null. `status` is the epistemic
    status as written, `policy` and `assessment_id` what it was decided by.
    """

    subject: str | None
    predicate: str | None
    object: Json
    scope: Json
    status: str | None
    policy: str | None
    assessment_id: str | None


def statement_of(content: JsonObject | None) -> Statement:
    """The statement of a content; all None for a text without properties."""
    said = properties_of(content)
    return Statement(
        subject=_string(said.get("subject")),
        predicate=_string(said.get("predicate")),
        object=said.get("object"),
        scope=said.get("scope"),
        status=_first(said, STATUS_NAMES),
        policy=_first(said, POLICY_NAMES),
        assessment_id=_string(said.get(ASSESSMENT_NAME)),
    )


def decided_about(content: JsonObject | None) -> bytes:
    """What an assessment or an approval is about: equal bytes, the same statement.

    The content after NFC, without the members that say what was decided about it.
    """
    if content is None:
        return comparable(None)
    said = properties_of(content)
    kept = {name: value for name, value in said.items() if name not in _DECIDED}
    value = content["value"]
    if content["format"] == "text_and_properties":
        return comparable([value["text"], kept if isinstance(value["properties"], dict) else said])
    return comparable(kept if content["format"] == "properties" else value)


def _first(said: JsonObject, names: tuple[str, ...]) -> str | None:
    return next((found for name in names if (found := _string(said.get(name)))), None)


def _string(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None
