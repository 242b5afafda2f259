"""The executable cases of the specification, and what it means that an answer is as expected."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from domain.canonical import JsonObject

FILE: Final = Path(__file__).with_name("scenarios.json")
_ALL: Final = json.loads(FILE.read_text(encoding="utf-8"))

CASES: Final[list[dict[str, Any]]] = _ALL["cases"]
REFUSALS: Final[list[dict[str, Any]]] = _ALL["validation_cases"]


def differences(case: Mapping[str, Any], answer: JsonObject) -> list[str]:
    """What of an answer is not as the case expects; empty where all is."""
    expected = case["expected"]
    found = [
        name for name in ("selected", "excluded", "conflicts") if answer[name] != expected[name]
    ]
    words = set(_strings(answer))
    leaks = [one for one in case["must_not_contain"] if any(one in word for word in words)]
    return found + [f"tells {one!r}" for one in leaks]


def _strings(value: Any) -> Iterator[str]:
    """Every text in an answer, names of members apart; scores and times are no texts of ours."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
