"""The thresholds of matching, in one place (docs/spec/bundle.md §4.5).

They were chosen on the half of `tests/bundles/pairs.json` that is for choosing; `make
bench-matching` prints the sweep that each rests on, and the same figures for the half that is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Thresholds:
    """Scores in 0..1 as `comparing.compare` gives them.

    `version` stands in every decision and names all that it depends on: these scores, the word
    lists, the comparison. Who changes one of them raises it.

    `clear`: the least score of a clear match. The words that are added to a short rule make it
    another one: `run the tests` and `run the tests of the importer` have 0.8. Of five words two
    may be added, 0.83.
    `grey`: the least score at which somebody is asked. Of three words one replaced has 0.67 and is
    worth a question. Rules of one subject of two words (`feature flags …`) that say different
    things of it have 0.57 and less, unless each says them in one word, and are no question.
    `margin`: how far a grey rival must stay behind a clear match. It is a guard for rivals that
    differ in nothing but a negation or the order; a word that a rival lacks makes more than 0.1
    in rules of usual length.
    """

    version: str
    clear: float
    grey: float
    margin: float


THRESHOLDS: Final = Thresholds(version="matching/v1", clear=0.82, grey=0.6, margin=0.1)
