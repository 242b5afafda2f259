"""A recorded page against the same page made once more: is it identical, and where does it differ?

What was forgotten in between takes its words out of all statistics, and nobody can put them back.
So of an answer over something that was forgotten only that is held against its recording which
cannot depend on what is gone (`_unexplained`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from domain.canonical import JsonObject
from domain.events import RecallRecorded
from read_api.differing import DIFFERS, EXCEPT_ERASED, IDENTICAL, Difference, differences
from read_api.pages import DAMAGED
from read_api.recordings import returned
from read_api.selecting import EXPLICIT, LEXICAL

_USAGE: Final = ("depth", "payload_bytes", "cost")


@dataclass(frozen=True, slots=True)
class Compared:
    """What a replay found. `first` is None where nothing differs."""

    verdict: str
    first: Difference | None
    replayed: JsonObject

    def wire(self) -> JsonObject:
        """As members of the answer."""
        first = self.first
        return {
            "verdict": self.verdict,
            "reason": None,
            "detail": None,
            "first_difference": None if first is None else first.wire(),
            "replayed": self.replayed,
        }


def side(fact: RecallRecorded) -> JsonObject:
    """All that is compared, in the order in which differences are told.

    Not when it was and how long it took. Without a payload, ids, versions and counts are left.
    """
    given, said, counts = returned(fact), fact.payload, fact.counts
    scored = {} if said is None else {one["id"]: one for one in said.items}
    nothing: JsonObject = {}
    return {
        "basis": None if said is None else said.basis,
        "items": [
            {
                **_target(record, version),
                "score": scored.get(record, nothing).get("score"),
                "reasons": scored.get(record, nothing).get("reasons"),
            }
            for record, version in given.items
        ],
        "relationships": [_target(*target) for target in given.edges],
        "skipped_items": [_target(*target) for target in given.skipped],
        "outcomes": None
        if said is None
        else [one for one in said.outcomes if not _since(one, counts["position"])],
        "truncated": bool(counts["truncated"]),
        "usage": {name: counts[name] for name in _USAGE},
    }


def compare(
    recorded: RecallRecorded, replayed: RecallRecorded, *, forgot: bool, gone: Collection[str]
) -> Compared:
    """`forgot`: something known at the basis was forgotten after it; `gone` were items."""
    before, now = side(recorded), side(replayed)
    # What an older program did not record is not known to have been another.
    now["basis"] = {name: now["basis"].get(name) for name in before["basis"]}
    first = next(differences(before, now), None)
    if first is None:
        return Compared(IDENTICAL, None, now)
    if not forgot:
        return Compared(DIFFERS, first, now)
    unexplained = next(_unexplained(before, now, gone), None)
    if unexplained is not None:
        return Compared(DIFFERS, unexplained, now)
    return Compared(EXCEPT_ERASED, first, now)


def _target(record: str, version: int) -> JsonObject:
    return {"id": record, "version": version}


def _since(outcome: JsonObject, position: int) -> bool:
    """Damage of an event after the basis is no matter of the answer."""
    return outcome["outcome"] == DAMAGED and int(outcome["position"]) > position


def _unexplained(
    before: JsonObject, now: JsonObject, gone: Collection[str]
) -> Iterator[Difference]:
    """What differs although nothing that was forgotten can be the reason.

    The basis, versions, and whether a memory was a seed, in any case; and the score of a memory
    without a word of the question, unless another way leads to it. Nothing comes to an answer that
    was whole, and from one that is whole no seed and no match is missing that is still there.
    """
    yield from differences(before["basis"], now["basis"], "basis")
    for name in ("items", "relationships", "skipped_items"):
        yield from _other_versions(name, before[name], now[name])
    yield from _other_reasons(before["items"], now["items"])
    if not before["truncated"]:
        was = {one["id"] for name in ("items", "skipped_items") for one in before[name]}
        yield from _newcomers("items", was, now["items"])
        links = {one["id"] for one in before["relationships"]}
        yield from _newcomers("relationships", links, now["relationships"])
    if not now["truncated"]:
        yield from _missing(before["items"], now, gone)


def _by_id(some: list[JsonObject]) -> Mapping[str, JsonObject]:
    return {one["id"]: one for one in some}


def _other_versions(
    name: str, before: list[JsonObject], now: list[JsonObject]
) -> Iterator[Difference]:
    there = _by_id(now)
    for at, one in enumerate(before):
        other = there.get(one["id"])
        if other is not None and other["version"] != one["version"]:
            yield Difference(f"{name}[{at}].version", one["version"], other["version"])


def _other_reasons(before: list[JsonObject], now: list[JsonObject]) -> Iterator[Difference]:
    there = _by_id(now)
    for at, one in enumerate(before):
        other = there.get(one["id"])
        if other is None:
            continue
        if (EXPLICIT in one["reasons"]) is not (EXPLICIT in other["reasons"]):
            yield Difference(f"items[{at}].reasons", one["reasons"], other["reasons"])
        elif one["reasons"] == other["reasons"] and LEXICAL not in one["reasons"]:
            yield from differences(one["score"], other["score"], f"items[{at}].score")


def _newcomers(name: str, was: Collection[str], now: list[JsonObject]) -> Iterator[Difference]:
    for at, one in enumerate(now):
        if one["id"] not in was:
            yield Difference(f"{name}[{at}]", None, one)


def _missing(
    before: list[JsonObject], now: JsonObject, gone: Collection[str]
) -> Iterator[Difference]:
    there = {one["id"] for name in ("items", "skipped_items") for one in now[name]}
    for at, one in enumerate(before):
        if one["id"] not in there and one["id"] not in gone and _starts(one["reasons"]):
            yield Difference(f"items[{at}]", one, None)


def _starts(reasons: Collection[str]) -> bool:
    """Whether a memory was a seed: then it takes no other one to lead to it."""
    return EXPLICIT in reasons or LEXICAL in reasons
