"""What the routes of validation policies take and answer: documentation, checks and tests."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, SkipValidation

from domain.canonical import JsonObject
from domain.validation.definition import NAME_CHARACTERS_MAX, Definition
from ops.http.models import Answer, Position, Timestamp


class NewPolicy(BaseModel):
    """A policy under a new name. The domain reads its definition, and names what is wrong in it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: Annotated[
        str,
        Field(
            max_length=NAME_CHARACTERS_MAX,
            description="Lower-case letters, digits and hyphens, and a version: `two-labs/v1`.",
        ),
    ]
    definition: SkipValidation[Definition]


class PolicyRetirement(BaseModel):
    """Why a policy is retired."""

    model_config = ConfigDict(extra="forbid", strict=True)

    reason: Annotated[str, Field(description="Not blank, at most 1024 bytes.")]


class Retired(Answer):
    """Who retired a policy, when, and why."""

    reason: str
    actor_id: str
    recorded_at: Timestamp
    position: Position


class PolicyItem(Answer):
    """A policy. Who defined it, when and where is null of those that are shipped."""

    name: str
    digest: Annotated[str, Field(description="SHA-256 of the canonical definition, in hex.")]
    shipped: Annotated[bool, Field(description="Every workspace has it.")]
    actor_id: str | None
    recorded_at: Timestamp | None
    position: Position | None
    retired: Annotated[Retired | None, Field(description="Null while it may be used.")]


class PolicyAnswer(PolicyItem):
    """A policy with its rules: those that are not at their default."""

    definition: JsonObject


class PolicyList(Answer):
    """All policies of a workspace, by name; `version` counts what was ever changed of them."""

    items: list[PolicyItem]
    version: Annotated[int, Field(ge=0)]


POLICY_MODELS: Final[tuple[type[BaseModel], ...]] = (
    NewPolicy,
    PolicyRetirement,
    PolicyAnswer,
    PolicyList,
)
