"""The ranker `cosine/1` (spec/policy.md §2.9): every word counts, and nothing but the words.

It has no stop list, no stems and no parameters, so that one who has the texts can compute a score
again. Recall has a ranker of its own, `scoring`; both cut a text by `scripts`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import fsum, log, sqrt
from typing import Final

from projections.lexical.folding import exact
from projections.lexical.scripts import JOINERS, Script, clusters, pieces

# Between characters of a word; C++, C# and .NET keep the ones that they end or begin with.
_INSIDE: Final = re.compile(rf"(?<!^)[{JOINERS}_](?![{JOINERS}_]|$)")


def words(text: str) -> Iterator[str]:
    """The words of a text without regard to case, marks and all, one after the other.

    A run written without spaces gives its overlapping pairs, a single character of it itself.
    """
    for piece in pieces(text):
        match piece.script:
            case Script.WORD:
                yield from filter(None, _INSIDE.split(exact(piece.text)))
            case Script.SYMBOL:
                yield piece.text
            case Script.CJK:
                yield from _pairs(piece.text)
            case Script.CLUSTERED:
                yield from _pairs(clusters(piece.text))


def _pairs(run: Sequence[str]) -> Iterator[str]:
    if len(run) == 1:
        yield run[0]
    for one, following in pairwise(run):
        yield one + following


class Cosine:
    """Cosine of tf·idf vectors, idf = ln(1 + N/df) over the texts that are ranked, and no others.

    Sums are exact before they are rounded (`fsum`), so no order of texts or words changes a bit.
    """

    name: Final = "cosine/1"

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score a text, 0 to 1; 0 where it has no word of the question."""
        counts = [Counter(words(text)) for text in texts]
        having = Counter(word for count in counts for word in count)
        idf = {word: log(1 + len(texts) / having[word]) for word in having}
        asked = _weighted(
            {word: n for word, n in Counter(words(question)).items() if word in idf}, idf
        )
        return [_cosine(asked, _weighted(count, idf)) for count in counts]


def _weighted(counts: Mapping[str, int], idf: Mapping[str, float]) -> dict[str, float]:
    return {word: count * idf[word] for word, count in counts.items()}


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    product = fsum(weight * other[word] for word, weight in one.items() if word in other)
    return product / (_length(one) * _length(other)) if product else 0.0


def _length(vector: Mapping[str, float]) -> float:
    return sqrt(fsum(weight * weight for weight in vector.values()))
