"""What every index of recall must do, whatever it is made of."""

from __future__ import annotations

import pytest

from projections.lexical.eligibility import Filters
from tests.lexical.builders import basis, document, found, never, search


def test_a_memory_is_found_by_a_word_of_its_text(index):
    index.add(document("m1", "a grey heron"))
    index.add(document("m2", "a red fox"))

    hits = search(index, "heron?")

    assert [(hit.memory_id, hit.version) for hit in hits] == [("m1", 1)]
    assert hits[0].score > 0


def test_more_of_the_question_ranks_first_and_equal_matches_by_id(index):
    for memory_id in ("m3", "m1", "m2"):
        index.add(document(memory_id, "wolf"))
    index.add(document("m9", "wolf bear"))
    index.add(document("m0", "an unrelated sentence"))

    assert found(index, "wolf bear") == ["m9", "m1", "m2", "m3"]
    assert found(index, "wolf bear", limit=2) == ["m9", "m1"]


def test_one_eligible_match_is_found_at_limit_1_among_many_better_ones_that_are_not(index):
    better = {
        "session": {"home_session": "elsewhere"},
        "private": {"private_owner": "somebody"},
        "lifecycle": {"active": False},
        "expired": {"expires_at_us": 1},
        "future": {"valid_from_us": 2_000},
        "past": {"valid_until_us": 1},
        "kind": {"kind": "decision"},
        "unknown": {"from_position": 2_000_000},
    }
    index.add(document("only-one", "an otter was seen once, long ago", home_session="here"))
    for reason, fields in better.items():
        for number in range(50):
            said = {"home_session": "here", **fields}
            index.add(document(f"{reason}-{number}", "otter otter otter", **said))

    hits = search(index, "otter", limit=1, session_id="here", kinds=frozenset({"observation"}))

    assert [hit.memory_id for hit in hits] == ["only-one"]


def test_the_version_of_the_basis_is_the_one_that_is_searched(index):
    index.add(document("m1", "badger", version=1, from_position=10))
    index.add(document("m1", "weasel", version=2, from_position=20))

    assert found(index, "badger", at=basis(position=9)) == []
    assert found(index, "badger", at=basis(position=19)) == ["m1"]
    assert found(index, "weasel", at=basis(position=19)) == []
    assert found(index, "badger", at=basis(position=20)) == []
    assert found(index, "weasel", at=basis(position=20)) == ["m1"]
    assert index.version_at("m1", 9) is None
    assert index.version_at("m1", 19) == 1
    assert index.version_at("m1", 20) == 2


@pytest.mark.parametrize("forget", ["bury", "purge"])
def test_a_forgotten_memory_is_found_at_no_basis_and_no_later_version_of_it_either(index, forget):
    index.add(document("m1", "badger", version=1, from_position=10))

    getattr(index, forget)("m1")
    index.add(document("m1", "badger", version=2, from_position=20))

    assert found(index, "badger", at=basis(position=10)) == []
    assert found(index, "badger", at=basis(position=20)) == []
    assert index.ids(index.eligible(basis(), Filters())) == []


@pytest.mark.parametrize("forget", ["bury", "purge"])
def test_forgetting_one_version_leaves_the_others(index, forget):
    index.add(document("m1", "badger", version=1, from_position=10))
    index.add(document("m1", "badger sett", version=2, from_position=20))

    getattr(index, forget)("m1", 1)

    assert found(index, "badger", at=basis(position=10)) == []
    assert found(index, "badger", at=basis(position=20)) == ["m1"]


def test_forgetting_what_was_never_here_hides_it_when_it_comes(index):
    index.purge("m1")
    index.add(document("m1", "badger"))

    assert found(index, "badger") == []


def test_a_private_memory_is_found_by_its_owner_alone(index):
    index.add(document("m1", "secret lake", private_owner="owner"))

    assert found(index, "lake", at=basis(actor="owner")) == ["m1"]
    assert found(index, "lake", at=basis(actor="other")) == []
    assert found(index, "lake", at=basis(actor="")) == []


def test_where_sessions_are_strict_a_memory_is_found_in_its_own_alone(index):
    index.add(document("m1", "lake", home_session="s1"))
    index.add(document("m2", "lake", home_session="s2"))

    assert found(index, "lake", at=basis(session="s2")) == ["m2"]
    assert found(index, "lake", at=basis(session="s3")) == []
    assert found(index, "lake") == ["m1", "m2"]


@pytest.mark.parametrize(
    ("fields", "wanted", "other"),
    [
        ({"home_session": "s2"}, {"session_id": "s2"}, {"session_id": "s3"}),
        (
            {"kind": "decision"},
            {"kinds": frozenset({"fact", "decision"})},
            {"kinds": frozenset({"fact"})},
        ),
        ({"tags": frozenset("ab")}, {"tags": frozenset("bc")}, {"tags": frozenset("c")}),
        (
            {"epistemic_status": "proposed"},
            {"epistemic_status": frozenset({"proposed"})},
            {"epistemic_status": frozenset({"accepted"})},
        ),
        ({"confidence": 0.5}, {"min_confidence": 0.5}, {"min_confidence": 0.51}),
        ({"confidence": 0.0}, {"min_confidence": 0.0}, {"min_confidence": 0.1}),
        ({"slot": "boat.pump"}, {"slot": "boat.pump"}, {"slot": "boat"}),
        ({"repo": "tools"}, {"repo": "tools"}, {"repo": "tool"}),
    ],
)
def test_a_filter_restricts_what_is_scored(index, fields, wanted, other):
    index.add(document("m1", "heron", **fields))
    index.add(document("m2", "heron heron heron"))

    assert found(index, "heron", **wanted) == ["m1"]
    assert found(index, "heron", **other) == []
    assert sorted(found(index, "heron")) == ["m1", "m2"]


def test_bounds_of_time_include_their_beginning_and_exclude_their_end(index):
    index.add(document("m1", "heron", valid_from_us=10, valid_until_us=20))
    index.add(document("m2", "heron", valid_from_us=10, expires_at_us=20))

    assert found(index, "heron", at=basis(as_of_us=9)) == []
    assert found(index, "heron", at=basis(as_of_us=10)) == ["m1", "m2"]
    assert found(index, "heron", at=basis(as_of_us=19)) == ["m1", "m2"]
    assert found(index, "heron", at=basis(as_of_us=20)) == []


def test_a_mask_of_another_moment_is_refused(index):
    mask = index.eligible(basis(), Filters())
    index.add(document("m1", "heron"))

    with pytest.raises(ValueError, match="mask"):
        index.search([], mask, None, never)


def test_a_limit_below_1_is_refused(index):
    with pytest.raises(ValueError, match="limit"):
        search(index, "heron", limit=0)


def test_versions_out_of_order_are_refused_and_known_ones_change_nothing(index):
    index.add(document("m1", "badger", version=2, from_position=20))

    index.add(document("m1", "other words", version=2, from_position=20))
    with pytest.raises(ValueError, match="order"):
        index.add(document("m1", "weasel", version=1, from_position=10))
    with pytest.raises(ValueError, match="order"):
        index.add(document("m1", "weasel", version=3, from_position=20))

    assert found(index, "badger") == ["m1"]
    assert found(index, "weasel") == found(index, "other") == []


@pytest.mark.parametrize("edit", ["text", "tags"])
def test_report_29_after_an_edit_the_new_words_are_found_and_the_removed_ones_are_not(index, edit):
    new_words = "keel sail" if edit == "text" else "keel mast racing"
    index.add(document("m1", "keel mast", version=1))
    index.add(document("m1", new_words, version=2, tags=frozenset({"racing"})))

    assert found(index, "keel") == ["m1"]
    assert found(index, "sail" if edit == "text" else "racing") == ["m1"]
    assert found(index, "mast") == ([] if edit == "text" else ["m1"])
    assert [hit.version for hit in search(index, "keel mast sail racing")] == [2]
