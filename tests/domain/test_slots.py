"""What a memory is about: its slot, its keyed reference, and whether two say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.canonical import Json, JsonObject
from domain.slots import named_slot, properties_of, slot_of, slot_ref, value_of
from tests.builders import properties, text
from tests.domain.strategies import contents

NFD, NFC = "e\u0301", "\u00e9"


def both(value: Json) -> JsonObject:
    return {"format": "text_and_properties", "value": {"text": "t", "properties": value}}


@pytest.mark.parametrize(
    ("content", "slot"),
    [
        (properties(slot="s"), "s"),
        (both({"slot": "s"}), "s"),
        (properties(slot="s", subject="a", predicate="b"), "s"),
        (properties(subject="a", predicate="b"), '["a","b"]'),
        (properties(slot=" ", subject="a", predicate="b"), '["a","b"]'),
        (properties(slot=5, subject="a", predicate="b"), '["a","b"]'),
        (properties(slot=NFD), NFC),
        (properties(subject=NFD, predicate="b"), f'["{NFC}","b"]'),
        (properties(slot=" s "), " s "),
        (properties(slot="S"), "S"),
        (properties(slot=""), None),
        (properties(slot="\t"), None),
        (properties(slot="a\u0000"), None),
        (properties(slot="a\nb"), None),
        (properties(slot="a\u0085"), None),
        (properties(slot=["s"]), None),
        (properties(slot=None), None),
        (properties(subject="a"), None),
        (properties(subject="a", predicate=""), None),
        (properties(subject="a", predicate=1), None),
        (properties(), None),
        (both(None), None),
        (both(["slot"]), None),
        (text("slot"), None),
        (None, None),
    ],
)
def test_a_content_names_its_slot_or_none_and_is_never_refused(
    content: JsonObject | None, slot: str | None
) -> None:
    assert named_slot(content) == slot


@pytest.mark.parametrize(
    ("key", "slot"),
    [("k", "k"), (NFD, NFC), ("", None), (" ", None), ("a\x00", None), (None, None)],
)
def test_the_identity_key_is_the_last_that_is_asked(key: str | None, slot: str | None) -> None:
    assert slot_of(text(), key) == slot
    assert slot_of(properties(slot="s"), key) == "s"


@given(contents, st.none() | st.text(max_size=5))
def test_any_content_and_key_give_a_slot_or_none(content: JsonObject, key: str | None) -> None:
    slot = slot_of(content, key)
    assert slot is None or slot.strip()


def test_the_reference_of_a_slot_is_keyed_and_folds_only_to_nfc() -> None:
    assert slot_ref(b"one", NFD) == slot_ref(b"one", NFC)
    assert slot_ref(b"one", "s") != slot_ref(b"two", "s")
    assert slot_ref(b"one", "s") != slot_ref(b"one", "S")
    assert len(slot_ref(b"one", "s")) == 64


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (text("a"), text("a"), True),
        (text(NFD), text(NFC), True),
        (text("a"), text("A"), False),
        (text("a"), properties(a="a"), False),
        (properties(object="x", n=1), properties(object="x", n=2), True),
        (properties(object="x"), both({"object": "x"}), True),
        (properties(object="x"), properties(object="y"), False),
        (properties(object=None), properties(object=None, n=1), True),
        (properties(object=1), properties(object=1.0), False),
        (properties(n=1), properties(n=2), False),
        (properties(a=1, b=2), properties(b=2, a=1), True),
        (properties(**{NFD: 1, "f": 2}), properties(**{NFC: 1, "f": 2}), True),
    ],
)
def test_two_contents_say_the_same_by_their_object_or_whole(
    one: JsonObject, other: JsonObject, same: bool
) -> None:
    assert (value_of(one) == value_of(other)) == same


def test_only_an_object_counts_as_properties() -> None:
    assert properties_of(properties(a=1)) == {"a": 1}
    assert properties_of(both({"a": 1})) == {"a": 1}
    assert properties_of(both([1])) == properties_of(text()) == properties_of(None) == {}
