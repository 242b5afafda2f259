"""What doctor finds: a verdict on one thing, with the remedy where something is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from domain.canonical import JsonObject

Status: TypeAlias = Literal["ok", "note", "problem"]
RESTORE: Final = "restore it from a backup"


@dataclass(frozen=True, slots=True)
class Check:
    """One verdict. `note`: worth knowing, nothing has to be done. `facts` are for machines."""

    check: str
    status: Status
    said: str
    remedy: str | None = None
    facts: JsonObject = field(default_factory=dict)


def ok(check: str, said: str, **facts: object) -> Check:
    """All is well."""
    return Check(check, "ok", said, facts=facts)


def note(check: str, said: str, remedy: str | None = None, **facts: object) -> Check:
    """Worth knowing."""
    return Check(check, "note", said, remedy, facts)


def problem(check: str, said: str, remedy: str, **facts: object) -> Check:
    """Something is wrong."""
    return Check(check, "problem", said, remedy, facts)
