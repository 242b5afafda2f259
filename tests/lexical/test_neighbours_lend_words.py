"""Context: what a memory takes from those beside it in its session, and what it never takes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.lexical import context, scoring
from projections.lexical.analyzer import Term
from projections.lexical.context import NOBODY, SessionOrder
from projections.lexical.eligibility import Filters
from projections.lexical.memtable import Memtable
from projections.lexical.parameters import FILLED_MAX, KEPT_POSTINGS, NEIGHBOURS
from tests.lexical.builders import basis, document, found, never, search
from tests.lexical.test_laws_of_search import QUESTIONS, filled, histories


def said(index, *texts, session="talk", start=1, **fields):
    """Memories of a session, one after the other; each text is its own id."""
    for position, text in enumerate(texts, start):
        index.add(document(text, text, from_position=position, home_session=session, **fields))


def scores(index, question, **how):
    return {hit.memory_id: hit.score for hit in search(index, question, **how)}


def test_an_answer_is_found_by_the_words_of_what_was_asked_before_it(index):
    said(index, "where does the otter sleep", "in the reeds of the lake")
    said(index, "in the reeds of the river", session="other", start=3)

    assert (
        scores(index, "otter reeds")["in the reeds of the lake"]
        > (scores(index, "otter reeds")["in the reeds of the river"])
    )


def test_a_memory_without_a_word_of_the_question_is_not_found_beside_one_that_has_it(index):
    said(index, "otter", "heron", "otter lake")

    assert found(index, "otter lake") == ["otter lake", "otter"]


def test_a_word_that_a_memory_has_is_not_added_to(index):
    often = "otter otter otter otter otter heron"
    said(index, often, "otter heron")
    alone = type(index)()
    said(alone, often)
    said(alone, "otter heron", session="other", start=2)

    assert scores(index, "otter heron") == scores(alone, "otter heron")


def test_the_nearest_two_on_each_side_lend_and_nobody_further_away(index):
    talk = ["fox 3", "fox 2", "fox 1", "reed", "fox 9", "fox 8", "fox 7"]
    said(index, *talk)
    near = {"fox 2": -2, "fox 1": -1, "fox 9": 1, "fox 8": 2}
    mask = index.eligible(basis(), Filters())
    terms = [Term(word, 1.0) for word in ("1", "2", "3", "7", "8", "9", "reed")]
    hit = next(h for h in index.search(terms, mask, None, never) if h.memory_id == "reed")

    parts = index.explain([hit], terms, mask, never)[0]

    assert {one.memory_id for one in parts} == {*near, "reed"}
    lent = {near[one.memory_id]: one.score for one in parts if one.memory_id != "reed"}
    whole = {one.distance: one.share for one in NEIGHBOURS}
    unit = lent[-1] / whole[-1]
    assert lent == pytest.approx({distance: share * unit for distance, share in whole.items()})


def test_what_is_not_eligible_is_no_neighbour_and_makes_room_for_the_next(index):
    said(index, "otter")
    for number in range(3):
        hidden = f"heron {number}"
        index.add(
            document(hidden, "heron", from_position=2 + number, home_session="talk", active=False)
        )
    said(index, "reed", start=5)
    said(index, "heron", session="other", start=6)

    together = type(index)()
    said(together, "otter")
    said(together, "reed", start=5)
    said(together, "heron", session="other", start=6)

    assert scores(index, "otter heron reed") == scores(together, "otter heron reed")
    assert scores(index, "otter heron reed")["reed"] > scores(index, "reed")["reed"]
    assert scores(index, "otter heron reed", session_id="talk").keys() == {"otter", "reed"}


def test_only_the_best_by_their_own_words_take_any_and_the_earlier_of_equals():
    index = Memtable()
    for number in range(FILLED_MAX + 2):
        texts = (f"reed {number}", f"otter {number}")
        for side, text in enumerate(texts):
            index.add(
                document(
                    text,
                    terms={text.split()[0]: 1.0},
                    from_position=2 * number + side + 1,
                    home_session=str(number),
                )
            )
    terms, mask = [Term("reed", 1.0), Term("otter", 0.5)], index.eligible(basis(), Filters())

    hits = index.search(terms, mask, None, never)

    reeds = [hit for hit in hits if hit.memory_id.startswith("reed")]
    own = min(hit.score for hit in reeds)
    assert {hit.memory_id for hit in reeds if hit.score == own} == {
        f"reed {FILLED_MAX}",
        f"reed {FILLED_MAX + 1}",
    }


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30)), unique_by=lambda row: row[1]),
    st.lists(st.integers(1, 6)),
    st.integers(0, 12),
    st.booleans(),
    st.randoms(),
)
def test_neighbours_follow_from_sessions_and_positions_however_rows_came(
    rows, steps, late_max, in_order, random
):
    rows = sorted(rows, key=lambda row: row[1]) if in_order else rows
    eligible = {position: random.random() < 0.7 for _, position in rows}
    sessions = np.array([session for session, _ in rows], dtype=np.int32)
    positions = np.array([position for _, position in rows], dtype=np.int64)
    mask = np.array([eligible[position] for _, position in rows], dtype=np.bool_)
    order, known = SessionOrder(), 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(context, "_LATE_MAX", late_max)
        for step in [*steps, len(rows)]:
            known = min(len(rows), known + step)
            order.follow(sessions[:known], positions[:known])
    asked = np.flatnonzero(mask)

    neighbours = order.neighbours(asked, mask)

    for row, near in zip(asked, neighbours, strict=True):
        beside = sorted(p for s, p in rows if s == sessions[row] and eligible[p])
        at = beside.index(positions[row])
        expected = [
            beside[at + one.distance] if 0 <= at + one.distance < len(beside) else NOBODY
            for one in NEIGHBOURS
        ]
        assert [NOBODY if one == NOBODY else positions[one] for one in near] == expected


@pytest.mark.parametrize(
    ("later", "beside"),
    [((1, 9), {-1: 5}), ((1, 3), {1: 5}), ((2, 9), {-2: 6, -1: 7}), ((2, 3), {1: 6, 2: 7})],
)
def test_a_row_that_came_later_stands_where_its_position_says(later, beside, monkeypatch):
    monkeypatch.setattr(context, "_LATE_MAX", 1)
    rows, order = [(1, 5), (2, 6), (2, 7)], SessionOrder()
    for known in (rows, [*rows, later]):
        sessions, positions = (np.array(column) for column in zip(*known, strict=True))
        order.follow(sessions, positions)

    [near] = order.neighbours(np.array([3]), np.ones(4, dtype=np.bool_))

    assert {
        one.distance: positions[row]
        for one, row in zip(NEIGHBOURS, near, strict=True)
        if row != NOBODY
    } == beside


@given(histories(), QUESTIONS)
def test_scores_do_not_depend_on_how_many_postings_are_kept(documents, question):
    index, at = filled(documents), basis(position=100, as_of_us=3, actor="x")
    mask = index.eligible(at, Filters())
    before = index.search(question, mask, None, never)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "KEPT_POSTINGS", 1)
        assert index.search(question, mask, None, never) == before
    assert KEPT_POSTINGS > 1
