"""The policies of a workspace: those that are shipped, and those that it defined, as its log says.

They stand in one stream of the workspace. A name keeps its definition for ever; what is not wanted
any more is retired, and can still be read, since decisions were made by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from domain import checks
from domain.canonical import JsonObject
from domain.errors import Code, MemorandaError, invalid, not_found
from domain.events import PolicyDefined, PolicyRetired
from domain.ids import SYSTEM, derived_id, encode_id
from domain.recorded import RecordedEvent
from domain.validation.definition import Definition
from domain.validation.shipped import SHIPPED

POLICIES_MAX: Final = 1000
"""That a workspace may define."""

Standing: TypeAlias = Literal["known", "retired", "unknown"]


class Retirement(NamedTuple):
    """Who retired a policy, when, and why."""

    reason: str
    actor: str
    recorded_at: str
    position: int

    def as_json(self) -> JsonObject:
        """`{reason, actor_id, recorded_at, position}`."""
        return {
            "reason": self.reason,
            "actor_id": self.actor,
            "recorded_at": self.recorded_at,
            "position": self.position,
        }


class Policy(NamedTuple):
    """A version of a policy. A shipped one was defined by nobody, at no time.

    `said` is the definition as it is stored; it is read when it is used, so that one that only a
    newer program can read stands in the way of no other.
    """

    name: str
    said: JsonObject
    actor: str | None = None
    recorded_at: str | None = None
    position: int | None = None
    retired: Retirement | None = None

    @property
    def definition(self) -> Definition:
        """The rules."""
        return Definition.model_validate(self.said)

    @property
    def shipped(self) -> bool:
        """Whether every workspace has it."""
        return self.name in SHIPPED

    def as_json(self) -> JsonObject:
        """As it is shown: `summary` and the definition."""
        return {**self.summary(), "definition": self.said}

    def summary(self) -> JsonObject:
        """As it is listed: without the definition; `retired` is null while it is in force."""
        return {
            "name": self.name,
            "digest": self.definition.digest,
            "shipped": self.shipped,
            "actor_id": self.actor,
            "recorded_at": self.recorded_at,
            "position": self.position,
            "retired": None if self.retired is None else self.retired.as_json(),
        }


_SHIPPED: Final = {name: Policy(name, one.as_json()) for name, one in SHIPPED.items()}


class PoliciesState(NamedTuple):
    """The policies after a version of their stream; `named` holds the shipped ones too."""

    named: Mapping[str, Policy]
    version: int

    def get(self, name: str, field: str = "policy") -> Policy:
        """A policy, retired or not; NOT_FOUND with the reason UNKNOWN_POLICY."""
        found = self.named.get(name)
        if found is None:
            raise not_found(
                "the policy",
                field=field,
                reason="UNKNOWN_POLICY",
                remedy="list the policies, or define it",
            )
        return found

    def in_force(self, name: str, field: str = "policy") -> Definition:
        """The rules of a policy that may be used: also INVALID_REQUEST, RETIRED_POLICY."""
        found = self.get(name, field)
        if found.retired is not None:
            raise invalid(
                f"{field} names a policy that was retired: use another one, or a later version",
                field=field,
                reason="RETIRED_POLICY",
            )
        return found.definition

    def standing(self, name: str) -> Standing:
        """What a name stands for."""
        found = self.named.get(name)
        if found is None:
            return "unknown"
        return "known" if found.retired is None else "retired"

    def listed(self) -> list[Policy]:
        """All of them, by name, the versions of one in their order."""
        return sorted(self.named.values(), key=lambda one: _place(one.name))

    def as_json(self) -> JsonObject:
        """`{items, version}`: the policies without their definitions."""
        return {"items": [one.summary() for one in self.listed()], "version": self.version}


SHIPPED_ONLY: Final = PoliciesState(_SHIPPED, 0)
"""Of a workspace that defined and retired nothing."""


def policies_stream(secret: bytes) -> str:
    """The stream of a workspace's policies; `secret` is the workspace's for ids."""
    return encode_id(SYSTEM, derived_id(secret, "validation policies"))


def apply_policies(state: PoliciesState | None, event: RecordedEvent) -> PoliciesState | None:
    """The state after one event of a system stream; None for streams of other things."""
    for fact in event.facts:
        if not isinstance(fact, PolicyDefined | PolicyRetired) or fact.payload is None:
            continue
        named = dict((state or SHIPPED_ONLY).named)
        name, by = fact.payload.name, event.context.actor
        if isinstance(fact, PolicyDefined):
            said = fact.payload.definition
            named[name] = Policy(name, said, by, event.recorded_at, event.position)
        elif name in named:
            end = Retirement(fact.payload.reason, by, event.recorded_at, event.position)
            named[name] = named[name]._replace(retired=end)
        state = PoliciesState(named, event.version)
    return state


def refuse_definition(state: PoliciesState, name: str) -> None:
    """Refuse a name that is taken, and one more than there may be."""
    if name in state.named:
        raise MemorandaError(
            Code.VERSION_CONFLICT,
            "name is that of a policy with another definition, which it keeps for ever: "
            "define the next version",
            field="name",
            reason="POLICY_IMMUTABLE",
        )
    if len(state.named) - len(SHIPPED) >= POLICIES_MAX:
        raise invalid(
            f"the workspace defined {POLICIES_MAX} policies, the most there may be: "
            "use one of them, or another workspace",
            field="name",
            reason="TOO_MANY_POLICIES",
        )


def refuse_retirement(state: PoliciesState, name: str) -> None:
    """Refuse to retire what is not there, or is retired already."""
    if state.get(name, "name").retired is not None:
        raise MemorandaError(
            Code.VERSION_CONFLICT,
            "name is that of a policy that was retired already: there is nothing to do",
            field="name",
            reason="RETIRED_POLICY",
        )


def check_reason(reason: str, field: str = "reason") -> None:
    """Why a policy is retired: not blank, and no longer than names are."""
    checks.not_blank(reason, field)


def _place(name: str) -> tuple[str, int]:
    text, _, version = name.partition("/v")
    return text, int(version)
