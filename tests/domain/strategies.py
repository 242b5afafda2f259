"""Random values of the domain's vocabulary."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from domain.instants import server_time
from tests import builders

numbers = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
"""JSON as the parser gives it: no NaN, no lone surrogates (st.text makes none)."""

instants_us = st.integers(-62_135_596_800_000_000 + 86_400_000_000, 253_402_300_799_999_999)
timestamps = st.none() | instants_us.map(server_time)

lifecycles = st.sampled_from(["active", "expired", "superseded", "tombstoned"])
confidences = st.none() | st.floats(0, 1)
sources = st.builds(builders.source, st.sampled_from(["s1", "s2", "s3"]), st.none() | st.just("l"))
tags = st.lists(st.sampled_from(["", " ", "a", "b", "A"]), max_size=4)
contents = st.one_of(
    st.text(min_size=1, max_size=8).map(builders.text),
    st.dictionaries(st.text(max_size=3), json_values, max_size=2).map(
        lambda value: {"format": "properties", "value": value}
    ),
    st.builds(
        lambda said, value: {
            "format": "text_and_properties",
            "value": {"text": said, "properties": value},
        },
        st.text(min_size=1, max_size=5),
        json_values,
    ),
)
