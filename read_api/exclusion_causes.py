"""Which event is the reason why a version is no answer (spec/policy.md §2.8, `by`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Any

from sqlalchemy import Row

from domain.events import MemoryForgotten, MemorySuperseded
from domain.instants import FOREVER
from read_api.tangled_view import TangledView


def cause(reason: str, lineage: Sequence[Row[Any]]) -> str | None:
    """The event that is the reason why the last version of a lineage is no answer.

    Forgotten later than the lineage is known, it has none there.
    """
    if lineage[-1].tangle is not None:
        return _tangled_cause(reason, lineage)
    since = _since(lineage)
    did: Sequence[Row[Any]] = ()
    if reason == "deleted":
        # A version that says nothing of its own lost what it repeated to the last such forget.
        did = graves(lineage) or [row for row in lineage if row.topic == MemoryForgotten.TOPIC][-1:]
    elif reason == "superseded":
        behind = [row for row in lineage[since:] if row.topic == MemorySuperseded.TOPIC]
        did = sorted(behind, key=_age)
    elif reason == "hidden":
        did = lineage[since : since + 1]
    elif reason == "expired":
        did = _expiries(lineage)
    return name_of(did[0]) if did else None


def _expiries(lineage: Sequence[Row[Any]]) -> Sequence[Row[Any]]:
    """The version that set the bound which the last one has; none where that is of the first."""
    last = lineage[-1]
    if last.expired_us <= last.expires_us:
        hidden = takewhile(lambda row: row.expired_us == last.expired_us, reversed(lineage))
        return list(hidden)[-1:]
    return [row for row in lineage if row.version == last.retained_by]


def graves(lineage: Sequence[Row[Any]]) -> list[Row[Any]]:
    """The versions that say that a memory is forgotten for good, the one recorded first first."""
    found = [
        row
        for before, row in pairwise(lineage)
        if row.topic == MemoryForgotten.TOPIC
        and row.lifecycle == "tombstoned"
        and row.dead_versions == before.dead_versions
    ]
    return sorted(found, key=_age)


def _age(row: Row[Any]) -> tuple[int, str]:
    return row.recorded_us, name_of(row)


def _tangled_cause(reason: str, lineage: Sequence[Row[Any]]) -> str | None:
    told = TangledView(lineage)
    if reason == "deleted":
        return None if told.shown is None else told.grave(told.shown)
    if reason == "hidden":
        return told.hidden_by(lineage[-1].lifecycle)
    # Whatever the time, what ended it is the same.
    why = told.exclusions(FOREVER).get(told.shown or 0)
    return None if why is None or why.reason != reason else why.by


def name_of(row: Row[Any]) -> str:
    """The event that made a version."""
    return f"{row.memory_id}@{row.version}"


def buried_by(lineage: Sequence[Row[Any]], erased: Row[Any]) -> str | None:
    """The forget of scope `event` that covers a version, if it is known."""
    forgets = [row for row in lineage if row.topic == MemoryForgotten.TOPIC]
    covering = (row for row in forgets if erased.version in json.loads(row.dead_versions or "[]"))
    # One that says nothing of its own repeats what was forgotten before it.
    before = (row for row in reversed(forgets) if row.version <= erased.version)
    found = next(covering, None) or next(before, None)
    return None if found is None else name_of(found)


def _since(lineage: Sequence[Row[Any]]) -> int:
    """The place of the version that set the lifecycle of the last one."""
    first = len(lineage) - 1
    while first > 0 and lineage[first - 1].lifecycle == lineage[-1].lifecycle:
        first -= 1
    return first


def consolidated(lineage: Sequence[Row[Any]]) -> bool:
    """Whether the lifecycle was set by a consolidation, and by no later update."""
    return any(row.topic == MemorySuperseded.TOPIC for row in lineage[_since(lineage) :])
