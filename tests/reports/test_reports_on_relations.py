"""Bug reports 18 and 23: deletion in one place only, and no edge to nowhere."""

from __future__ import annotations

import pytest

from domain.canonical import canonical
from ops.wiring import Memoranda
from tests.builders import text
from tests.circumstances import an_id, context
from tests.inputs import envelope
from tests.laws.worlds import Group, ask, caught_up, random_steps
from tests.projections.views import rows
from tests.reports.asking import done, found, memory, refused, traced

ABSENT = an_id("mem_", 99)


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
@pytest.mark.parametrize("scope", ["lineage", "key"])
def test_report_18_forgetting_here_forgets_nothing_there(
    memoranda: Memoranda, mode: str, scope: str
) -> None:
    # Given the same words, slot and key in two workspaces
    here, there = context(workspace="one"), context(workspace="two")
    said = {"content": text("the same otter"), "identity_key": "K"}
    names = {who.workspace: memory(memoranda, who, **said) for who in (here, there)}
    friend = memory(memoranda, there, content=text("a friend"))
    done(memoranda, "relate", there, source_id=names["two"], target_id=friend)
    before = seen(memoranda, "two", names["two"])
    # When they are forgotten in one of them
    done(memoranda, "forget", here, memory_id=names["one"], mode=mode, scope=scope)
    # Then nothing of the other has changed, in any read model
    assert found(memoranda, "otter", here) == []
    assert found(memoranda, "otter", there) == [names["two"], friend]
    assert seen(memoranda, "two", names["two"]) == before


def seen(memoranda: Memoranda, workspace: str, name: str) -> bytes:
    engine = caught_up(memoranda).runner._engine
    stored = [row["record"] for row in rows(engine, workspace=workspace)]
    return canonical([stored, traced(memoranda, name, context(workspace=workspace))])


def test_report_18_a_life_of_deletions_in_one_workspace_leaves_the_other(
    memoranda: Memoranda,
) -> None:
    quiet = Group(memoranda, "quiet").play(random_steps(18, 25))
    engine = caught_up(memoranda).runner._engine
    before = [dict(row) for row in rows(engine, workspace="quiet")]
    verbs = ("remember", "forget", "forget", "relate", "propose", "apply")
    Group(memoranda, "loud").play(random_steps(18, 40, verbs))
    caught_up(memoranda)
    assert [dict(row) for row in rows(engine, workspace="quiet")] == before
    assert quiet.known["memory"]


def ends(memoranda: Memoranda) -> dict[str, str]:
    """What cannot be an end: absent, elsewhere, another's, forgotten in each way, no memory."""
    known = memory(memoranda)
    gone = {mode: memory(memoranda) for mode in ("tombstone", "application_delete")}
    for mode, name in gone.items():
        done(memoranda, "forget", memory_id=name, mode=mode)
    edge = done(memoranda, "relate", source_id=known, target_id=known)["relationship"]["id"]
    return {
        "known": known,
        "absent": ABSENT,
        "elsewhere": memory(memoranda, context(workspace="other")),
        "private": memory(memoranda, context(actor="bea"), visibility="private"),
        "edge": edge,
        "nonsense": "nonsense",
        **gone,
    }


def test_report_23_no_edge_leads_to_what_is_not_there(memoranda: Memoranda) -> None:
    # Given everything that is no memory of this actor in this workspace
    names = ends(memoranda)
    known = names.pop("known")
    head = memoranda.log.head()
    # When an edge is drawn from it or to it
    for name in names.values():
        outward = refused(memoranda, "relate", source_id=known, target_id=name)
        inward = refused(memoranda, "relate", source_id=name, target_id=known)
        # Then all of it is the same NOT_FOUND, and no event
        assert (outward["code"], outward["field"]) == ("NOT_FOUND", "target_id")
        assert (inward["code"], inward["field"]) == ("NOT_FOUND", "source_id")
        assert outward["message"] == inward["message"]
    assert memoranda.log.head() == head


def test_report_23_a_batch_with_one_bad_edge_writes_nothing(memoranda: Memoranda) -> None:
    known = memory(memoranda)
    head = memoranda.log.head()
    items = [
        envelope(
            "relate", source_id=known, target_id=target, envelope_changes={"idempotency_key": key}
        )
        for key, target in (("a", known), ("b", ABSENT), ("c", known))
    ]
    answers = memoranda.execute_many(context(), items, atomic=True)
    assert memoranda.log.head() == head
    assert [answer["error"].get("field") for answer in answers] == [
        "items.1",
        "target_id",
        "items.1",
    ]
    # Without atomic the others are drawn
    answers = memoranda.execute_many(context(), items, atomic=False)
    assert ["error" in answer for answer in answers] == [False, True, False]


def test_report_23_an_edge_outlives_its_end_but_is_not_walked(memoranda: Memoranda) -> None:
    one, other = memory(memoranda, content=text("wolf")), memory(memoranda)
    edge = done(memoranda, "relate", source_id=one, target_id=other)["relationship"]["id"]
    done(memoranda, "forget", memory_id=other)
    assert found(memoranda, "wolf") == [one]
    target = {"kind": "relationship", "id": edge}
    answer = ask(memoranda, context(), envelope("trace", target=target))
    assert answer["result"]["result"]["paths"][0]["memory_ids"] == [one, other]
