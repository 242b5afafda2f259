"""An index that was asked before says the same as one that is asked for the first time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.lexical import kept_mask
from projections.lexical.eligibility import Filters
from projections.lexical.memtable import Memtable
from projections.lexical.scoring import Text
from tests.lexical.builders import basis, document

INSTANTS = st.integers(0, 6)
ADD = st.tuples(
    st.just("add"),
    st.sampled_from(["m1", "m2", "m3"]),
    INSTANTS,
    st.none() | INSTANTS,
    st.none() | INSTANTS,
    st.sampled_from([None, None, "actor-1", "actor-2"]),
    st.sampled_from(["a", "b"]),
)
HIDE = st.tuples(st.sampled_from(["bury", "purge"]), st.sampled_from(["m1", "m2", "m3"]))
ASK = st.tuples(
    st.just("ask"),
    st.integers(0, 12),
    INSTANTS,
    st.sampled_from(["actor-1", "actor-2", "actor-3"]),
    st.sampled_from([Filters(), Filters(), Filters(kinds=frozenset({"a"}))]),
)
STEPS = st.lists(st.one_of(ADD, ADD, HIDE, ASK, ASK, ASK), min_size=4, max_size=40)


def played(steps, *, asking):
    """The index after some steps, and what it said where it was asked."""
    index, versions, said = Memtable(), {}, []
    for position, (name, *step) in enumerate(steps, start=1):
        if name == "add":
            memory, since, until, expires, owner, kind = step
            versions[memory] = versions.get(memory, 0) + 1
            index.add(
                document(
                    memory,
                    version=versions[memory],
                    from_position=position,
                    valid_from_us=since,
                    valid_until_us=until,
                    expires_at_us=expires,
                    private_owner=owner,
                    kind=kind,
                )
            )
        elif name != "ask":
            getattr(index, name)(*step)
        elif asking:
            said.append(asked(index, step))
    return index, said


def asked(index, step):
    position, now, actor, filters = step
    mask = index.eligible(basis(position=position, as_of_us=now, actor=actor), filters)
    figures = index._text().statistics(mask)
    return mask.tolist(), figures.documents, figures.norms.tolist()


@given(STEPS, st.sampled_from([1, 3, 4096]))
def test_what_is_kept_of_a_question_changes_no_later_answer(steps, changes_max):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_mask, "_CHANGES_MAX", changes_max)
        _, said = played(steps, asking=True)

    fresh = []
    for at, (name, *step) in enumerate(steps):
        if name == "ask":
            index, _ = played(steps[:at], asking=False)
            fresh.append(asked(index, step))

    assert said == fresh


def questions(index, instants, **how):
    return [index.eligible(basis(as_of_us=now, **how), Filters()) for now in instants]


@pytest.fixture
def index():
    """Two versions, of which the second holds from 10 to 20."""
    index = Memtable()
    index.add(document("m1", valid_from_us=0))
    index.add(document("m2", from_position=2, valid_from_us=10, valid_until_us=20))
    return index


def test_between_two_bounds_the_mask_is_made_twice_and_then_kept(index):
    first, second, *later = questions(index, [10, 11, 12, 19])

    assert first is not second
    assert all(mask is second for mask in later)


def test_what_was_written_since_is_in_the_mask_that_is_kept(index):
    *_, kept = questions(index, [12, 12])
    index.add(document("m3", from_position=3, valid_from_us=5, valid_until_us=15))
    index.add(document("m2", version=2, from_position=4, valid_from_us=10))

    masks = questions(index, [13, 14, 15, 16])

    assert kept.tolist() == [True, True]
    assert masks[0] is masks[1]
    assert [mask.tolist() for mask in masks] == [
        [True, False, True, True],
        [True, False, True, True],
        [True, False, False, True],
        [True, False, False, True],
    ]


def test_questions_of_several_keep_a_mask_each(index):
    index.add(document("m3", from_position=3, private_owner="actor-1"))
    asked = [
        index.eligible(basis(as_of_us=12, actor=actor), Filters())
        for actor in ("actor-1", "actor-2") * 3
    ]

    assert asked[2] is asked[4]
    assert asked[3] is asked[5]


def test_what_is_taken_out_leaves_no_question_that_named_it(index):
    index.add(document("m3", from_position=3, slot="secret"))
    for _ in range(3):
        index.eligible(basis(), Filters(slot="secret"))

    index.purge("m3")

    assert not index._eligibility._kept._kept
    assert not index._eligibility._kept._asked


def test_a_bound_that_was_passed_makes_another_mask(index):
    *_, kept = questions(index, [12, 12, 12])

    assert [mask.tolist() for mask in questions(index, [9, 20])] == [[True, False]] * 2
    assert kept.tolist() == [True, True]


def test_what_has_ended_since_the_last_question_is_no_answer(index):
    assert [mask.tolist() for mask in questions(index, [12, 12, 20])][-1] == [True, False]


@pytest.mark.parametrize("actors", [("actor-1", "actor-2"), ("actor-2", "actor-1")])
def test_what_somebody_keeps_private_is_theirs_whoever_asked_before(actors):
    index = Memtable()
    index.add(document("m1", private_owner="actor-1"))

    told = [
        index.eligible(basis(actor=actor), Filters()).tolist()
        for actor in (actors[0], actors[0], actors[1])
    ]

    assert told == [[actor == "actor-1"] for actor in (actors[0], actors[0], actors[1])]


@pytest.mark.parametrize("positions", [(1, 2), (2, 1)])
def test_each_position_knows_its_own_version_whatever_was_asked_before(positions):
    index = Memtable()
    index.add(document("m1"))
    index.add(document("m1", version=2))

    told = [
        index.eligible(basis(position=position), Filters()).tolist()
        for position in (positions[0], positions[0], positions[1])
    ]

    assert told[-1] == [positions[1] == 1, positions[1] == 2]


def test_what_others_record_that_is_no_version_keeps_the_mask(index):
    masks = [
        index.eligible(basis(position=position, as_of_us=12), Filters())
        for position in (2, 2, 3, 9)
    ]

    assert masks[1] is masks[2] is masks[3]


def test_who_has_nothing_private_shares_the_mask_with_others(index):
    masks = [
        index.eligible(basis(as_of_us=12, actor=actor), Filters())
        for actor in ("actor-1", "actor-1", "actor-2")
    ]

    assert masks[1] is masks[2]


def test_a_kept_mask_cannot_be_changed_by_who_got_it(index):
    *_, kept = questions(index, [12, 12, 12])

    with pytest.raises(ValueError, match="read-only"):
        kept &= False


def test_the_statistics_of_a_kept_mask_are_counted_once(index):
    *_, kept = questions(index, [12, 12, 12])
    text: Text = index._text()

    assert text.statistics(kept) is text.statistics(kept)
    other = kept.copy()
    assert text.statistics(other) is not text.statistics(other)
    assert np.array_equal(text.statistics(other).norms, text.statistics(kept).norms)
