"""update: what is set changes, and nothing else; what is not set is not even stored."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain import limits
from domain.canonical import JsonObject
from domain.decisions import Fact
from domain.errors import Code
from domain.memory import MemoryState
from domain.memory_decisions import update
from tests.builders import memory_remembered, memory_updated, properties, said, source, text
from tests.circumstances import MEMORY, decision, ref_of, time_of
from tests.domain.strategies import confidences, contents, lifecycles, sources, tags
from tests.inputs import parsed
from tests.specification import Decide, History, given

FROM, UNTIL, EXPIRES = time_of(1000), time_of(2000), time_of(3000)
FULL = Fact(
    MEMORY,
    memory_remembered(
        slot_ref=ref_of("K"),
        valid_from=FROM,
        valid_until=UNTIL,
        expires_at=EXPIRES,
        payload=said(
            identity_key="K", confidence=0.5, provenance=[source("s1")], tags=["t1"], kind="claim"
        ),
    ),
)


def patching(patch: JsonObject, *, expected: int | None = None, actor: str = "ana") -> Decide:
    parsed_patch = parsed("update", patch=patch).patch
    return lambda history: update(decision(actor=actor), history.memory(), parsed_patch, expected)


def after(history: History, patch: JsonObject) -> MemoryState:
    outcome = history.when(patching(patch))
    assert outcome.refusal is None, outcome.refusal
    state = given(*history.facts, *outcome.facts).memory()
    assert state is not None
    return state


def record_of(state: MemoryState) -> JsonObject:
    return {k: v for k, v in state.as_record().items() if k not in ("version", "recorded_at")}


BEFORE = {
    "id": MEMORY,
    "identity_key": "K",
    "kind": "claim",
    "schema_version": "1",
    "content": text(),
    "provenance": [source("s1")],
    "confidence": 0.5,
    "valid_from": FROM,
    "valid_until": UNTIL,
    "expires_at": EXPIRES,
    "lifecycle": "active",
    "tags": ["t1"],
}

EACH_FIELD: list[tuple[JsonObject, JsonObject]] = [
    ({}, {}),
    ({"content": text("new")}, {"content": text("new")}),
    ({"content": properties()}, {"content": properties()}),
    ({"content": None}, {}),
    ({"confidence": 0.9}, {"confidence": 0.9}),
    ({"confidence": 0}, {"confidence": 0}),
    ({"confidence": None}, {}),
    ({"clear": ["confidence"]}, {"confidence": None}),
    ({"lifecycle": "tombstoned"}, {"lifecycle": "tombstoned"}),
    ({"lifecycle": "superseded"}, {"lifecycle": "superseded"}),
    ({"lifecycle": None}, {}),
    ({"expires_at": time_of(9)}, {"expires_at": time_of(9)}),
    ({"expires_at": None}, {}),
    ({"clear": ["expires_at"]}, {"expires_at": None}),
    ({"valid_from": time_of(9)}, {"valid_from": time_of(9)}),
    ({"clear": ["valid_from"]}, {"valid_from": None}),
    ({"valid_until": time_of(1999)}, {"valid_until": time_of(1999)}),
    ({"clear": ["valid_until"]}, {"valid_until": None}),
    ({"add_tags": ["t1", "t2", "t2"]}, {"tags": ["t1", "t2"]}),
    ({"add_tags": ["", " "]}, {"tags": ["t1", "", " "]}),
    ({"add_tags": []}, {}),
    (
        {"add_provenance": [source("s2"), source("s2")]},
        {"provenance": [source("s1"), source("s2")]},
    ),
    ({"add_provenance": [source("s1")]}, {}),
    ({"add_provenance": [source("s1", "l")]}, {"provenance": [source("s1"), source("s1", "l")]}),
    ({"add_provenance": []}, {}),
]


@pytest.mark.parametrize(("patch", "changed"), EACH_FIELD)
def test_each_field_alone_changes_itself_and_keeps_the_rest(
    patch: JsonObject, changed: JsonObject
) -> None:
    state = after(given(FULL), patch)
    assert state.version == 2
    assert record_of(state) == {**BEFORE, **changed}


@pytest.mark.parametrize(("patch", "changed"), EACH_FIELD)
def test_what_was_not_set_is_not_stored(patch: JsonObject, changed: JsonObject) -> None:
    (fact,) = given(FULL).when(patching(patch)).facts
    stored = {**fact.event.structure(), **(fact.event.sealed() or {})}
    home = {"session", "visibility", "owner", "slot_ref"}
    names = {"tags": "add_tags", "provenance": "add_provenance"}
    said_again = {name for name, value in patch.items() if value and name.startswith("add_")}
    assert set(stored) - home == {names.get(name, name) for name in changed} | said_again


def test_an_update_is_stored_as_its_patch() -> None:
    patch = {"content": text("B"), "lifecycle": "expired", "clear": ["expires_at", "confidence"]}
    given(FULL).when(patching(patch, actor="bea")).then(
        Fact(
            MEMORY,
            memory_updated(
                slot_ref=ref_of("K"),
                lifecycle="expired",
                expires_at=None,
                payload={"content": text("B"), "confidence": None},
            ),
        )
    )


patches = st.fixed_dictionaries(
    {},
    optional={
        "content": st.none() | contents,
        "confidence": confidences,
        "lifecycle": st.none() | lifecycles,
        "expires_at": st.none() | st.just(time_of(7)),
        "add_tags": tags,
        "add_provenance": st.lists(sources, max_size=3),
    },
)


@for_all(st.lists(patches, max_size=4))
def test_any_patches_leave_what_a_plain_merge_leaves(sequence: list[JsonObject]) -> None:
    """The reference: a dict that is merged field by field, without events."""
    history = given(Fact(MEMORY, memory_remembered(payload=said(tags=["a"]))))
    first = history.memory()
    assert first is not None
    expected = record_of(first)
    for patch in sequence:
        outcome = history.when(patching(patch))
        if outcome.refusal is not None:
            assert outcome.refusal.reason == "KEY_MISMATCH"
            continue
        history = given(*history.facts, *outcome.facts)
        for name in ("content", "confidence", "lifecycle", "expires_at"):
            if patch.get(name) is not None:
                expected[name] = patch[name]
        for name, add in (("tags", "add_tags"), ("provenance", "add_provenance")):
            merged: list[Any] = list(expected[name])
            merged += [one for at, one in enumerate(patch.get(add, [])) if one not in merged
                       and one not in patch[add][:at]]  # fmt: skip
            expected[name] = merged
    state = history.memory()
    assert state is not None
    assert record_of(state) == expected


@pytest.mark.parametrize("expected", [None, 1])
def test_an_update_of_the_expected_version_is_taken(expected: int | None) -> None:
    given(FULL).when(patching({}, expected=expected)).then(
        Fact(MEMORY, memory_updated(slot_ref=ref_of("K")))
    )


@pytest.mark.parametrize("expected", [0, 2, 99, 10**30])
def test_an_update_of_another_version_is_told_the_current_one(expected: int) -> None:
    error = (
        given(FULL)
        .when(patching({}, expected=expected))
        .refused(Code.VERSION_CONFLICT, field="expected_version")
    )
    assert error.current_version == 1


def test_an_update_of_nothing_is_not_found() -> None:
    given().when(patching({})).refused(Code.NOT_FOUND, field="target.id")


def test_absence_is_told_before_the_version() -> None:
    given().when(patching({}, expected=7)).refused(Code.NOT_FOUND, field="target.id")


@pytest.mark.parametrize("patch", [{"valid_until": FROM}, {"valid_until": time_of(999)}])
def test_a_new_end_must_lie_after_the_kept_start(patch: JsonObject) -> None:
    given(FULL).when(patching(patch)).refused(
        Code.INVALID_REQUEST, field="patch.valid_until", reason="EMPTY_VALIDITY"
    )


def test_an_absent_start_is_inherited_by_updates_and_not_moved() -> None:
    history = given(Fact(MEMORY, memory_remembered()))
    first = history.memory()
    assert first is not None
    assert after(history, {"confidence": 0.1}).bounds.from_us == first.recorded_us


@pytest.mark.parametrize(
    ("patch", "field", "most"),
    [
        ({"add_tags": ["new"]}, "patch.add_tags", limits.RECORD_TAGS_MAX),
        ({"add_provenance": [source("new")]}, "patch.add_provenance", limits.RECORD_PROVENANCE_MAX),
    ],
)
def test_a_record_grows_up_to_a_limit(patch: JsonObject, field: str, most: int) -> None:
    payload = said(
        tags=[str(at) for at in range(limits.RECORD_TAGS_MAX)],
        provenance=[source(str(at)) for at in range(limits.RECORD_PROVENANCE_MAX)],
    )
    history = given(Fact(MEMORY, memory_remembered(payload=payload)))
    error = history.when(patching(patch)).refused(Code.INVALID_REQUEST, field=field)
    assert str(most) in error.message
    known = {"add_tags": ["0"], "add_provenance": [source("0")]}
    assert after(history, known).version == 2
