"""What the events of all records share: words of their structure, and the home of a record."""

from __future__ import annotations

from typing import Literal, TypeAlias

from domain.registry import Event, Payload

Lifecycle: TypeAlias = Literal["active", "expired", "superseded", "tombstoned"]
Visibility: TypeAlias = Literal["workspace", "private"]
Target: TypeAlias = tuple[str, int]
"""A record at a version: [public id, version]."""


class Homed(Event):
    """What every event of a record repeats, so that a follower needs no fold to filter it."""

    session: str
    visibility: Visibility
    owner: str


class Reason(Payload):
    """Free text of a person or an agent."""

    reason: str
