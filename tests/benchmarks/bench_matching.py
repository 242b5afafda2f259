"""How well takeaways are matched: `make bench-matching`.

Labelled pairs, by class and against each threshold, on the half that the thresholds were chosen by
and on the half that was held out; then mutants of takeaways, of which none may be merged. Options:
--mutants NUMBER, --seed NUMBER. The run ends with 1 where another fact is merged.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from domain.bundles.comparing import Verdict, compare
from domain.bundles.matching import choose
from domain.bundles.thresholds import THRESHOLDS, Thresholds
from domain.bundles.wording import Wording
from tests.benchmarks.common import alone
from tests.bundles.labelled import WANTED, Half, Pair, pairs
from tests.bundles.swapping import KINDS, mutant, respelled

VERDICTS: Final[tuple[Verdict, ...]] = ("restatement", "clear", "grey", "apart")
MERGED: Final = {"restatement", "clear"}
HALVES: Final[tuple[Half, Half]] = ("choosing", "held out")
CLEAR: Final = (0.6, 0.65, 0.7, 0.75, 0.8, 0.82, 0.85, 0.9, 0.95)
GREY: Final = (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75)
MARGIN: Final = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)


def by_class(half: Sequence[Pair]) -> int:
    """Verdicts by class with precision and recall; how many other facts were merged."""
    found = Counter((one.label, compare(one.said, one.known).verdict) for one in half)
    print(f"  {'class':<13}" + "".join(f"{verdict:>13}" for verdict in VERDICTS) + "     recall")
    for label, wanted in WANTED.items():
        counts = [found[label, verdict] for verdict in VERDICTS]
        recall = found[label, wanted] / sum(counts)
        print(f"  {label:<13}" + "".join(f"{count:>13}" for count in counts) + f"{recall:>11.3f}")
    precisions = []
    for verdict in VERDICTS:
        right = sum(found[label, verdict] for label in WANTED if WANTED[label] == verdict)
        every = sum(found[label, verdict] for label in WANTED)
        precisions.append(f"{right / every if every else 1.0:>13.3f}")
    print(f"  {'precision':<13}" + "".join(precisions))
    return sum(
        found[label, verdict]
        for label, wanted in WANTED.items()
        for verdict in MERGED - {wanted}
        if wanted not in MERGED or verdict == "restatement"
    )


def sweep_pairs(half: Sequence[Pair]) -> None:
    """What each least score would do, the others as they are."""
    print("  clear   refinements merged   asked about   other facts merged")
    for clear in CLEAR:
        verdicts = _verdicts(half, replace(THRESHOLDS, clear=clear))
        others = sum(
            verdicts[label, "clear"] for label in ("replacement", "different", "unrelated")
        )
        merged, asked = verdicts["refinement", "clear"], verdicts["refinement", "grey"]
        print(f"  {clear:<8.2f}{merged:>18}{asked:>14}{others:>21}")
    print("  grey    replacements asked about   lost   refinements lost   others asked about")
    for grey in GREY:
        verdicts = _verdicts(half, replace(THRESHOLDS, grey=grey))
        others = verdicts["different", "grey"] + verdicts["unrelated", "grey"]
        asked, lost = verdicts["replacement", "grey"], verdicts["replacement", "apart"]
        print(
            f"  {grey:<8.2f}{asked:>24}{lost:>7}{verdicts['refinement', 'apart']:>19}{others:>21}"
        )


def _verdicts(half: Sequence[Pair], thresholds: Thresholds) -> Counter[tuple[str, str]]:
    return Counter((one.label, compare(one.said, one.known, thresholds).verdict) for one in half)


def sweep_margin(half: Sequence[Pair]) -> None:
    """Refinements beside a rival that lacks a word; then among all known wordings of the half."""
    refinements = [one for one in half if one.label == "refinement"]
    print("  margin  refinements chosen beside a rival")
    for margin in MARGIN:
        thresholds = replace(THRESHOLDS, margin=margin)
        right = 0
        for one in refinements:
            both = [("known", one.known), ("rival", _lacking_a_word(one.known))]
            right += choose(one.said, both, thresholds).chosen == "known"
        print(f"  {margin:<8.2f}{right:>33}")
    known = {str(number): one.known for number, one in enumerate(half)}
    chosen = [(one, choose(one.said, list(known.items())).chosen) for one in refinements]
    right = sum(name is not None and known[name] == one.known for one, name in chosen)
    wrong = sum(name is not None and known[name] != one.known for one, name in chosen)
    print(f"  among {len(known)} known wordings: {right} chosen, {wrong} wrong ones")


def _lacking_a_word(wording: Wording) -> Wording:
    """The same with its last word replaced: what somebody may have meant just as well."""
    return wording._replace(rule=wording.rule.rpartition(" ")[0] + " something")


def bench_mutants(count: int, seed: int) -> int:
    """Swapped in one thing and respelled; how many of them break the law."""
    dice = random.Random(seed)
    found: Counter[tuple[str, str]] = Counter()
    broken, seconds = 0, 0.0
    for _ in range(count):
        accepted, swapped, kind = mutant(dice)
        other = Wording(*(respelled(dice, text) for text in swapped))
        same = Wording(*(respelled(dice, text) for text in accepted))
        start = time.process_time()
        verdict, again = compare(other, accepted).verdict, compare(same, accepted).verdict
        seconds += time.process_time() - start
        found[kind, verdict] += 1
        broken += (verdict in MERGED) + (again != "restatement")
    print(f"{count} mutants, seed {seed}, each also respelled without a swap")
    for kind in KINDS:
        print(f"  {kind:<12}" + "".join(f"{one:>13} {found[kind, one]:>5}" for one in VERDICTS))
    print(f"  broken: {broken}; {seconds / count / 2 * 1e6:.0f} µs of the processor a comparison")
    return broken


def main() -> int:
    """Print the figures; 1 where another fact is merged."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mutants", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=8)
    said = options.parse_args()
    broken = 0
    with alone():
        print(f"thresholds: {THRESHOLDS}")
        for half in HALVES:
            labelled = pairs(half)
            print(f"\n{half}: {len(labelled)} pairs")
            broken += by_class(labelled)
            sweep_pairs(labelled)
            sweep_margin(labelled)
        print()
        broken += bench_mutants(said.mutants, said.seed)
    if broken:
        print(f"BROKEN: {broken} merged that are other facts, or not seen to be the same")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
