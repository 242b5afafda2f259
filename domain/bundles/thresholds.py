"""The thresholds of matching, in one place (docs/spec/bundle.md §4.5).

They were chosen on the half of `tests/bundles/pairs.json` that is for choosing; `make
bench-matching` prints the sweep that each rests on, and the same figures for the half that is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Thresholds:
    """Scores in 0..1 as `comparing.compare` gives them; `version` stands in every decision.

    `clear`: the least score of a clear match. Below it the added words outweigh what was there:
    with 0.8 at most one word is added to every two.
    `grey`: the least score at which somebody is asked. Three words of which one was replaced have
    0.67 and are worth a question; of two words one, 0.5, is no more than a shared subject.
    `margin`: how far the next candidate must stay behind a clear one. One word in five that a
    rival lacks makes 0.1; less is no difference to decide by.
    """

    version: str
    clear: float
    grey: float
    margin: float


THRESHOLDS: Final = Thresholds(version="matching/v1", clear=0.8, grey=0.6, margin=0.1)
