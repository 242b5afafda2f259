"""Events of the policy with a default for everything; times are small numbers of microseconds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from domain.resolver.answers import Answer
from domain.resolver.events import (
    INHERITED,
    Bound,
    Expiry,
    Payload,
    PolicyEvent,
    Scope,
    Statement,
    Supersession,
    Tombstone,
)
from domain.resolver.policies import NEWEST_RECORDED
from domain.resolver.resolve import Question, resolve
from tests.policy.doors import ref

SESSION: Final = "s-harbor"
KEY: Final = "berth.fee"
LATER: Final = 1000
"""An instant after all that the tests record."""


def assertion(
    id: str,
    at: int,
    value: Any = None,
    *,
    key: str = KEY,
    session: str = SESSION,
    position: int = 1,
    appended: int | None = None,
    target: str | None = None,
    **bounds: Bound,
) -> Statement:
    return Statement(
        id=id,
        session=session,
        position=position,
        appended_us=at if appended is None else appended,
        recorded_us=at,
        slot_ref=ref(key),
        target=target,
        payload=Payload(key, f"value of {id}" if value is None else value, f"source of {id}"),
        **bounds,
    )


def correction(id: str, target: str, at: int, value: Any = None, **other: Any) -> Statement:
    inherited: dict[str, Bound] = dict.fromkeys(
        ("valid_from", "valid_until", "expires_at"), INHERITED
    )
    return assertion(id, at, value, target=target, **{**inherited, **other})


def tombstone(
    id: str,
    target: str,
    at: int,
    scope: Scope = "lineage",
    *,
    session: str = SESSION,
    position: int = 1,
    appended: int | None = None,
) -> Tombstone:
    return Tombstone(
        id=id,
        session=session,
        position=position,
        appended_us=at if appended is None else appended,
        recorded_us=at,
        scope=scope,
        target=ref(target) if scope == "key" else target,
    )


def expiry(id: str, target: str, at: int, expires: int | None, session: str = SESSION) -> Expiry:
    return Expiry(
        id=id,
        session=session,
        position=1,
        appended_us=at,
        recorded_us=at,
        target=target,
        expires_us=expires,
    )


def supersession(
    id: str, targets: Iterable[str], canonical: str, at: int, session: str = SESSION
) -> Supersession:
    return Supersession(
        id=id,
        session=session,
        position=1,
        appended_us=at,
        recorded_us=at,
        targets=tuple(targets),
        canonical=canonical,
    )


def ask(
    *events: PolicyEvent,
    key: str = KEY,
    as_of: int = LATER,
    policy: str = NEWEST_RECORDED,
    **basis: Any,
) -> Answer:
    return resolve(
        events,
        Question(session=SESSION, asked=ref(key), as_of_us=as_of, policy=policy, **basis),
    )


def told(answer: Answer) -> dict[str, str]:
    """Of every statement in an answer `selected`, or the reason and its cause."""
    excluded = {
        one.id: one.reason if one.by is None else f"{one.reason} by {one.by}"
        for one in answer.excluded
    }
    return {**excluded, **dict.fromkeys(answer.selected, "selected")}
