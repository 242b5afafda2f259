"""Recall finds what a person would expect, among memories that nearly match and many that do not.

The table is that of the measured prototype: Whoosh's analyzers put 17 to 24 of its 48 first. Rules
of the analyzer are mended for a kind of fault, never for a row.
"""

from __future__ import annotations

import random

import pytest

from tests.lexical.adapters import ADAPTERS
from tests.lexical.builders import document, search
from tests.lexical.tricky_table import TRICKY

SYLLABLES = ("ba", "ko", "ri", "mo", "ta", "lu", "ner", "lin", "dos", "vek", "mar")


@pytest.fixture(scope="module", params=sorted(ADAPTERS))
def crowded(request):
    """Every memory and distractor of the table, and 400 memories of noise."""
    words = random.Random(48)
    index = ADAPTERS[request.param]()
    texts = {text for memory, _, distractors in TRICKY for text in (memory, *distractors)}
    noise = {
        " ".join("".join(words.choices(SYLLABLES, k=2)) for _ in range(20)) for _ in range(400)
    }
    for text in sorted(texts | noise):
        index.add(document(text, text))  # the text is its own id, so that a failure reads well
    return index


def ranks(index, memory, question):
    """Rank with ties in favour of the memory, and against it."""
    scores = {hit.memory_id: hit.score for hit in search(index, question)}
    own = scores.get(memory, 0)
    if own == 0:
        return len(scores) + 1, len(scores) + 1
    better = sum(score > own for score in scores.values())
    return better + 1, better + sum(score == own for score in scores.values())


def test_nearly_all_tricky_questions_have_their_memory_strictly_first(crowded):
    missed = [
        question for memory, question, _ in TRICKY if ranks(crowded, memory, question)[1] != 1
    ]

    # The two memories about each of C++ and C# are as good as one another.
    assert missed == ["C++", "C#"]


@pytest.mark.parametrize(("memory", "question"), [(m, q) for m, q, _ in TRICKY])
def test_a_tricky_question_finds_its_memory_first_or_beside_an_equal(crowded, memory, question):
    first, last = ranks(crowded, memory, question)

    assert first == 1
    assert last <= 3
