"""The labelled pairs: what somebody who reads both wordings says of them.

`pairs.json` holds `{class, said: [rule, scope], known: [rule, scope]}`. Classes: a *restatement*
says the same; a *refinement* is the same rule, said more exactly; a *replacement* cannot hold
beside the known one; *different* facts share most words and hold side by side; *unrelated* ones
share a subject at most. Of each class every other pair is for choosing thresholds, and the rest is
held out: no threshold and no word list was changed for it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Final, Literal, NamedTuple

from domain.bundles.comparing import Verdict
from domain.bundles.wording import Wording

PAIRS: Final = Path(__file__).parent / "pairs.json"
Half = Literal["choosing", "held out"]
WANTED: Final[dict[str, Verdict]] = {
    "restatement": "restatement",
    "refinement": "clear",
    "replacement": "grey",
    "different": "apart",
    "unrelated": "apart",
}
"""A class → the verdict that is best for it."""


class Pair(NamedTuple):
    """Two wordings and the class of the pair."""

    label: str
    said: Wording
    known: Wording


def pairs(half: Half) -> list[Pair]:
    """Those of a half, by class, in the order of the file."""
    by_class: dict[str, list[Pair]] = defaultdict(list)
    for one in json.loads(PAIRS.read_text("utf-8")):
        pair = Pair(one["class"], Wording(*one["said"]), Wording(*one["known"]))
        by_class[pair.label].append(pair)
    first = 0 if half == "choosing" else 1
    return [pair for label in WANTED for pair in by_class[label][first::2]]
