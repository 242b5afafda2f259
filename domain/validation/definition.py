"""What a validation policy asks for, as data: read strictly, same rules in the same bytes."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import cached_property
from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict, ValidationError

from domain import limits
from domain.canonical import Json, JsonObject, canonical, check_json
from domain.errors import MemorandaError, invalid
from domain.validation.blockers import BLOCKERS, BlockerName
from domain.validation.sources import Sources

NAME_CHARACTERS_MAX: Final = 100
DEFINITION_BYTES_MAX: Final = 64 * 1024
"""Of its canonical JSON."""
SUPPORTS_MAX: Final = 1000
APPROVALS_MAX: Final = 100
KINDS_MAX: Final = 64
COMBINATIONS_MAX: Final = 64
AGE_SECONDS_MAX: Final = 10_000 * 366 * 86_400
"""Longer than all the time that an instant can be written of."""
_FIELD_CHARACTERS_MAX: Final = 200
"""Of the name of a member that the sender made up, as much as is told back."""

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]*/v[1-9][0-9]*", re.ASCII)


def _kind(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank: name a kind of memories")
    if len(text.encode()) > limits.NAME_BYTES_MAX:
        raise ValueError(f"is too long: at most {limits.NAME_BYTES_MAX} bytes of UTF-8")
    return unicodedata.normalize("NFC", text)


def _in_order(names: tuple[BlockerName, ...]) -> tuple[BlockerName, ...]:
    return tuple(sorted(set(names), key=BLOCKERS.index))


def _each_once(combinations: tuple[Combination, ...]) -> tuple[Combination, ...]:
    return tuple(sorted(set(combinations)))


Combination: TypeAlias = Annotated[
    tuple[BlockerName, ...],
    Strict(strict=False),
    Field(min_length=1, max_length=len(BLOCKERS)),
    AfterValidator(_in_order),
]
"""Holds where all its blockers are there."""

Combinations: TypeAlias = Annotated[
    tuple[Combination, ...],
    Strict(strict=False),
    Field(max_length=COMBINATIONS_MAX),
    AfterValidator(_each_once),
]

Kinds: TypeAlias = Annotated[
    tuple[Annotated[str, AfterValidator(_kind)], ...],
    Strict(strict=False),
    Field(min_length=1, max_length=KINDS_MAX),
    AfterValidator(lambda kinds: tuple(sorted(set(kinds)))),
]


class Definition(BaseModel):
    """The rules of one version of a policy. Equal rules are equal, however they were said.

    A **rule on pieces** is one that each piece of support meets or does not meet: `source_kinds`,
    `trusted_only`, `require_locator`, `require_observed_at`, `require_current`, `max_age_seconds`
    and `match_scope`. There must be enough independent support that meets it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    independent_supports: Annotated[
        int,
        Field(
            ge=0, le=SUPPORTS_MAX, description="Least number of independent clusters of support."
        ),
    ] = 0
    contradictions_allowed: Annotated[
        int | None,
        Field(
            ge=0,
            le=SUPPORTS_MAX,
            description="How many contradictions of different origins are tolerated; null: any.",
        ),
    ] = 0
    rivals_allowed: Annotated[
        bool, Field(description="Whether another claim of the slot may say something else.")
    ] = False
    withdrawn_allowed: Annotated[
        bool,
        Field(description="Whether a contradiction that was withdrawn counts for nothing at once."),
    ] = False
    source_kinds: Annotated[
        Kinds | None,
        Field(description="Kinds of memories, of which support is one or stands on one."),
    ] = None
    sources: Annotated[
        Sources | None, Field(description="How far sources are trusted; null: all are unrated.")
    ] = None
    trusted_only: Annotated[bool, Field(description="Support is from trusted sources.")] = False
    require_locator: Annotated[bool, Field(description="Support says where it was read.")] = False
    require_observed_at: Annotated[
        bool, Field(description="Support says when it was observed.")
    ] = False
    require_current: Annotated[
        bool, Field(description="Support holds at the instant of the decision.")
    ] = False
    max_age_seconds: Annotated[
        int | None,
        Field(
            ge=0,
            le=AGE_SECONDS_MAX,
            description="How long before the decision support may have been observed. What does "
            "not say when it was observed is too old.",
        ),
    ] = None
    match_scope: Annotated[
        bool, Field(description="Support has the scope of the claim, or neither has any.")
    ] = False
    group_by_host: Annotated[
        bool, Field(description="Whether documents of one host are of one origin.")
    ] = False
    approvals: Annotated[
        int,
        Field(
            ge=0,
            le=APPROVALS_MAX,
            description="How many people must have approved who wrote neither claim nor evidence.",
        ),
    ] = 0
    min_confidence: Annotated[
        # -0.0 is 0.0.
        Annotated[float, Field(ge=0, le=1), AfterValidator(lambda least: least + 0.0)] | None,
        Field(description="Least confidence of the claim."),
    ] = None
    contested_on: Annotated[
        Combinations, Field(description="Combinations of blockers that recommend `contested`.")
    ] = (("contradiction",), ("contradiction_withdrawn",), ("rival_claim",))
    rejected_on: Annotated[
        Combinations, Field(description="Combinations of blockers that recommend `rejected`.")
    ] = (("no_support", "contradiction"), ("no_support", "contradiction_withdrawn"))

    def as_json(self) -> JsonObject:
        """The members that are not at their default: a member that comes later changes none."""
        said: JsonObject = self.model_dump(mode="json", exclude_defaults=True)
        return said

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON, in hex."""
        return hashlib.sha256(canonical(self.as_json())).hexdigest()

    @property
    def has_piece_rules(self) -> bool:
        """Whether it asks more of a piece of support than to be there."""
        return (
            self.trusted_only
            or self.require_locator
            or self.require_observed_at
            or self.require_current
            or self.match_scope
            or self.source_kinds is not None
            or self.max_age_seconds is not None
        )

    @property
    def supports_needed(self) -> int:
        """How many independent clusters of support there must be: what pieces must be, some are."""
        return (
            max(1, self.independent_supports) if self.has_piece_rules else self.independent_supports
        )


def parse_definition(value: Json, field: str = "definition") -> Definition:
    """The definition in a JSON value.

    INVALID_REQUEST with a dotted field for what has not its shape or is beyond a limit, with the
    reason CONFIDENCE_ONLY where nothing but confidence would decide, and NO_RULE where nothing
    would. Absence of contradiction alone is no rule: it is no evidence.
    """
    check_json(value)
    try:
        parsed = Definition.model_validate(value)
    except ValidationError as error:
        raise _refusal(error, field) from None
    if len(canonical(parsed.as_json())) > DEFINITION_BYTES_MAX:
        raise invalid(f"{field} is too long: at most {DEFINITION_BYTES_MAX} bytes", field=field)
    _check_rules(parsed, field)
    return parsed


def check_policy_name(name: str, field: str = "name") -> str:
    """A name such as `two-sources/v1`; INVALID_REQUEST for others."""
    if len(name) > NAME_CHARACTERS_MAX or not _NAME.fullmatch(name):
        raise invalid(
            f"{field} must be lower-case letters, digits and hyphens, then the version, as in "
            f"'two-sources/v1', and at most {NAME_CHARACTERS_MAX} characters",
            field=field,
            reason="POLICY_NAME",
        )
    return name


def _check_rules(said: Definition, field: str) -> None:
    if not said.supports_needed and not said.approvals:
        confident = said.min_confidence is not None
        raise invalid(
            f"{field} asks for {'nothing but confidence' if confident else 'no evidence'}: "
            "ask for support (independent_supports) or for approvals as well",
            field=f"{field}.min_confidence" if confident else field,
            reason="CONFIDENCE_ONLY" if confident else "NO_RULE",
        )
    rated = said.sources
    if said.trusted_only and (rated is None or not (rated.trusted or rated.default == "trusted")):
        raise invalid(
            f"{field}.trusted_only can be met by nothing: name trusted sources in sources.trusted",
            field=f"{field}.trusted_only",
            reason="NOTHING_TRUSTED",
        )


def _refusal(error: ValidationError, field: str) -> MemorandaError:
    """The first fault, in our words."""
    first = error.errors(include_url=False, include_input=False)[0]
    at = ".".join([field, *map(str, first["loc"])])[:_FIELD_CHARACTERS_MAX]
    kind = first["type"]
    if kind == "value_error":
        said = str(first["ctx"]["error"])
    elif kind == "literal_error":
        said = f"must be one of {first['ctx']['expected']}"
    else:
        said = _SAID.get(kind) or first["msg"].replace("Input should be", "must be")
        said = said.replace("Tuple", "the array")
    return invalid(f"{at} {said}", field=at)


_SAID: Final = {
    "extra_forbidden": "is not a member of a definition: remove it",
    "model_type": "must be an object",
    "tuple_type": "must be an array",
}
