"""Whatever somebody stores, the check goes on to the end and gives an answer."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.ids import PREFIXES, encode_id, split_id
from tests.verify.stores import Copy, furnish, verifier
from tests.verify.writer import Writer

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.text(st.characters(codec="utf-8"), max_size=8), inner, max_size=3
    ),
    max_leaves=8,
)  # fmt: skip
PLACES = """
v stream version topic ctx s key commitment prev ctx.workspace ctx.correlation
s.targets s.target_id s.source_id s.slot_ref s.mode s.scope
"""


@pytest.fixture(scope="module")
def spoilable(tmp_path_factory):
    writer = Writer(tmp_path_factory.mktemp("spoilable") / "store")
    furnish(writer)
    writer.close()
    return Copy(writer, tmp_path_factory.mktemp("spoilable") / "copy"), writer.written


@given(data=st.data())
def test_no_head_that_somebody_makes_up_stops_the_check(data, spoilable):
    """Whatever stands in a head, with a hash that fits: an answer, and the later rows read."""
    copy, written = spoilable
    event = data.draw(st.sampled_from(written))
    true_head = copy.head(event)
    head = copy.head(event)
    *above, name = data.draw(st.sampled_from(PLACES.split())).split(".")
    (head[above[0]] if above else head)[name] = data.draw(JSON)

    copy.replace_head(event, head)
    reports = copy.report(), copy.report(keys=True)
    copy.replace_head(event, true_head)

    assert [report.events for report in reports] == [len(written)] * 2
    assert copy.report(keys=True).wrong == 0


@given(st.binary(max_size=200))
@example(b"MEM1\x00\x00\x00\x00")
@example(b"MEM1\x00\x00\x00\x02{}")
def test_no_state_that_somebody_makes_up_stops_the_check(state):
    try:
        verifier.parse_state(state)
    except (ValueError, LookupError, TypeError, AttributeError):
        return
    raise AssertionError("that was no event")


@given(st.sampled_from(sorted(PREFIXES)), st.uuids())
def test_ids_are_read_as_the_product_writes_them(prefix, uuid):
    text = encode_id(prefix, uuid)

    assert verifier.split_id(text) == (prefix[:-1], uuid.hex)


@given(st.text(max_size=40) | st.from_regex(r"[a-z]{1,8}_[0-9a-z]{25,27}", fullmatch=True))
def test_what_the_product_does_not_take_for_an_id_is_none(text):
    known = split_id(text) is not None

    try:
        prefix, _ = verifier.split_id(text)
    except ValueError:
        assert not known
    else:
        assert known or f"{prefix}_" not in PREFIXES
