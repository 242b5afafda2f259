"""How much a run of `make chaos` did to the product: too little proves nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

KILLS: Final = ("api", "worker", "horse")
IN_A_MINUTE: Final = {
    "kills": 40, "api": 8, "worker": 8, "horse": 8, "flush": 3, "cut": 5, "restart": 1,
    "commands": 3000,
}  # fmt: skip
"""What a run of 60 seconds must reach; a shorter one its share, and one of each at least."""


def lacking(counts: Mapping[str, int], seconds: float) -> list[str]:
    """What a run that was to last so many seconds has too little of."""
    counted = {**counts, "kills": sum(counts[sort] for sort in KILLS)}
    return [
        f"{counted[name]} of {wanted} {name}"
        for name, least in IN_A_MINUTE.items()
        if counted[name] < (wanted := max(1, math.floor(least * seconds / 60)))
    ]
