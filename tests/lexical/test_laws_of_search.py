"""Laws: the index answers as the reference does, and what is not eligible changes nothing."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import add

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.lexical.analyzer import Term
from projections.lexical.eligibility import Basis, Filters
from projections.lexical.memtable import Memtable
from projections.lexical.places import stand_in_id
from projections.lexical.scoring import SearchStopped
from tests.lexical.adapters import ADAPTERS
from tests.lexical.builders import basis, document, never
from tests.lexical.reference import Reference

WORDS = ["a", "ab", "b", "c", "d", "é", "水"]
TIMES = st.integers(0, 6)
MAYBE_TIMES = st.none() | TIMES
FREQUENCIES = st.integers(1, 40).map(lambda eighths: eighths / 8)
TERMS = st.dictionaries(st.sampled_from(WORDS), FREQUENCIES, max_size=5)
QUESTIONS = st.lists(
    st.builds(Term, st.sampled_from([*WORDS, "zz"]), st.sampled_from([0.25, 0.5, 1.0])), max_size=6
)
SOME = st.frozensets(st.sampled_from(["x", "y", "z"]), max_size=2)
ONE = st.sampled_from(["x", "y"])
MAYBE = st.none() | ONE
FIELDS = st.fixed_dictionaries(
    {
        "terms": TERMS,
        "valid_from_us": TIMES,
        "valid_until_us": MAYBE_TIMES,
        "expires_at_us": MAYBE_TIMES,
        "active": st.sampled_from([True, True, True, False]),
        "private_owner": MAYBE,
        "home_session": ONE,
        "kind": ONE,
        "tags": SOME,
        "epistemic_status": MAYBE,
        "confidence": st.none() | st.sampled_from([0.0, 0.5, 1.0]),
        "slot": MAYBE,
        "repo": MAYBE,
    }
)
BASES = st.builds(Basis, position=st.integers(0, 14), as_of_us=TIMES, actor=st.just("x"))
FILTERS = st.just(Filters()) | st.builds(
    Filters,
    session_id=MAYBE,
    kinds=SOME,
    tags=SOME,
    epistemic_status=SOME,
    min_confidence=st.none() | st.sampled_from([0.0, 0.25, 1.0]),
    slot=MAYBE,
    repo=MAYBE,
)


@st.composite
def histories(draw, most=12):
    """Versions of a few memories, in the order of the log."""
    newest = dict.fromkeys(["m1", "m2", "m3", "m4"], 0)
    written = []
    for position in range(1, draw(st.integers(0, most)) + 1):
        memory_id = draw(st.sampled_from(sorted(newest)))
        newest[memory_id] += 1
        written.append(
            document(
                memory_id,
                version=newest[memory_id],
                from_position=position,
                **draw(FIELDS),
            )
        )
    return written


def filled(documents):
    index = Memtable()
    for each in documents:
        index.add(each)
    return index


def hits_of(index, question, at, filters, limit=None):
    return [tuple(hit) for hit in index.search(question, index.eligible(at, filters), limit, never)]


@given(
    histories(),
    st.frozensets(st.sampled_from(["m1", "m2"])),
    QUESTIONS,
    BASES,
    FILTERS,
    st.none() | st.integers(1, 4),
)
def test_the_index_answers_as_the_reference_does_to_the_bit(
    documents, forgotten, question, at, filters, limit
):
    index, reference = filled(documents), Reference(documents, set(forgotten))
    for memory_id in forgotten:
        index.bury(memory_id)

    assert index.ids(index.eligible(at, filters)) == sorted(
        d.memory_id for d in reference.eligible(at, filters)
    )
    assert hits_of(index, question, at, filters, limit) == reference.search(
        question, at, filters, limit
    )


@given(histories(), st.lists(FIELDS, max_size=6), QUESTIONS)
def test_a_document_that_is_not_eligible_changes_no_score_by_a_bit(documents, noise, question):
    index = filled(documents)
    at, filters = basis(position=100, as_of_us=3, actor="x"), Filters(session_id="x")
    before = hits_of(index, question, at, filters)

    reasons = (
        {"home_session": "y"},
        {"private_owner": "y"},
        {"active": False},
        {"expires_at_us": 3},
        {"valid_from_us": 4},
        {"valid_until_us": 3},
        {"from_position": 101},
    )
    for number, fields in enumerate(noise):
        for reason, why in enumerate(reasons):
            index.add(document(f"noise-{number}-{reason}", **{**fields, **why}))

    assert hits_of(index, question, at, filters) == before


@given(histories(), QUESTIONS, BASES, FILTERS, st.randoms())
def test_the_order_in_which_memories_are_added_does_not_matter(
    documents, question, at, filters, random
):
    turns = [each.memory_id for each in documents]
    random.shuffle(turns)
    waiting = {m: iter([d for d in documents if d.memory_id == m]) for m in set(turns)}

    shuffled = filled(next(waiting[memory_id]) for memory_id in turns)

    assert hits_of(shuffled, question, at, filters) == hits_of(
        filled(documents), question, at, filters
    )


@given(histories(), QUESTIONS, BASES, FILTERS)
def test_adding_every_version_twice_changes_nothing(documents, question, at, filters):
    once = filled(documents)

    twice = filled([*documents, *documents])

    assert twice.counts() == once.counts()
    assert hits_of(twice, question, at, filters) == hits_of(once, question, at, filters)


@given(histories(), QUESTIONS, BASES)
def test_forgetting_leaves_the_scores_of_an_index_that_never_had_the_memory(
    documents, question, at
):
    buried, purged = filled(documents), filled(documents)
    without = filled(each for each in documents if each.memory_id != "m1")

    buried.bury("m1")
    purged.purge("m1")

    expected = hits_of(without, question, at, Filters())
    assert hits_of(buried, question, at, Filters()) == expected
    assert hits_of(purged, question, at, Filters()) == expected


@given(histories(), QUESTIONS, BASES, st.integers(1, 5))
def test_a_limit_cuts_the_list_and_changes_nothing_else(documents, question, at, limit):
    index = filled(documents)

    assert (
        hits_of(index, question, at, Filters(), limit)
        == hits_of(index, question, at, Filters())[:limit]
    )


@given(histories(), QUESTIONS, BASES, st.integers(0, 8))
def test_a_search_stops_when_it_is_told_to_or_answers_in_full(documents, question, at, patience):
    index = filled(documents)
    mask = index.eligible(at, Filters())
    asked = iter(range(100))

    try:
        hits = index.search(question, mask, None, lambda: next(asked) >= patience)
    except SearchStopped:
        assert next(asked) == patience + 1
    else:
        assert [tuple(hit) for hit in hits] == hits_of(index, question, at, Filters())


def test_a_search_that_must_stop_at_once_stops_before_its_first_term():
    index = filled([document("m1", "otter")])

    with pytest.raises(SearchStopped):
        index.search([Term("otter", 1.0)], index.eligible(basis(), Filters()), 1, lambda: True)


@given(histories(), QUESTIONS, BASES, FILTERS)
def test_explained_parts_sum_to_the_score_to_the_bit(documents, question, at, filters):
    index = filled(documents)
    mask = index.eligible(at, filters)
    hits = index.search(question, mask, None, never)

    explained = index.explain(hits, question, mask, never)

    # Added up one by one: `sum` compensates for rounding from Python 3.12 on.
    sums = [reduce(add, (part.score for part in parts)) for parts in explained]
    assert sums == [hit.score for hit in hits]
    shown = {(each.memory_id, each.version): each for each in documents}
    for hit, parts in zip(hits, explained, strict=True):
        assert [part.term for part in parts] == sorted({part.term for part in parts})
        own = [part for part in parts if part[2:] == hit[:2]]
        assert own
        for part in parts:
            assert part.term in shown[part.memory_id, part.version].terms
            assert part in own or part.term not in shown[hit[:2]].terms


NAMES = ["m1", "m2", "m3", stand_in_id("m1", 1, 0), stand_in_id("m1", 1, 1), "m4"]


@pytest.mark.parametrize("make", ADAPTERS)
@given(st.lists(st.sampled_from(NAMES[:-1]), max_size=12), st.sets(TIMES), st.integers(0, 13))
def test_the_versions_of_many_memories_are_those_of_each_by_itself(make, names, settled, position):
    # Given versions of memories and stand-ins, in one index or in several segments
    index, newest = ADAPTERS[make](), Counter()
    for at, name in enumerate(names, start=1):
        newest[name] += 1
        index.add(document(name, "a", version=newest[name], from_position=at))
        if at in settled:
            index.eligible(basis(), Filters())
    index.eligible(basis(), Filters())

    # Then all at once is what each is by itself: of it and its stand-ins the newest by then
    found = index.places.rows_of(["m1", "m2", "m3", "m4"], position).tolist()
    assert sorted(map(index.places.name, found)) == sorted(Counter(names[:position]).items())
    each = (index.places.rows_at(name, position) for name in ("m1", "m2", "m3", "m4"))
    assert sorted(found) == sorted(row for rows in each for row in rows)


@pytest.mark.parametrize("make", ADAPTERS)
@given(histories(), st.sets(TIMES))
def test_every_word_is_told_with_what_is_found_of_it(make, documents, settled):
    # Given an index of one part or of several
    index = ADAPTERS[make]()
    for at, each in enumerate(documents):
        index.add(each)
        if at in settled:
            index.eligible(basis(), Filters())
    index.eligible(basis(), Filters())

    # Then all words in order are what each is by itself
    told = [(term, *map(list, found)) for term, found in index.words()]
    assert told == [(term, *map(list, index.find(term))) for term in index.terms()]
    assert {term for term, _, _ in told} == {term for one in documents for term in one.terms}
