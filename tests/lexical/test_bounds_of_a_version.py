"""The instants at which a version begins and ends: the first one counts, the last one does not."""

from __future__ import annotations

import pytest

from tests.lexical.builders import basis, document, found

BOUND = 500


@pytest.mark.parametrize("bound", ["valid_until_us", "expires_at_us"])
def test_a_version_is_found_until_the_instant_at_which_it_ends(index, bound):
    index.add(document("m1", "otter", **{bound: BOUND}))

    assert found(index, "otter", at=basis(as_of_us=BOUND - 1)) == ["m1"]
    assert found(index, "otter", at=basis(as_of_us=BOUND)) == []


def test_a_version_is_found_from_the_instant_at_which_it_begins(index):
    index.add(document("m1", "otter", valid_from_us=BOUND))

    assert found(index, "otter", at=basis(as_of_us=BOUND - 1)) == []
    assert found(index, "otter", at=basis(as_of_us=BOUND)) == ["m1"]


def test_a_version_is_found_from_the_position_at_which_it_was_appended(index):
    index.add(document("m1", "otter", from_position=BOUND))

    assert found(index, "otter", at=basis(position=BOUND - 1)) == []
    assert found(index, "otter", at=basis(position=BOUND)) == ["m1"]
