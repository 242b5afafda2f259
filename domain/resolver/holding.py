"""Whether bounds hold at an instant, and if not, which one does not (spec/policy.md §2.8, 6–7).

The one rule of half-open intervals: the versions of the write side, the resolver and the
explanations ask it here; the masks over many rows are tested against it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from domain.instants import Micros

Ended: TypeAlias = Literal["not_yet_valid", "validity_ended", "expired"]


def ended(from_us: Micros, until_us: Micros, expires_us: Micros, as_of_us: Micros) -> Ended | None:
    """None within [from, until) and before `expires`; else why not: the earlier end counts.

    Where both ends are one instant, the statement's own end is named.
    """
    if as_of_us < from_us:
        return "not_yet_valid"
    if as_of_us < min(until_us, expires_us):
        return None
    return "validity_ended" if until_us <= expires_us else "expired"
