"""The doors through which a case of the policy can be asked, each a function of the case.

A door answers a case, and says how it takes an event that must be refused. The table prints the
doors that are listed here and no others; a new one is a function pair in `DOORS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from domain.canonical import JsonObject
from domain.resolver.policies import NEWEST_RECORDED
from ops.evaluation import answered, ref, refused

__all__ = ["DOORS", "Door", "ref"]


@dataclass(frozen=True)
class Door:
    """`answer` gives the wire form of the answer to a case, `refusal` the reason for an event."""

    name: str
    answer: Callable[[Mapping[str, Any]], JsonObject]
    refusal: Callable[[Mapping[str, Any]], str | None]


DOORS: Final = (Door("resolver", partial(answered, policy=NEWEST_RECORDED), refused),)
