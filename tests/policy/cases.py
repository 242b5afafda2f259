"""The executable cases of the specification, and what it means that an answer is as expected."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from domain.canonical import JsonObject
from ops.evaluation import differences
from ops.scenarios import scenarios_in

__all__ = ["CASES", "FILE", "REFUSALS", "differences"]

FILE: Final = Path(__file__).with_name("scenarios.json")
_ALL: Final = scenarios_in(FILE)

CASES: Final[list[JsonObject]] = _ALL.cases
REFUSALS: Final[list[JsonObject]] = _ALL.refusals
