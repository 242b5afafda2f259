"""Every number that decides what recall finds and in which order, each with its reason.

No other module holds a weight. Figures: LoCoMo, conversations 1 to 7, one index a conversation, a
turn is a document, evidence found among the first ten, all categories; and nDCG@10 of the
training claims of SciFact over its 5 183 abstracts (`make bench-recall-quality`). Those of single
words were measured without neighbours, where the chosen values give .650 and .705.
"""

from __future__ import annotations

from typing import Final, NamedTuple

K1: Final = 0.9
"""How soon repeating a word stops to count. With 1.2: .649 and .704; memories are short."""

B: Final = 0.3
"""How much a long document is held back. With 0.75 and k1 1.2, as for books: .634 and .704."""


class Neighbour(NamedTuple):
    """A memory that stands beside another one in its session.

    `distance` is counted in eligible memories, negative for those before it. `share` is what a
    word of it counts for the other one, of what it counts in itself.
    """

    distance: int
    share: float


NEIGHBOURS: Final = (
    Neighbour(-1, 0.8),
    Neighbour(1, 0.5),
    Neighbour(-2, 0.4),
    Neighbour(2, 0.3),
)
"""Who lends words to a memory that matches some others of a question, nearest first: what was said
before explains more than what was said after. LoCoMo .770; without neighbours .650, with shares of
.5 .5 .25 .25 .750, with .7 .5 .4 .3 .766. They are the best of about 120 on all seven, so that
figure is not of unseen talks: the best shares of the odd ones give .749 on the even ones
(.8 .6 .5 .3), those of the even ones .780 on the odd ones. SciFact has no sessions."""

FILLED_MAX: Final = 1000
"""Memories that take words from their neighbours: the best by their own words (design.md §5).
Bounds the time; no conversation of LoCoMo has as many."""

PREFERRED_REPO_BOOST: Final = 0.5
"""Added to the score of a memory of the preferred repo: about a third of what one rare word
gives, so that it decides between equal matches and never outweighs a better one."""


class Weight(NamedTuple):
    """What one form of a word counts in a document (as a frequency) and in a query (as a factor).

    Multiples of 1/8: sums of them are exact in double precision in whatever order they are made,
    and in the single precision in which an index on disk stores them.
    """

    in_document: float
    in_query: float


EXACT: Final = Weight(1, 1)
"""The word as written, without regard to case: the measure of the others."""

INFLECTED: Final = Weight(1, 0.25)
"""The word as written where it has another stem. In a query the stem stands for the word and this
ranks the same inflection first; with 0.5, so that an inflected word counts more than another,
.649 and .697."""

STEM: Final = Weight(0.75, 1)
"""The Porter2 stem. Lower in a document, so that `run` finds run before running; with equal
weights .649 and .701, with 0.5 .645 and .702."""

FOLDED: Final = Weight(0.5, 0.5)
"""The word without its accents: another word as often as a careless one (`ano`, `año`). Neither
collection has enough accents to choose; half on both sides keeps it below the exact match, whose
idf is never the smaller one, in documents that are alike otherwise."""

PART: Final = Weight(0.5, 0.5)
"""Part of an identifier, path or compound. 0.25 in documents loses two of the 48 tricky queries;
1 in queries, so that a name of five parts outweighs all else, costs SciFact .006."""

UNIGRAM: Final = Weight(0.25, 0)
"""One letter of a run of letters without spaces: found when a query is that letter alone. Runs
are otherwise matched by their pairs of letters."""

PIECE_CHARS_MAX: Final = 200
"""Longest word that is one term. The longest address in the PyPA advisories has 173 characters;
what is longer is text without spaces, and is cut at its punctuation."""

LABELS_MAX: Final = 8
"""Most labels of a dotted name for which its ends (example.com of docs.example.com) are terms:
their number grows with the square of the labels' length, and host names have fewer."""

RUNS_MAX: Final = 3
"""Most changes between digits and letters in a name whose runs are terms: SD500 and k8s, but not
3f9a1c2e, whose single characters are in every other hash."""

QUERY_TERMS_MAX: Final = 1000
"""Distinct terms of a query that are looked up: its first ones. A question of ten thousand words
is a pasted document, and its first thousand terms say which."""

QUERY_CHARS_MAX: Final = 1 << 16
"""Characters of a question that are read, ten thousand words: bounds the time before the search
where words repeat."""

SLICE_CHARS: Final = 1 << 12
"""Characters of a text that are normalized at a time: no word depends on it. Of a question of ten
thousand words the first fifth says its thousand terms, and the rest is not looked at."""

MARKS_MAX: Final = 30
"""Marks on one letter that are read, the bound of Unicode's stream-safe text (UAX 15). No word of
any language has more, and ordering them takes time with the square of their number."""

CACHED_WORDS: Final = 1 << 14
"""Words whose forms are kept: nine in ten words of both collections have been seen before, and
Porter2 alone takes 13 microseconds a word. About 13 MB when full."""

CACHED_WORD_CHARS_MAX: Final = 40
"""Longest word whose forms are kept: longer ones seldom come again and are large."""

KEPT_POSTINGS: Final = 1 << 21
"""Postings of a question whose scores are kept until neighbours have lent theirs, 32 MB; those of
further terms are counted again. No score depends on it."""

SCORED_BLOCK: Final = 1 << 16
"""Postings scored between two looks at the clock: about a millisecond."""

CACHED_POSTINGS: Final = 1 << 20
"""Postings of one segment that are kept in memory, 16 MB: no score depends on it."""

JOINED_POSTINGS: Final = 4
"""Postings a memory that are kept of all segments together, beside as many as of one: 64 bytes. A
memory of thirty words has thirty; without, a question over 100 000 memories in 15 segments takes
1.5 of its 5 milliseconds to put its lists together. No score depends on it."""

POSTINGS_IN_BLOCK: Final = 2048
"""Postings that a segment stores together: a word that 50 000 memories have is in 25 blocks."""
