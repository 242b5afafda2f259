"""The retention bound of a lineage, which expiry events move (spec/policy.md §2.6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from domain.instants import FOREVER, Micros
from domain.resolver.events import Expiry
from domain.resolver.lineages import Lineages


class Retention(NamedTuple):
    """An exclusive bound, and the expiry event that set it; None where it was inherited."""

    expires_us: Micros
    by: str | None


def retentions(expiries: Iterable[Expiry], lineages: Lineages) -> dict[str, Retention]:
    """The bound that the newest expiry event gave to each lineage that has one.

    It replaces what statements of the lineage say, in both directions.
    """
    ordered = sorted(expiries, key=lambda one: (one.recorded_us, one.id, _bound(one)))
    return {lineages.of(one.target): Retention(_bound(one), one.id) for one in ordered}


def _bound(expiry: Expiry) -> Micros:
    return FOREVER if expiry.expires_us is None else expiry.expires_us
