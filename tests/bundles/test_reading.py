"""What is told of concepts, claims and windows, and to whom."""

from __future__ import annotations

import pytest

from domain.context import PERMISSIONS, Context
from domain.errors import Code, MemorandaError
from domain.workspace_settings import WorkspaceSettings
from projections import bundles
from projections.catalogue import CATALOGUE
from projections.database import part_in, writing
from projections.parking import Culprit, Parking
from read_api.bundle_questions import CompletenessQuestion, ConceptFilters
from read_api.bundles import FAILURES_MAX, Bundles
from tests.bundles.worlds import BundleWorld, cite, move, open_concept, send_window, take, verdict
from tests.projections.commands import forget, remember, update
from tests.projections.conftest import database, engine, views_in_postgres
from tests.projections.views import follow

__all__ = ["database", "engine", "views_in_postgres"]

FIRST = {
    "claim_text": "Say thirty.",
    "rule": "Signals sound every 30 seconds",
    "scope": "the harbour",
    "rationale": "fog",
}
SECOND = {**FIRST, "claim_text": "Say twenty.", "rule": "Signals sound every 20 seconds"}


def asking(actor="ann", workspace="acme", session="monday", **more):
    return Context(
        workspace=workspace,
        actor=actor,
        session=session,
        permissions=PERMISSIONS,
        request_id="asked",
        **more,
    )


@pytest.fixture
def read(engine, database):
    def secret(workspace):
        return None if workspace == "nowhere" else workspace.encode() * 8

    return Bundles(database.reader(engine), secret, lambda _: 0, lambda context: context)


@pytest.fixture
def world(engine):
    """A claim that was corrected, restated and contradicted too late."""
    world = BundleWorld().given(
        [
            remember("30"),
            remember("20"),
            open_concept(opening={"title": "Fog", "repo_identifier": "github.com/acme/app"}),
            send_window(mode="knowledge_patched", words={"session_id": "s-1"}),
            send_window(mode="knowledge_patched", words={"session_id": "s-2"}),
            take(0, words=FIRST),
            move(1, window=1, words={**SECOND, "reason": "the harbour master said so"}),
            cite(1, window=1, reason="again"),
            cite(1, mode="late", reason="older", offered={"rule": "Signals sound never"}),
        ]
    )
    follow(world.log, engine)
    return world


def claim_of(read, world, **who):
    return read.claim(asking(**who), world.takeaways[0][1])


def test_a_concept_lists_its_claims_in_the_order_of_their_creation(read, world, engine):
    world.given([remember("3"), take(2, words={"claim_text": "Later."})])
    follow(world.log, engine)

    said = read.concept(asking(), world.concepts[0][1])

    assert (said["title"], said["repo_identifier"]) == ("Fog", "github.com/acme/app")
    assert (said["owner"], said["visibility"], said["claim_count"]) == ("ann", "private", 2)
    assert said["source_id"] == "agent-sessions/codex"
    assert [one["id"] for one in said["claims"]] == [name for _, name in world.takeaways]
    assert [one["claim_text"] for one in said["claims"]] == ["Say twenty.", "Later."]
    assert said["updated_at"] == said["claims"][1]["updated_at"] > said["created_at"]
    assert [one["cited_as"] for one in said["claims"][0]["citations"]] == [
        "authorised",
        "authorised",
        "restated",
        "late",
    ]


def test_a_claim_says_what_it_says_now_and_keeps_its_birth(read, world):
    said = claim_of(read, world)

    assert said["memory_id"] == world.memories[1][1]
    assert said["memory_lifecycle"] == "active"
    assert {name: said[name] for name in SECOND} == SECOND
    assert said["concept_path"] == "users/ana/repos/no-repo/convention/sky.md"
    assert said["created_at"] < said["updated_at"]
    assert said["display_anchor"] == "the-sky-is-blue"


def test_former_memories_say_why_they_were_replaced_and_how_the_wording_changed(read, world):
    [former] = claim_of(read, world)["former"]

    (_, first), (_, second) = world.memories
    assert (former["memory_id"], former["replaced_by"]) == (first, second)
    assert (former["mode"], former["reason"]) == ("revision", "the harbour master said so")
    assert (former["window_id"], former["replaced_in"]) == tuple(name for _, name in world.windows)
    assert former["recorded_at"] < former["replaced_at"]
    assert former["diff"][:2] == [f"--- {first}", f"+++ {second}"]
    assert former["diff"][3:] == [
        "-rule: Signals sound every 30 seconds",
        "+rule: Signals sound every 20 seconds",
        " scope: the harbour",
        " rationale: fog",
    ]


def test_citations_open_the_events_that_authorised_them(read, world):
    first, *_, last = claim_of(read, world)["citations"]

    window = world.windows[0][1]
    assert first["citation_url"] == f"/v1/bundles/windows/{window}#E1"
    assert first["window_id"] == last["window_id"] == window
    assert first["evidence"] == [
        {"id": "E1", "kind": "user_message", "actor": "user", "text": "so it is"}
    ]


def test_late_evidence_is_shown_with_what_it_says_instead(read, world):
    said = claim_of(read, world)

    [late] = said["late"]
    assert late["offered"] == {"rule": "Signals sound never"}
    assert late["window_id"] == world.windows[0][1]
    assert said["rule"] == SECOND["rule"]


def test_a_forgotten_memory_leaves_the_claim_and_takes_its_words(read, world, engine):
    world.given([forget(1, "application_delete")])
    follow(world.log, engine)

    said = claim_of(read, world)

    assert (said["memory_lifecycle"], said["erased"]) == ("forgotten", True)
    assert [said[name] for name in FIRST] == [None] * 4
    [former] = said["former"]
    assert (former["rule"], former["reason"], former["diff"]) == (FIRST["rule"], None, None)
    assert [one["erased"] for one in said["citations"]] == [False, True, True, True]
    assert said["late"][0]["offered"] is None


def test_a_superseded_memory_says_so(read, world, engine):
    world.given([update(1, lifecycle="superseded")])
    follow(world.log, engine)

    assert claim_of(read, world)["memory_lifecycle"] == "superseded"


def test_a_window_tells_what_was_sent_and_each_attempt(read, engine):
    events = [{"id": "E1", "kind": "user_message", "actor": "user", "text": "so", "name": None}]
    failed, applied = verdict("rejected_scope", "no such claim"), verdict("applied")
    world = BundleWorld().given(
        [
            send_window(
                mode="failed", words={"events": events, "verdicts": [failed], "branch": "one"}
            ),
            send_window(
                mode="knowledge_patched",
                again=0,
                words={"events": events, "verdicts": [applied | {"kept": {}}], "branch": "two"},
            ),
            send_window(mode="repeated", again=0, words={"events": events, "branch": "three"}),
        ]
    )
    follow(world.log, engine)

    said = read.window(asking(), world.windows[0][1])

    assert said["events"] == events
    assert (said["status"], said["result"]) == ("processed", "knowledge_patched")
    assert (said["branch"], said["proposals"]) == ("two", [applied])
    assert [(one["result"], one["branch"]) for one in said["attempts"]] == [
        ("failed", "one"),
        ("knowledge_patched", "two"),
        ("repeated", "three"),
    ]
    assert said["attempts"][0]["proposals"] == [failed]
    assert said["submitted_at"] < said["processed_at"]


def test_a_window_that_waits_has_no_result_yet(read, engine):
    world = BundleWorld().given([send_window(mode="accepted")])
    follow(world.log, engine)

    said = read.window(asking(), world.windows[0][1])

    assert (said["status"], said["result"]) == ("accepted", None)


class TestLists:
    @pytest.fixture
    def listed(self, engine):
        world = BundleWorld().given(
            [
                open_concept(opening={"title": name, "repo_identifier": repo, "concept_type": of})
                for name, repo, of in (
                    ("A", "github.com/acme/app", "decision"),
                    ("B", None, "decision"),
                    ("C", "github.com/acme/app", "pitfall"),
                )
            ]
        )
        follow(world.log, engine)
        return world

    @pytest.mark.parametrize(
        ("filters", "found"),
        [
            ({}, "ABC"),
            ({"repo": "git@github.com:Acme/App.git"}, "AC"),
            ({"repo": ""}, "B"),
            ({"type": "decision"}, "AB"),
            ({"type": "decision", "repo": "github.com/acme/app"}, "A"),
            ({"type": "poem"}, ""),
        ],
    )
    def test_filters_hold_together(self, read, listed, filters, found):
        said = read.concepts(asking(), ConceptFilters(**filters))

        assert "".join(one["title"] for one in said["items"]) == found

    def test_pages_follow_one_another(self, read, listed):
        titles, cursor = [], None
        for _ in range(3):
            said = read.concepts(asking(), ConceptFilters(limit=1, cursor=cursor))
            titles += [one["title"] for one in said["items"]]
            cursor = said["next_cursor"]

        assert (titles, cursor) == (["A", "B", "C"], None)

    def test_a_cursor_of_another_question_is_refused(self, read, listed):
        cursor = read.concepts(asking(), ConceptFilters(limit=1))["next_cursor"]

        with pytest.raises(MemorandaError, match="cursor is not one"):
            read.concepts(asking(), ConceptFilters(type="decision", cursor=cursor))

    def test_another_owner_sees_nothing_and_changes_nothing(self, read, listed, engine):
        before = read.concepts(asking("bob"), ConceptFilters())
        assert before["items"] == []

        listed.given([open_concept({"actor": "bob"}, opening={"title": "D"})])
        follow(listed.log, engine)

        shown = read.concepts(asking("bob"), ConceptFilters())["items"]
        assert [one["title"] for one in shown] == ["D"]
        assert len(read.concepts(asking(), ConceptFilters())["items"]) == 3


class TestCompleteness:
    @pytest.fixture
    def sent(self, engine):
        failed = {"verdicts": [verdict("parse_failed", "blank")]}
        world = BundleWorld().given(
            [
                send_window(mode="knowledge_patched", words={"session_id": "s-1"}),
                send_window(mode="knowledge_patched", words={"session_id": "s-1"}),
                send_window(mode="no_output", words={"session_id": "s-1"}),
                send_window(mode="failed", words={"session_id": "s-1", **failed}),
                send_window(mode="accepted", words={"session_id": "s-2"}),
                send_window({"actor": "bob"}, mode="failed", words=failed),
            ]
        )
        follow(world.log, engine)
        return world

    def test_the_share_is_of_what_was_processed(self, read, sent):
        said = read.completeness(asking(), CompletenessQuestion(session_id="s-1"))

        assert (said["total"], said["processed"], said["failed"]) == (4, 3, 1)
        assert said["no_output_share"] == pytest.approx(1 / 3)
        [failure] = said["failures"]
        assert failure["window_id"] == sent.windows[3][1]
        assert (failure["outcome"], failure["reason"], failure["index"]) == (
            "parse_failed",
            "blank",
            0,
        )

    def test_all_sessions_are_counted_without_one(self, read, sent):
        said = read.completeness(asking(), CompletenessQuestion())

        assert (said["total"], said["waiting"], len(said["failures"])) == (5, 1, 1)

    def test_a_session_that_nobody_has_told_of_has_no_windows(self, read, sent):
        said = read.completeness(asking(), CompletenessQuestion(session_id="never"))

        assert (said["total"], said["no_output_share"], said["failures"]) == (0, None, [])

    def test_a_failed_window_that_was_sent_again_counts_once_as_it_ended(self, read, sent, engine):
        sent.given([send_window(mode="no_output", again=3, words={"session_id": "s-1"})])
        follow(sent.log, engine)

        said = read.completeness(asking(), CompletenessQuestion(session_id="s-1"))

        assert (said["total"], said["failed"], said["no_output"]) == (4, 0, 2)

    def test_the_latest_failures_are_listed_and_no_more_than_a_hundred(self, read, engine):
        failed = {"verdicts": [verdict("parse_failed")] * 60}
        world = BundleWorld().given([send_window(mode="failed", words=failed) for _ in range(3)])
        follow(world.log, engine)

        failures = read.completeness(asking(), CompletenessQuestion())["failures"]

        assert len(failures) == FAILURES_MAX
        assert failures[0]["window_id"] == world.windows[2][1]


def reads(read, world):
    """Each way to ask for one thing, with its id."""
    return [
        (read.concept, world.concepts[0][1]),
        (read.claim, world.takeaways[0][1]),
        (read.window, world.windows[0][1]),
    ]


def test_what_is_foreign_is_refused_as_what_is_absent(read, world):
    foreign = (asking("bob"), asking(workspace="other"), asking(workspace="nowhere"))
    for ask, name in reads(read, world):
        for caller in foreign:
            told = []
            for one in (name, name[:-3] + "000"):
                with pytest.raises(MemorandaError) as refused:
                    ask(caller, one)
                told.append(refused.value.as_wire())
            assert told[0] == told[1]
            assert told[0]["code"] == Code.NOT_FOUND.value


def test_where_sessions_are_strict_another_session_is_foreign(read, world):
    settings = WorkspaceSettings(session_isolation="strict")
    for ask, name in reads(read, world):
        ask(asking(settings=settings), name)
        with pytest.raises(MemorandaError):
            ask(asking(session="tuesday", settings=settings), name)
    told = read.completeness(asking(session="tuesday", settings=settings), CompletenessQuestion())
    assert told["total"] == 0


def test_a_parked_claim_is_not_said_to_be_absent(read, world, engine):
    workspace, claim = world.takeaways[0]
    projection = next(one for one in CATALOGUE if one.withdraw is bundles.withdraw)
    with writing(engine) as connection:
        parking = Parking(projection, part_in(engine, workspace))
        parking.park(connection, Culprit(5, ((workspace, claim),), "ValueError"), 0)

    with pytest.raises(MemorandaError, match="could not be handled"):
        claim_of(read, world)
    assert read.concept(asking(), world.concepts[0][1])["claims"] == []
