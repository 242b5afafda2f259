"""Defining, retiring and reading policies, on both stores."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest

from commands import validation_policies
from commands.validation_policies import PolicyBook
from domain.context import PERMISSIONS
from domain.errors import Code, MemorandaError
from domain.events import SettingsChange
from domain.validation import policies
from domain.validation.shipped import REVIEWER_APPROVAL, SHIPPED, TWO_INDEPENDENT
from ops.verification import verify_store
from ops.wiring import open_memoranda
from tests.circumstances import context
from tests.engine.building import Caller

TWO = {"independent_supports": 2}
THREE = {"independent_supports": 3}
TOPICS = ("policy.defined", "policy.retired")


@pytest.fixture
def store(either_store):
    return either_store


@pytest.fixture
def sqlite(tmp_path):
    with closing(open_memoranda(tmp_path / "data")) as opened:
        yield opened


def keeper(workspace="acme", actor="kim"):
    return context(workspace=workspace, actor=actor, permissions=PERMISSIONS)


def events(store, workspace="acme"):
    return [
        (one.topic, one.facts[0].payload.name)
        for one in store.log.after(0, 100, workspace=workspace, topics=TOPICS)
    ]


def refused(act, *args):
    with pytest.raises(MemorandaError) as refusal:
        act(*args)
    return refusal.value.code, refusal.value.field, refusal.value.reason


def test_a_workspace_begins_with_the_shipped_policies(sqlite) -> None:
    state = sqlite.policies.read("acme")

    assert [one.name for one in state.listed()] == sorted(SHIPPED)
    assert {one.name: one.definition for one in state.listed()} == SHIPPED
    assert {state.standing(name) for name in SHIPPED} == {"known"}
    assert events(sqlite) == []


def test_a_policy_is_defined_retired_and_read_as_it_was(store) -> None:
    book, before = store.policies, store.log.head()

    defined = book.define(keeper(), "two/v1", TWO)
    between = store.log.head()
    retired = book.retire(keeper(actor="kai"), "two/v1", "three are better")

    assert (defined.actor, defined.position, defined.retired) == ("kim", between, None)
    assert (retired.retired.actor, retired.retired.reason) == ("kai", "three are better")
    assert retired.definition == defined.definition
    assert [book.at("acme", at).standing("two/v1") for at in (before, between)] == [
        "unknown",
        "known",
    ]
    assert book.read("acme").standing("two/v1") == "retired"
    assert book.named("acme", "two/v1", between) == defined.definition
    assert refused(book.named, "acme", "two/v1") == (
        Code.INVALID_REQUEST,
        "policy",
        "RETIRED_POLICY",
    )
    assert refused(book.named, "acme", "two/v1", before) == (
        Code.NOT_FOUND,
        "policy",
        "UNKNOWN_POLICY",
    )
    assert events(store) == [("policy.defined", "two/v1"), ("policy.retired", "two/v1")]


def test_the_same_again_records_nothing(store) -> None:
    """However it is spelled, and after it was retired as well, which stays."""
    book = store.policies
    first = book.define(keeper(), "two/v1", {**TWO, "sources": {"trusted": ["b", "a"]}})

    again = book.define(keeper(actor="kai"), "two/v1", {**TWO, "sources": {"trusted": ["a", "b"]}})
    retired = book.retire(keeper(), "two/v1", "first reason")
    twice = book.retire(keeper(), "two/v1", "second reason")
    defined_late = book.define(keeper(), "two/v1", {**TWO, "sources": {"trusted": ["a", "b"]}})

    assert again == first
    assert retired == twice == defined_late
    assert len(events(store)) == 2


def test_a_name_keeps_its_definition(store) -> None:
    book = store.policies
    book.define(keeper(), "two/v1", TWO)

    for name in ("two/v1", TWO_INDEPENDENT):
        immutable = (Code.VERSION_CONFLICT, "name", "POLICY_IMMUTABLE")
        assert refused(book.define, keeper(), name, THREE) == immutable
    book.retire(keeper(), "two/v1", "not wanted")
    assert refused(book.define, keeper(), "two/v1", THREE)[2] == "POLICY_IMMUTABLE"
    # Any other version is a policy of its own.
    assert book.define(keeper(), "two/v7", THREE).definition.independent_supports == 3
    assert len(events(store)) == 3


def test_a_shipped_policy_can_be_defined_as_it_is_and_retired(sqlite) -> None:
    book = sqlite.policies

    same = book.define(keeper(), TWO_INDEPENDENT, SHIPPED[TWO_INDEPENDENT].as_json())
    retired = book.retire(keeper(), REVIEWER_APPROVAL, "nobody reviews here")

    assert (same.shipped, same.actor) == (True, None)
    assert (retired.shipped, retired.retired.reason) == (True, "nobody reviews here")
    assert book.named("other", REVIEWER_APPROVAL) == SHIPPED[REVIEWER_APPROVAL]
    assert refused(book.named, "acme", REVIEWER_APPROVAL)[2] == "RETIRED_POLICY"
    assert events(sqlite) == [("policy.retired", REVIEWER_APPROVAL)]


def test_workspaces_do_not_see_each_other(sqlite) -> None:
    sqlite.policies.define(keeper(), "two/v1", TWO)
    sqlite.policies.define(keeper("bcme"), "two/v1", THREE)

    supports = [
        sqlite.policies.named(workspace, "two/v1").independent_supports
        for workspace in ("acme", "bcme")
    ]

    assert supports == [2, 3]
    assert refused(sqlite.policies.named, "ccme", "two/v1")[0] is Code.NOT_FOUND


def test_who_may_not_set_policy_changes_nothing(sqlite) -> None:
    agent = context(workspace="acme")
    book = sqlite.policies

    assert refused(book.define, agent, "two/v1", TWO)[0] is Code.PERMISSION_DENIED
    assert refused(book.retire, agent, TWO_INDEPENDENT, "why")[0] is Code.PERMISSION_DENIED
    assert events(sqlite) == []


@pytest.mark.parametrize(
    ("act", "args", "refusal"),
    [
        ("define", ("Two/v1", TWO), (Code.INVALID_REQUEST, "name", "POLICY_NAME")),
        ("define", ("two/v1", {}), (Code.INVALID_REQUEST, "definition", "NO_RULE")),
        (
            "define",
            ("two/v1", {"min_confidence": 0.9}),
            (Code.INVALID_REQUEST, "definition.min_confidence", "CONFIDENCE_ONLY"),
        ),
        ("retire", ("two/v1", "why"), (Code.NOT_FOUND, "name", "UNKNOWN_POLICY")),
        ("retire", (TWO_INDEPENDENT, " "), (Code.INVALID_REQUEST, "reason", None)),
        ("retire", (TWO_INDEPENDENT, "x" * 1025), (Code.INVALID_REQUEST, "reason", None)),
    ],
)
def test_what_is_wrong_is_refused_and_records_nothing(sqlite, act, args, refusal) -> None:
    assert refused(getattr(sqlite.policies, act), keeper(), *args) == refusal
    assert events(sqlite) == []


def test_of_many_that_define_one_name_one_is_heard(store) -> None:
    """Those that say the same are answered alike; those that say otherwise are refused."""
    said = [TWO, THREE] * 6
    begin, answers = threading.Barrier(len(said)), {}

    def define(at):
        book = PolicyBook(store.policies._engine, store.policies._keys, store.log)
        begin.wait()
        try:
            answers[at] = book.define(keeper(), "raced/v1", said[at]).said
        except MemorandaError as refusal:
            answers[at] = refusal.reason

    threads = [threading.Thread(target=define, args=[at]) for at in range(len(said))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    stored = store.policies.read("acme").get("raced/v1").said
    expected = {at: stored if one == stored else "POLICY_IMMUTABLE" for at, one in enumerate(said)}
    assert answers == expected
    assert events(store) == [("policy.defined", "raced/v1")]


def test_another_process_sees_a_policy_at_once(store) -> None:
    """Also one that had looked before, and one that is far behind."""
    near, far = (PolicyBook(store.policies._engine, store.policies._keys, store.log) for _ in "12")
    near.read("acme"), far.read("acme")

    store.policies.define(keeper(), "two/v1", TWO)
    assert near.read("acme").standing("two/v1") == "known"

    store.policies.retire(keeper(), "two/v1", "why")
    assert near.read("acme") == far.read("acme") == store.policies.read("acme")


def test_what_is_far_behind_is_read_anew(sqlite, monkeypatch) -> None:
    monkeypatch.setattr(validation_policies, "BEHIND_MAX", 3)
    book, caller = sqlite.policies, Caller(sqlite, context(workspace="acme"))
    for number in range(1, 4):
        book.define(keeper(), f"own/v{number}", {"independent_supports": number})
        for _ in range(number):
            caller.send("remember")

    state = book.read("acme")

    assert [state.get(f"own/v{n}").definition.independent_supports for n in (1, 2, 3)] == [1, 2, 3]
    anew = PolicyBook(book._engine, book._keys, sqlite.log)
    assert anew.read("acme") == state
    places = [state.get(f"own/v{number}").position for number in (1, 2, 3)]
    assert [len(anew.at("acme", place).named) for place in places] == [4, 5, 6]


def test_a_workspace_defines_so_many_policies_and_no_more(sqlite, monkeypatch) -> None:
    monkeypatch.setattr(policies, "POLICIES_MAX", 2)
    for number in (1, 2):
        sqlite.policies.define(keeper(), f"own/v{number}", TWO)
    sqlite.policies.retire(keeper(), "own/v1", "one more is wanted")

    assert refused(sqlite.policies.define, keeper(), "own/v3", TWO) == (
        Code.INVALID_REQUEST,
        "name",
        "TOO_MANY_POLICIES",
    )
    # What is there already is no one more.
    assert sqlite.policies.define(keeper(), "own/v2", TWO).name == "own/v2"


def test_versions_of_one_name_are_listed_in_their_order(sqlite) -> None:
    for name in ("b/v10", "b/v9", "a-b/v1", "a/v2"):
        sqlite.policies.define(keeper(), name, TWO)

    named = [one.name for one in sqlite.policies.read("acme").listed() if not one.shipped]

    assert named == ["a/v2", "a-b/v1", "b/v9", "b/v10"]


def test_settings_and_policies_do_not_mix(sqlite) -> None:
    """Both stand in system streams of the workspace, each in its own."""

    sqlite.policies.define(keeper(), "two/v1", TWO)
    changed = sqlite.settings.change(keeper(), SettingsChange(require_source=True))
    sqlite.policies.retire(keeper(), "two/v1", "why")

    assert (changed.version, sqlite.settings.read("acme").settings.require_source) == (1, True)
    assert sqlite.policies.read("acme").version == 2


def test_the_verifier_finds_policies_in_order(tmp_path) -> None:
    with closing(open_memoranda(tmp_path / "data")) as store:
        store.policies.define(keeper(), "two/v1", TWO)
        store.policies.retire(keeper(), "two/v1", "why")

    key = bytes.fromhex((tmp_path / "data" / "master.key").read_text())
    report = verify_store(tmp_path / "data", key)

    assert report.findings == []
    assert report.decrypted >= 2
