"""Questions about slots: at which basis, under which policy, and which of them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

from pydantic import Field

from domain import checks
from domain.canonical import JsonObject
from domain.context import Context
from domain.errors import invalid
from domain.resolver.policies import POLICIES, SURFACE_ALL, policy_named
from domain.slots import SLOT_CHARACTERS_MAX
from read_api.basis import Basis
from read_api.list_filters import PAGE, PAGE_MAX, POSITION_MAX, Waiting
from read_api.past_basis import AskedBasis, PastBases

SLOT_BYTES_MAX: Final = 4 * SLOT_CHARACTERS_MAX
_POSITION: Final = re.compile(r"[0-9]{1,19}", re.ASCII)


Policy: TypeAlias = Annotated[
    str | None,
    Field(
        description=f"One of {', '.join(sorted(POLICIES))}; without it the workspace's.",
        examples=[SURFACE_ALL],
    ),
]


class SlotQuestion(AskedBasis):
    """A basis, and the policy that chooses at it."""

    policy: Policy = None
    limit: Annotated[int, Field(ge=1, le=PAGE_MAX)] = PAGE

    def check(self) -> None:
        """The checks of a basis, and that the policy is a known one."""
        super().check()
        if self.policy is not None:
            policy_named(self.policy)

    def policy_in(self, context: Context) -> str:
        """The policy that is asked for, or else that of the workspace."""
        return context.settings.recall_policy if self.policy is None else self.policy


class HistoryQuestion(Waiting):
    """Which part of a slot's history, under which policy."""

    policy: Policy = None
    after: Annotated[
        int,
        Field(ge=0, le=POSITION_MAX, description="`next_after` of the page before: a position."),
    ] = 0
    limit: Annotated[int, Field(ge=1, le=PAGE_MAX)] = PAGE

    def policy_in(self, context: Context) -> str:
        """The policy that is asked for, or else that of the workspace; refuses an unknown one."""
        policy = context.settings.recall_policy if self.policy is None else self.policy
        policy_named(policy)
        return policy


class SlotFilters(SlotQuestion):
    """Which slots; filters that are given must all hold."""

    conflicts: Annotated[
        bool, Field(description="Only slots whose eligible memories say different things.")
    ] = False
    changed_since: Annotated[
        str | None,
        Field(description="An instant or a position: only slots that had another answer by then."),
    ] = None
    cursor: Annotated[str | None, Field(description="`next_cursor` of the page before.")] = None

    def check(self) -> None:
        """The same, and that `changed_since` is an instant or a position."""
        super().check()
        checks.short(self.cursor, "cursor")
        if self.since_position is None:
            checks.instant(self.changed_since, "changed_since")
        elif self.since_position > POSITION_MAX:
            raise invalid(
                f"changed_since is no position: at most {POSITION_MAX}", field="changed_since"
            )

    @property
    def since_position(self) -> int | None:
        """The position that is meant; None for an instant, and where nothing is asked."""
        said = self.changed_since
        return int(said) if said is not None and _POSITION.fullmatch(said) else None

    @property
    def narrow(self) -> bool:
        """Whether some slots may be left out."""
        return self.conflicts or self.changed_since is not None

    def question(self) -> JsonObject:
        """The part that a cursor is bound to."""
        return self.model_dump(exclude={"limit", "cursor", "min_position"}, exclude_none=True)


def basis_before(bases: PastBases, context: Context, asked: SlotFilters, seen: int) -> Basis | None:
    """What was known by `changed_since`: for `as_of`, or else for then; None where not asked."""
    if asked.changed_since is None:
        return None
    if asked.since_position is not None:
        then = AskedBasis(as_of=asked.as_of, as_known_position=asked.since_position)
    else:
        as_of = asked.as_of or asked.changed_since
        then = AskedBasis(as_of=as_of, as_known_at=asked.changed_since)
    before = bases.choose(context, then, seen)
    if asked.as_of is None and asked.since_position is not None:
        return replace(before, as_of_us=bases.log.appended_at(before.position))
    return before
