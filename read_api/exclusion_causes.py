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


def corrected_by(later: Sequence[Row[Any]]) -> Row[Any]:
    """Of the versions after another one its newest correction: the next one, or where that was
    forgotten alone while it was the last, the one that came instead.
    """
    by = later[0]
    for row in later[1:]:
        if row.topic == MemoryForgotten.TOPIC:
            continue
        if by.version not in json.loads(row.dead_versions or "[]"):
            break
        by = row
    return by


def buried_by(lineage: Sequence[Row[Any]], erased: Row[Any]) -> str | None:
    """The forget that took the text of a version, the one recorded first; None if none is known.

    A version that says nothing of its own repeats what was said before it, and lost it with that.
    """
    found = graves(lineage)[:1]
    forgets = [row for row in lineage if row.topic == MemoryForgotten.TOPIC]
    covered = [(json.loads(row.dead_versions or "[]"), row) for row in forgets]
    for said in reversed([row for row in lineage if row.version <= erased.version]):
        alone = next((row for dead, row in covered if said.version in dead), None)
        if alone is not None:
            found.append(alone)
        # What was forgotten with all of its memory may have had a text of its own.
        if alone is not None or (found and said.topic != MemoryForgotten.TOPIC):
            break
    return name_of(min(found, key=_age)) if found else None


def _since(lineage: Sequence[Row[Any]]) -> int:
    """The place of the version that set the lifecycle of the last one."""
    first = len(lineage) - 1
    while first > 0 and lineage[first - 1].lifecycle == lineage[-1].lifecycle:
        first -= 1
    return first


def consolidated(lineage: Sequence[Row[Any]]) -> bool:
    """Whether the lifecycle was set by a consolidation, and by no later update."""
    return any(row.topic == MemorySuperseded.TOPIC for row in lineage[_since(lineage) :])
