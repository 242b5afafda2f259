from __future__ import annotations

import pytest

from domain.contract import TraceInput
from domain.errors import Code, MemorandaError
from domain.ids import RECALL
from read_api.trace import Trace
from tests.recall.recordings import record_recall
from tests.recall.world import ALL, World

P1 = {"source_id": "s1", "locator": "l1", "observed_at": "2024-01-01T00:00:00Z"}
S2 = {"source_id": "s2"}


@pytest.fixture
def world():
    return World()


def trace(world, kind, record, by=None, **more):
    said = TraceInput(target={"kind": kind, "id": record})
    said.check()
    return Trace(world.log, world.receipts).answer(world.context(by, **more), said)


def absent(world, kind, record, **by):
    with pytest.raises(MemorandaError) as refused:
        trace(world, kind, record, by)
    return refused.value.code is Code.NOT_FOUND


# --- Memories -------------------------------------------------------------------------------------


def test_all_versions_of_a_memory_are_told_in_order_and_their_lifecycles_chain(world):
    memory = world.remember("x")
    world.update(memory, add_tags=["t"])
    world.forget(memory)

    versions = trace(world, "memory", memory)["versions"]

    assert [(v["version"], v["from"], v["lifecycle"]) for v in versions] == [
        (1, None, "active"),
        (2, "active", "active"),
        (3, "active", "tombstoned"),
    ]
    assert [v["meaning"] for v in versions] == [["assertion"], ["correction"], ["tombstone"]]
    assert [v["event"] for v in versions] == [
        "memory.remembered",
        "memory.updated",
        "memory.forgotten",
    ]


def test_the_author_of_the_latest_version_is_named_and_not_who_asks(world):
    memory = world.remember(by={"actor": "author", "agent": "ag", "session": "se"})
    world.update(memory, {"actor": "editor", "session": "later"}, confidence=0.5)

    told = trace(world, "memory", memory, actor="reader", session="other")

    assert (told["actor_id"], told["agent_id"], told["session_id"]) == ("editor", None, "later")
    assert [v["actor_id"] for v in told["versions"]] == ["author", "editor"]


def test_a_version_names_the_fields_that_it_changed(world):
    memory = world.remember("one", tags=["a"], confidence=0.5)
    world.update(memory, content={"format": "text", "value": "two"}, add_tags=["a", "b"])
    world.update(memory)
    world.update(memory, expires_at="2999-01-01T00:00:00Z")

    versions = trace(world, "memory", memory)["versions"]

    assert [v["changed"] for v in versions] == [[], ["content", "tags"], [], ["expires_at"]]
    assert versions[3]["meaning"] == ["expiry"]


def test_each_relationship_that_touches_a_memory_is_one_path_with_its_sources_once(world):
    a, b = world.remember("a"), world.remember("b")
    one = world.relate(a, b, provenance=[P1, S2, {**P1, "locator": "l2"}])
    two = world.relate(b, a)
    loop = world.relate(a, a)

    assert trace(world, "memory", a)["paths"] == [
        {"memory_ids": [a, b], "relationship_ids": [one], "evidence_source_ids": ["s1", "s2"]},
        {"memory_ids": [b, a], "relationship_ids": [two], "evidence_source_ids": []},
        {"memory_ids": [a, a], "relationship_ids": [loop], "evidence_source_ids": []},
    ]


def test_records_are_shown_with_read_permission_only(world):
    memory = world.remember("x")

    with_read = trace(world, "memory", memory, permissions=frozenset({"trace", "read"}))
    without = trace(world, "memory", memory, permissions=frozenset({"trace"}))

    assert with_read["versions"][0]["record"]["content"] == {"format": "text", "value": "x"}
    assert "record" not in without["versions"][0]


def test_after_a_tombstone_text_and_reason_are_for_callers_with_trace_and_forget(world):
    memory = world.remember("a canary")
    world.forget(memory, reason="a private reason")

    audited = trace(world, "memory", memory)
    plain = trace(world, "memory", memory, permissions=ALL - {"forget"})

    assert audited["versions"][0]["record"]["content"]["value"] == "a canary"
    assert audited["versions"][1]["reason"] == "a private reason"
    assert "canary" not in repr(plain)
    assert "reason'" in repr(plain)
    assert plain["versions"][1]["reason"] is None
    assert plain["versions"][0]["record"]["erased"] is True


def test_after_an_application_delete_the_text_is_for_nobody_and_the_reason_stays(world):
    memory = world.remember("a canary", tags=["secret"], provenance=[P1])
    world.update(memory, content={"format": "text", "value": "another canary"})
    world.forget(memory, "application_delete", reason="asked to")

    told = trace(world, "memory", memory)

    assert "canary" not in repr(told)
    assert "secret" not in repr(told)
    assert [v["record"]["content"] for v in told["versions"]] == [None, None, None]
    assert told["versions"][2]["reason"] == "asked to"
    assert told["gaps"] == []


def test_an_application_delete_hides_the_text_before_its_keys_are_destroyed(world):
    memory = world.remember("a canary")
    world._destroy = lambda _: None
    world.forget(memory, "application_delete")

    assert "canary" not in repr(trace(world, "memory", memory))


def test_the_text_of_a_forgotten_version_is_hidden_and_the_others_stay(world):
    memory = world.remember("first")
    world.update(memory, content={"format": "text", "value": "a leak"})
    world.update(memory, content={"format": "text", "value": "third"})
    world.forget(memory, scope="event", version=2)

    told = trace(world, "memory", memory)

    assert "leak" not in repr(told)
    assert [
        v["record"]["content"] and v["record"]["content"]["value"] for v in told["versions"]
    ] == [
        "first",
        None,
        "third",
        "third",
    ]


def test_what_is_absent_foreign_private_or_of_another_kind_is_not_found(world):
    memory = world.remember("x")
    private = world.remember("y", visibility="private")
    edge = world.relate(memory, private)
    closed = {"actor": "bob"}

    assert absent(world, "memory", "nope")
    assert absent(world, "memory", memory.upper())
    assert absent(world, "memory", memory, workspace="w2")
    assert absent(world, "memory", edge)
    assert absent(world, "relationship", memory)
    assert absent(world, "relationship", edge, **closed)
    assert absent(world, "memory", private, **closed)
    assert absent(world, "mutation", "nope")
    assert absent(world, "recall", world.new_id(RECALL))
    assert trace(world, "memory", private)["versions"][0]["record_id"] == private
    assert trace(world, "memory", memory, closed)["paths"] == []
    assert len(trace(world, "memory", memory)["paths"]) == 1


# --- Relationships --------------------------------------------------------------------------------


def test_a_relationship_has_its_versions_and_its_path(world):
    a, b = world.remember("a"), world.remember("b")
    edge = world.relate(a, b, provenance=[P1])
    world.update(edge, lifecycle="expired")

    told = trace(world, "relationship", edge)

    assert [(v["version"], v["lifecycle"]) for v in told["versions"]] == [
        (1, "active"),
        (2, "expired"),
    ]
    assert told["paths"] == [
        {"memory_ids": [a, b], "relationship_ids": [edge], "evidence_source_ids": ["s1"]}
    ]
    assert told["details"] == {"record_kind": "relationship"}
    assert told["versions"][1]["meaning"] == ["expiry"]


# --- Recalls --------------------------------------------------------------------------------------


def test_a_recall_is_traced_as_it_was_answered(world):
    a, b = world.remember("one"), world.remember("two")
    edge = world.relate(a, b, provenance=[P1])
    recall = record_recall(world, items=[(a, 1), (b, 1)], edges=[(edge, 1)], skipped=[])
    world.update(a, content={"format": "text", "value": "changed"})
    world.update(edge, add_provenance=[S2])

    told = trace(world, "recall", recall)

    assert [(v["record_id"], v["version"]) for v in told["versions"]] == [(a, 1), (b, 1)]
    assert told["versions"][0]["record"]["content"]["value"] == "one"
    assert told["paths"] == [
        {"memory_ids": [a, b], "relationship_ids": [edge], "evidence_source_ids": ["s1"]}
    ]
    assert told["details"]["objective_trace"] == recall
    assert told["details"]["completeness"] == "complete"
    assert told["details"]["objective"] == "what was asked"


def test_what_was_skipped_for_its_size_is_no_version_of_a_recall(world):
    a, b = world.remember("one"), world.remember("two")
    recall = record_recall(world, items=[(a, 1)], edges=[], skipped=[(b, 1)], truncated=True)

    told = trace(world, "recall", recall)

    assert [v["record_id"] for v in told["versions"]] == [a]
    assert told["details"]["completeness"] == "truncated"


def test_limits_and_usage_of_a_recall_outlive_the_question(world):
    recall = record_recall(world, items=[], edges=[], skipped=[])
    before = trace(world, "recall", recall)["details"]
    world.log.destroy_key("w", recall, 1)

    after = trace(world, "recall", recall)["details"]

    assert (after["limits"], after["usage"]) == (before["limits"], before["usage"])
    assert after["objective"] is None
    assert after["outcomes"] is None
    assert "what was asked" not in repr(after)


def test_the_question_of_a_recall_needs_read_permission(world):
    recall = record_recall(world, items=[], edges=[], skipped=[])

    told = trace(world, "recall", recall, permissions=frozenset({"trace"}))

    assert "objective" not in told["details"]


def test_a_private_recall_is_traced_by_its_owner_alone(world):
    recall = record_recall(world, items=[], edges=[], skipped=[], private=True)

    assert trace(world, "recall", recall)["details"]["objective_trace"] == recall
    assert absent(world, "recall", recall, actor="bob")


def test_a_recall_shows_nothing_of_what_was_forgotten_since(world):
    memory = world.remember("a canary")
    recall = record_recall(world, items=[(memory, 1)], edges=[], skipped=[])
    world.forget(memory, "application_delete")

    told = trace(world, "recall", recall)

    assert [(v["record_id"], v["version"]) for v in told["versions"]] == [(memory, 1)]
    assert "canary" not in repr(told)


# --- Mutations ------------------------------------------------------------------------------------


def test_a_mutation_is_found_by_its_key_and_by_its_correlation_id(world):
    memory = world.remember("x", {"request_id": "CORR"})

    by_correlation = trace(world, "mutation", "CORR")
    by_key = trace(world, "mutation", "key of CORR")

    assert [(v["record_id"], v["version"]) for v in by_correlation["versions"]] == [(memory, 1)]
    assert by_correlation["details"]["idempotency_key"] == "key of CORR"
    assert by_key["details"] == by_correlation["details"]


def test_a_correlation_id_that_was_used_twice_leads_to_the_newest_mutation(world):
    world.remember("x", {"request_id": "CORR"})
    newer = world.remember("y", {"request_id": "CORR", "actor": "bob"})

    told = trace(world, "mutation", "CORR")

    assert told["details"]["committed_id"] == newer


def test_a_mutation_of_something_private_is_there_for_its_actor_alone(world):
    older = world.remember("x", {"request_id": "CORR"})
    private = {"request_id": "CORR", "actor": "bob"}
    world.remember("y", private, visibility="private")

    assert trace(world, "mutation", "CORR")["details"]["committed_id"] == older
    assert trace(world, "mutation", "CORR", actor="bob")["details"]["committed_id"] != older


def test_a_consolidation_is_traced_with_its_members_and_edges(world):
    a, b = world.remember("a"), world.remember("b")
    proposal = world.consolidate([a, b], canonical=a)
    key = f"key of request-{next(world._commands) - 1}"

    told = trace(world, "mutation", key)

    assert told["details"]["committed_id"] == proposal
    edge = told["paths"][0]["relationship_ids"][0]
    assert [(v["record_id"], v["lifecycle"]) for v in told["versions"]] == [
        (b, "superseded"),
        (edge, "active"),
    ]
    assert told["versions"][0]["meaning"] == ["supersession"]


def test_a_private_proposal_hides_the_mutation_that_applied_it(world):
    a, b = world.remember("a", visibility="private"), world.remember("b")
    world.consolidate([a, b], canonical=a)
    correlation = f"request-{next(world._commands) - 1}"

    assert absent(world, "mutation", correlation, actor="bob")


def test_a_key_in_a_workspace_without_secrets_is_not_found(world):
    trace_without_secrets = Trace(world.log, lambda *_: None)

    with pytest.raises(MemorandaError):
        trace_without_secrets.answer(
            world.context(workspace="new"), TraceInput(target={"kind": "mutation", "id": "k"})
        )


# --- Laws -----------------------------------------------------------------------------------------


def test_what_others_keep_private_changes_no_byte(world):
    memory = world.remember("x", {"request_id": "CORR"})
    other = world.remember("y")
    world.relate(memory, other)
    reader = {"actor": "bob", "request_id": "fixed"}
    before = [trace(world, "memory", memory, reader), trace(world, "mutation", "CORR", reader)]
    secret = world.claim(slot="s", object="1", more={"visibility": "private"})
    world.relate(memory, secret, kind="contradicts")
    world.relate(secret, other, {"request_id": "CORR"})
    world.remember("z", {"workspace": "w2", "request_id": "CORR"})

    after = [trace(world, "memory", memory, reader), trace(world, "mutation", "CORR", reader)]

    assert after == before
