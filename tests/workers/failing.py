"""Projections and logs that fail where a test wants them to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from domain.context import SYSTEM_WORKSPACE
from domain.decisions import Fact
from domain.envelope import CorruptEventError
from domain.events import Release, StreamReleased
from domain.ids import SYSTEM, derived_id, encode_id, split_id
from projections.catalogue import CATALOGUE

RECORDS, EVIDENCE, BUNDLES = CATALOGUE
RELEASES = encode_id(SYSTEM, derived_id(b"secret", "released streams"))


def no_pause(seconds: float) -> None:
    """Tries that follow one another at once."""


class Poisoned:
    """Applies a projection, and raises for the events at some positions."""

    def __init__(self, base, positions, error=None):
        self.base, self.positions = base, set(positions)
        self.error = ValueError("Rosebud") if error is None else error
        self.raised = []
        self.given = []

    def __call__(self, connection, events, log):
        self.given += [event.position for event in events]
        for event in events:
            if event.position in self.positions:
                self.raised.append(event.position)
                # What was written before an event fails must not stay.
                self.base.apply(connection, events[: events.index(event)], log)
                raise self.error
        self.base.apply(connection, events, log)


def poisoned(base, positions, **changes):
    """A projection with a handler that raises for the events at some positions."""
    options = {name: changes.pop(name) for name in ("error",) if name in changes}
    return replace(base, apply=Poisoned(base, positions, **options), **changes)


class DamagedLog:
    """A log in which the events at some positions cannot be opened."""

    def __init__(self, log, positions):
        self.log, self.positions = log, set(positions)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.log, name)

    def after(self, position, limit, **asked):
        return self._opened(self.log.after(position, limit, **asked))

    def stream(self, workspace, stream):
        return self._opened(self.log.stream(workspace, stream))

    def _opened(self, events):
        for event in events:
            if event.position in self.positions:
                raise CorruptEventError(
                    f"position {event.position}: the bytes are not those of the hash",
                    position=event.position,
                    workspace=event.context.workspace,
                    originator_ids=(split_id(event.stream)[1].hex,),
                )
        return events


def release(world, mode, lineage, projection="records", part=0):
    """What an operator decided, in the log; its position."""
    workspace, stream = lineage
    event = StreamReleased(
        mode=mode,
        target_id=stream,
        payload=Release(projection=projection, workspace=workspace),
    )
    d = world.decision({"workspace": SYSTEM_WORKSPACE, "actor": "operator"})
    # The real logs know the part by themselves.
    where = [part] if part else []
    [made] = world.log.append([Fact(RELEASES, event)], d.context.for_event(), d.now_us, *where)
    return made.position
