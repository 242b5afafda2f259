"""Which lineages a consolidation has put behind another one (spec/policy.md §2.7)."""

from __future__ import annotations

from collections.abc import Iterable

from domain.resolver.events import Supersession, age
from domain.resolver.lineages import Lineages


def superseded(supersessions: Iterable[Supersession], lineages: Lineages) -> dict[str, str]:
    """The lineages that stepped back, each with the id of the earliest event that says so.

    For good, whatever becomes of the canonical one, which never steps back behind itself.
    """
    behind: dict[str, str] = {}
    for event in sorted(supersessions, key=age):
        front = lineages.of(event.canonical)
        for target in event.targets:
            lineage = lineages.of(target)
            if lineage != front:
                behind.setdefault(lineage, event.id)
    return behind
