"""Which of the known takeaways a said one is about (docs/spec/bundle.md §4.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from domain.bundles.comparing import Comparison, Verdict, compare_read, read
from domain.bundles.thresholds import THRESHOLDS, Thresholds
from domain.bundles.wording import Wording

_RANKS: Final[tuple[Verdict, ...]] = ("restatement", "clear", "grey", "apart")


class Choice(NamedTuple):
    """What was chosen among the known wordings.

    `chosen` is the id of the one that is restated or clearly meant, else None. `compared` are all
    ids with their comparisons, best first: by verdict, score, and id, so that the order in which
    an index found them decides nothing.
    """

    kind: Literal["restatement", "clear", "ambiguous", "none"]
    chosen: str | None
    compared: tuple[tuple[str, Comparison], ...]


def choose(
    said: Wording, known: Sequence[tuple[str, Wording]], thresholds: Thresholds = THRESHOLDS
) -> Choice:
    """The restated one, else the only clear one, else a question where any may be meant.

    Where two are restated, the one with the least id is: a restatement moves neither. A clear one
    is chosen if no other is clear or grey within the margin of its score. Known wordings that
    are apart are other takeaways and no rivals.
    """
    read_once = read(said)
    found = [(name, compare_read(read_once, read(one), thresholds)) for name, one in known]
    compared = tuple(sorted(found, key=_best_first))
    rivals = [(name, one) for name, one in compared if one.verdict != "apart"]
    if not rivals:
        return Choice("none", None, compared)
    name, best = rivals[0]
    if best.verdict == "restatement":
        return Choice("restatement", name, compared)
    if best.verdict == "clear" and _stands_alone(best, [one for _, one in rivals[1:]], thresholds):
        return Choice("clear", name, compared)
    return Choice("ambiguous", None, compared)


def _stands_alone(best: Comparison, rivals: Sequence[Comparison], thresholds: Thresholds) -> bool:
    return all(
        one.verdict == "grey" and best.score - one.score >= thresholds.margin for one in rivals
    )


def _best_first(named: tuple[str, Comparison]) -> tuple[int, float, str]:
    name, one = named
    return _RANKS.index(one.verdict), -one.score, name
