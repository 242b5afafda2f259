"""Assessments and reviews for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from rich.text import Text

from domain.canonical import JsonObject
from ops.cli_text import DIM, ID, STRONG, WARN, counted, damaged, line, pairs, plain
from ops.cli_views import committed, repeatable

_ALIKE: Final = frozenset({"identical", "identical_except_erased"})


def assessed(said: JsonObject, key: str) -> Iterator[Text]:
    """What was recommended and why; what was recorded of it."""
    recorded = said["assessment"]
    if recorded is None:
        yield from _judged(said)
        left_out = ", ".join(said["exclude"])
        yield line(("nothing is recorded", DIM), f"without {left_out}", indent=1)
        return
    yield from decision(recorded)
    if "applied" in said:
        claim, version = said["applied"]
        yield line((f"{claim}@{version}", ID), "says so now", indent=1)
    yield repeatable(key, said["receipt"])


def decided(said: JsonObject, key: str) -> Iterator[Text]:
    """What a reviewer said."""
    yield committed(said["receipt"], said["review"]["review"])
    yield repeatable(key, said["receipt"])


def one_decision(said: JsonObject) -> Iterator[Text]:
    """A decision as it was recorded, and what was read for it."""
    yield from decision(said)
    if "evidence" in said:
        yield line(("read", STRONG), ", ".join(said["evidence"]) or "nothing", indent=1)


def replayed(said: JsonObject, named: str = "assessment_id") -> Iterator[Text]:
    """Whether it comes out as it did, and where it differs first."""
    verdict = said["verdict"]
    style = STRONG if verdict in _ALIKE else WARN
    yield line((said[named], ID), (verdict.replace("_", " "), style))
    first = said["first_difference"]
    if first is not None:
        yield line(("first difference", WARN), plain(first["path"]), indent=1)
        for side in ("recorded", "replayed"):
            yield line((f"{side}:", DIM), plain(first[side]), indent=2)
    if said["erased"]:
        yield line(("erased since:", DIM), ", ".join(said["erased"]), indent=1)


def reassessed(said: JsonObject) -> Iterator[Text]:
    """A block for each claim of which the policy would now recommend something else."""
    for item in said["items"]:
        claim, version = item["claim"]
        yield line((f"{claim}@{version}", ID), f"{item['was']} → {item['now']}")
        yield from blockers(item["blockers"])
    yield line(
        counted(len(said["items"]), "claim") + " would come out otherwise",
        ("nothing is changed", DIM),
    )
    yield from damaged(said["damaged"])
    if said["next_since"] is not None:
        yield line((f"more: --since {said['next_since']}", DIM), indent=1)


def decision(one: JsonObject) -> Iterator[Text]:
    """An assessment or a review."""
    by = f"by {plain(one['actor_id'])}"
    when = (one["recorded_at"], DIM)
    if "review" in one:
        yield line((one["id"], ID), one["review"], f"under {plain(one['policy'])}", by, when)
        return
    yield line((one["id"], ID), by, when)
    yield from _judged(one)


def _judged(said: JsonObject) -> Iterator[Text]:
    claim, version = said["claim"]
    under = f"under {plain(said['policy'])}"
    yield line((said["recommended"], STRONG), (f"{claim}@{version}", ID), under, indent=1)
    yield from blockers(said["blockers"])
    shown = dimensions(said["dimensions"])
    basis = f"as of {said['basis']['as_of']}, position {said['basis']['position']}"
    yield line((shown, DIM), (basis, DIM), indent=1)


def blockers(found: Iterable[JsonObject]) -> Iterator[Text]:
    """A line for each blocker: its name, then figures and ids."""
    for one in found:
        said = {name: value for name, value in one.items() if name != "blocker"}
        yield line((one["blocker"].replace("_", " "), WARN), pairs(said), indent=2)


def dimensions(found: JsonObject) -> str:
    """The figures that are there, whole numbers as such."""
    return ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in found.items())
