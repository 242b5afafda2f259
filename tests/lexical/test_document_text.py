"""Which words a memory is found by (conformance case 40)."""

from __future__ import annotations

from projections.lexical.documents import document_text


def words(content, *, kind="observation", tags=(), identity_key=None):
    return document_text(kind, content, tags, identity_key).split("\n")


def test_text_tags_kind_and_identity_key_are_words():
    content = {"format": "text", "value": "a grey heron"}

    assert words(content, kind="sighting", tags=["bird", "lake"], identity_key="heron:1") == [
        *("a grey heron", "bird", "lake", "sighting", "heron:1")
    ]


def test_keys_and_values_of_properties_are_words_at_every_depth():
    value = {"animal": "otter", "seen": {"where": ["lake", {"deep": True}], "times": 3}}

    assert words({"format": "properties", "value": value}) == [
        *("animal", "otter", "seen", "where", "lake", "deep", "true", "times", "3", "observation")
    ]


def test_numbers_and_truth_values_read_as_in_json_and_null_says_nothing():
    value = {"a": 0.5, "b": False, "c": None, "d": -7, "e": 1e21}

    assert words({"format": "properties", "value": value}) == [
        *("a", "0.5", "b", "false", "c", "d", "-7", "e", "1e+21", "observation")
    ]


def test_text_with_properties_of_any_json_gives_both():
    for properties, expected in (("otter", ["otter"]), ([1, "x"], ["1", "x"]), (None, [])):
        value = {"text": "nothing", "properties": properties}

        assert words({"format": "text_and_properties", "value": value}) == [
            *("nothing", *expected, "observation")
        ]


def test_a_memory_without_content_is_found_by_what_is_left():
    assert words(None, kind="erased") == ["erased"]


def test_words_of_different_values_never_join():
    value = {"a": "post", "b": "gres"}

    assert "postgres" not in document_text("k", {"format": "properties", "value": value}, [], None)
