"""With keys, the slot_ref of a memory is that of the slot in its payload."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from domain.slots import slot_of
from tests.verify.stores import HOME, OPEN, rules, verdict, verifier


def remembered(writer, slot_ref, **said):
    return writer.append(
        writer.new_id("mem_"),
        "memory.remembered",
        {**HOME, **OPEN, "slot_ref": slot_ref},
        {"content": {"format": "text", "value": "rain"}, "identity_key": None, **said},
        refs=() if slot_ref is None else (("slot", slot_ref),),
    )


def test_the_slot_reference_of_a_memory_is_that_of_its_slot(writer):
    for slot_ref, said in [
        (None, {}),
        (writer.slot_ref("harbour", "roof"), {"identity_key": "roof"}),
        (
            writer.slot_ref("harbour", '["roof","state"]'),
            {
                "content": {
                    "format": "text_and_properties",
                    "value": {"text": "x", "properties": {"subject": "roof", "predicate": "state"}},
                }
            },
        ),
        (
            writer.slot_ref("harbour", unicodedata.normalize("NFC", "Dächer")),
            {
                "content": {
                    "format": "properties",
                    "value": {"slot": unicodedata.normalize("NFD", "Dächer"), "subject": "x"},
                }
            },
        ),
    ]:
        remembered(writer, slot_ref, **said)

    assert verdict(writer).wrong == 0


def test_the_slot_reference_of_another_slot_or_workspace_is_named(writer):
    cases = [
        (None, {"identity_key": "roof"}),
        (writer.slot_ref("harbour", "roof"), {}),
        (writer.slot_ref("harbour", "cellar"), {"identity_key": "roof"}),
        (writer.slot_ref("Zürich", "roof"), {"identity_key": "roof"}),
    ]
    wrong = [remembered(writer, slot_ref, **said) for slot_ref, said in cases]

    report = verdict(writer)

    assert [finding["position"] for finding in report.findings] == [e.position for e in wrong]
    assert set(rules(report)) == {"has the slot_ref of another slot"}


names = st.text(st.characters(codec="utf-8"), max_size=4) | st.sampled_from(
    ["roof", " ", "a\u0308", "\u00e4", "a\tb", "\x85", "\u2028"]
)
values = names | st.integers() | st.none()
properties = st.dictionaries(st.sampled_from(["slot", "subject", "predicate", "object"]), values)
contents = st.one_of(
    names.map(lambda text: {"format": "text", "value": text}),
    (properties | values).map(lambda value: {"format": "properties", "value": value}),
    properties.map(
        lambda found: {
            "format": "text_and_properties",
            "value": {"text": "x", "properties": found},
        }
    ),
)


@given(contents, st.none() | names)
def test_slots_are_those_of_the_product(content, identity_key):
    ours = verifier.slot_of({"content": content, "identity_key": identity_key})

    assert ours == slot_of(content, identity_key)
