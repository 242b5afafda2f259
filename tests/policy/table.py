"""`make scenarios`: every case of the policy through every door, beside stores without a policy.

A line a case: `ok` or what is wrong for each door, then for each baseline and for the first door
whether the first item is the expected one. Ends with 1 where a door fails a case.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Final

from tests.policy.baselines import BASELINES
from tests.policy.cases import CASES, REFUSALS, differences
from tests.policy.doors import DOORS, Door

_WIDTH: Final = 18


def verdict(door: Door, case: dict[str, Any]) -> str:
    """`ok`, or in a word what is wrong with the answer of a door."""
    if "event" in case:
        reason = door.refusal(case)
        return "ok" if reason == case["expected_error"] else f"{reason}"
    return ", ".join(differences(case, door.answer(case))) or "ok"


def first_right(case: dict[str, Any], selected: Sequence[str]) -> bool:
    """Whether an answer begins as expected; an empty one where nothing is expected."""
    return list(selected[:1]) == case["expected"]["selected"][:1]


def beside(case: dict[str, Any]) -> list[bool]:
    """Of a case, whether each baseline and ours give the expected first item."""
    found = [baseline(case) for baseline in BASELINES.values()]
    return [first_right(case, one) for one in [*found, DOORS[0].answer(case)["selected"]]]


def _line(*cells: str) -> None:
    print("  ".join(cell.ljust(_WIDTH) for cell in cells).rstrip())


def main() -> int:
    names = [door.name for door in DOORS]
    _line("case", *names, "| first item:", *BASELINES, "ours")
    passed = [0] * len(DOORS)
    right = [0] * (len(BASELINES) + 1)
    for case in [*CASES, *REFUSALS]:
        verdicts = [verdict(door, case) for door in DOORS]
        passed = [n + (said == "ok") for n, said in zip(passed, verdicts, strict=True)]
        marks = beside(case) if "query" in case else []
        right = [n + one for n, one in zip(right, marks or [False] * len(right), strict=True)]
        _line(case["id"], *verdicts, "|", *("right" if one else "wrong" for one in marks))
    count = len(CASES) + len(REFUSALS)
    _line(
        "passed",
        *(f"{n} of {count}" for n in passed),
        "|",
        *(f"{n} of {len(CASES)}" for n in right),
    )
    return 0 if set(passed) == {count} else 1


if __name__ == "__main__":
    sys.exit(main())
