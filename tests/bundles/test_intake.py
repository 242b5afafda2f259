"""What windows, actions and rulings say of a window that comes in (docs/spec/bundle.md §2, §3, §6).

On both databases; the wire is looked at in test_over_http.py.
"""

from __future__ import annotations

import pytest

from domain.bundle_events import WindowRecorded
from domain.errors import Code, MemorandaError
from tests.bundles.scribes import ADD, SUPERSEDE, UPDATE, about, saying
from tests.bundles.windows import says

TOKEN = "gh" + "p_" + "a1B2" * 9


def test_rule_2_2_what_is_no_window_is_refused_and_nothing_is_written(scribe):
    head = scribe.store.log.head()
    body = scribe.window(saying("Charts are stored flat"))
    for broken in (
        {**body, "client": " "},
        {**body, "owner": "bob"},
        {**body, "schema_version": "agent-session-window/v2"},
        {**body, "observed_at": "2999-01-01T00:00:00Z"},
        {**body, "observed_at": "2024-06-10T10:00:00"},
        [body],
        None,
    ):
        with pytest.raises(MemorandaError) as refused:
            scribe.send(broken)
        assert refused.value.code is Code.INVALID_REQUEST
    assert scribe.store.log.head() == head


def test_rule_2_2_without_a_time_it_was_observed_when_it_came(scribe):
    first = scribe.say("Sails are dried on the lawn", on=1)
    body = scribe.window(saying("Sails are dried indoors", action=UPDATE, **about(first)))
    del body["observed_at"]
    now = scribe.send(body)["proposals"][0]
    late = scribe.say("Sails are dried on the jetty", action=UPDATE, on=20, **about(first))
    assert (now["outcome"], late["outcome"]) == ("applied", "skipped_conflict")


def test_rule_2_3_who_may_not_write_is_refused_before_anything_is_read(scribe):
    reader = scribe.context.__class__(
        "w", "ana", "s1", frozenset({"read", "trace", "forget", "consolidate"}), "r"
    )
    with pytest.raises(MemorandaError) as refused:
        scribe.store.windows.submit(reader, {"not": "a window"})
    assert refused.value.code is Code.PERMISSION_DENIED


def test_rule_2_3_secrets_are_redacted_before_anything_is_hashed_or_stored(scribe):
    words = "Publish with {} from now on"
    other = TOKEN.replace("a1B2", "c3D4")
    one = scribe.send(scribe.window(events=[says(words.format(TOKEN))], receipt={"t": TOKEN}))
    two = scribe.send(scribe.window(events=[says(words.format(other))]))
    assert one["window_hash"] == two["window_hash"]
    assert sum(one["receipt"]["redactions"].values()) == 2
    for event in scribe.store.log.after(0, 1000):
        assert all(TOKEN not in str(fact) for fact in event.facts)


def test_rule_2_3_a_window_without_evidence_is_recorded_as_no_output(scribe):
    for events in ([], [{"kind": "reasoning", "text": "hm"}, says(" ")]):
        answer = scribe.send(scribe.window(saying("Noise makes no memory"), events=events))
        assert answer["result"] == "no_output"
        assert scribe.replay(answer["window_id"]) == "identical"
    assert scribe.found("noise memory") == {}


def test_rule_2_4_every_spelling_of_a_repository_is_one(scribe):
    first = scribe.say("Charts are stored flat")
    for repo in ("git@github.com:Acme/App.git", "ssh://git@github.com:22/acme/app.git"):
        body = scribe.window(saying("Charts are stored flat"), repo=repo)
        assert scribe.send(body)["proposals"][0]["claim_id"] == first["claim_id"]


def test_rule_2_5_without_proposals_and_without_an_extractor_nothing_comes_out(scribe):
    for proposals in ([], None):
        answer = scribe.send({**scribe.window(), "proposals": proposals})
        assert (answer["result"], answer["status"]) == ("no_output", "processed")
        assert answer["receipt"]["author"] == {"kind": "caller"}


@pytest.mark.parametrize(
    "event",
    [
        {"kind": "tool_result", "actor": "user", "text": "Gulls nest here"},
        {"kind": "user_message", "text": "Gulls nest here"},
        {"kind": "decision", "actor": "user", "text": "Gulls nest here"},
    ],
)
def test_rule_2_6_only_what_the_user_said_authorises_a_claim(scribe, event):
    answer = scribe.send(scribe.window(saying("Gulls nest here"), events=[event]))
    verdict = answer["proposals"][0]
    assert (answer["result"], verdict["outcome"]) == ("no_output", "skipped_not_memory")
    assert "E1" in verdict["reason"]
    assert scribe.found("gulls") == {}


def test_rule_2_6_one_unfit_evidence_id_beside_a_good_one_is_named(scribe):
    body = scribe.window(saying("Gulls nest here", primary_evidence_ids=["E1", "E77"]))
    assert "E77" in scribe.send(body)["proposals"][0]["reason"]


def test_rule_2_6_several_proposals_are_answered_in_their_order(scribe):
    body = scribe.window(
        saying("Charts are stored flat", title="Charts"),
        {"action": "no_output"},
        saying("Tug crews eat at noon", title="Tugs"),
        saying("charts are stored  FLAT", title="Maps"),
    )
    verdicts = scribe.send(body)["proposals"]
    assert [one["index"] for one in verdicts] == [0, 1, 2, 3]
    assert [one["restated"] for one in verdicts] == [False, False, False, True]
    assert verdicts[3]["claim_id"] == verdicts[0]["claim_id"]
    assert len(scribe.found("charts tug crews")) == 2


def test_rule_2_6_a_window_that_says_it_twice_cites_once(scribe):
    first = scribe.say("Charts are stored flat", on=1)
    body = scribe.window(saying("charts are stored FLAT"), saying("Charts  are stored flat"))
    assert [one["restated"] for one in scribe.send(body)["proposals"]] == [True, True]
    topics = [e.topic for e in scribe.store.log.stream(scribe.workspace, first["claim_id"])]
    assert topics == ["takeaway.added", "citation.added"]


def test_rule_3_1_a_new_topic_has_a_concept_a_claim_a_citation_and_a_memory(scribe):
    first = scribe.say("Charts are stored flat", title="Chart room")
    again = scribe.say("Lamps are dimmed at ten", title="  chart ROOM ")
    other = scribe.say("Pilots board from the lee side", title="Chart room", concept_type="pitfall")
    assert first["concept_id"] == again["concept_id"] != other["concept_id"]
    topics = [event.topic for event in scribe.store.log.after(0, 1000)]
    assert topics.count("concept.opened") == 2
    assert topics.count("takeaway.added") == 3


def test_rule_3_2_a_known_topic_takes_another_claim(scribe):
    first = scribe.say("Charts are stored flat", title="Chart room")
    added = scribe.say("Lamps are dimmed at ten", action=ADD, concept_id=first["concept_id"])
    assert added["concept_id"] == first["concept_id"]
    assert added["claim_id"] != first["claim_id"]
    assert scribe.say("Ropes are coiled", action=ADD)["outcome"] == "parse_failed"


def test_rule_3_3_an_update_moves_the_claim_to_a_new_memory(scribe):
    moves_a_claim(scribe, UPDATE, "revision")


def test_rule_3_4_what_replaces_a_claim_is_told_apart_from_what_corrects_it(scribe):
    moves_a_claim(scribe, SUPERSEDE, "supersession")


def moves_a_claim(scribe, action, mode):
    first = scribe.say("Fog signals sound every 30 seconds", on=1)
    now = scribe.say("Fog signals were replaced by radio", action=action, on=2, **about(first))
    assert (now["claim_id"], now["concept_id"]) == (first["claim_id"], first["concept_id"])
    assert scribe.lifecycle(first["memory_id"]) == "superseded"
    events = scribe.store.log.stream(scribe.workspace, first["claim_id"])
    assert [event.topic for event in events] == ["takeaway.added", "takeaway.moved"]
    assert events[-1].facts[0].mode == mode
    assert set(scribe.found("fog signals")) == {now["memory_id"]}


def test_rule_3_5_no_output_leaves_a_receipt_only(scribe):
    scribe.send(scribe.window({"action": "no_output", "reason": "nothing"}))
    topics = {event.topic for event in scribe.store.log.after(0, 1000)}
    assert topics == {WindowRecorded.TOPIC}


def test_rule_3_6_the_memory_is_the_wording_and_the_long_text_stays_on_the_claim(scribe):
    first = scribe.say(
        "Charts are stored flat",
        "the chart room",
        claim_text="At length: they crack",
        durable_claim={
            "rule": "Charts are stored flat",
            "scope": "the chart room",
            "rationale": "rolled charts crack",
        },
    )
    text = scribe.found("charts")[first["memory_id"]]
    assert text == "Charts are stored flat\nthe chart room\nrolled charts crack"
    assert scribe.found("length") == {}


def test_rule_6_1_client_session_trigger_and_branch_make_no_other_window(scribe):
    body = scribe.window(saying("Charts are stored flat"))
    first = scribe.send(body)
    changes = {"client": "claude-code", "session_id": "s-9", "trigger": "x", "branch": "y"}
    again = scribe.send({**body, **changes})
    assert (again["window_id"], again["idempotent"]) == (first["window_id"], True)
    other = scribe.send({**body, "proposals": [saying("Charts are rolled")]})
    assert other["window_id"] != first["window_id"]
    assert other["window_hash"] == first["window_hash"]
    assert scribe.send({**body, "repo": None})["window_id"] != first["window_id"]


def test_rule_6_2_a_malformed_proposal_refuses_the_whole_window(scribe):
    head = scribe.store.log.head()
    for broken in ({"confidence": 1.5}, {"action": "delete_claim"}, {"memory_type": "rumour"}):
        body = scribe.window(saying("Oars hang by the door"), saying("Charts", **broken))
        with pytest.raises(MemorandaError) as refused:
            scribe.send(body)
        assert refused.value.field.startswith("proposals.1")
    assert scribe.store.log.head() == head


def test_rule_6_3_what_an_event_says_besides_is_kept_and_not_hashed(scribe):
    event = {**says("Charts are stored flat"), "tool_use_id": "t-1", "token": "Otter-x9Q7x"}
    one = scribe.send(scribe.window(events=[event]))
    two = scribe.send(scribe.window(events=[says("Charts are stored flat")]))
    assert one["window_hash"] == two["window_hash"]
    answer = scribe.send(scribe.window(events=[says("other")], receipt={"n": [1, {"deep": "x"}]}))
    assert answer["receipt"]["sent"] == {"n": [1, {"deep": "x"}]}


def test_rule_6_4_the_words_a_claim_began_with_name_it_after_it_has_changed(scribe):
    first = scribe.say("Charts are stored flat", title="Chart room", on=1)
    away = scribe.say("The chart room was cleared", action=SUPERSEDE, on=2, **about(first))
    back = scribe.say("Charts are stored flat", title="Chart room", on=3)
    assert back["claim_id"] == first["claim_id"]
    assert set(scribe.found("chart charts room stored")) == {back["memory_id"]}
    assert scribe.lifecycle(away["memory_id"]) == "superseded"


def test_rule_6_4_a_restatement_makes_the_evidence_newer_and_a_late_one_does_not(scribe):
    first = scribe.say("Charts are stored flat", on=1)
    scribe.say("charts are stored FLAT", on=9)
    late = scribe.say("Charts are rolled", action=UPDATE, on=5, **about(first))
    assert late["outcome"] == "skipped_conflict"
    old = scribe.say("Charts are stored flat", on=2)
    assert (old["restated"], old["outcome"]) == (True, "applied")
    topics = [e.topic for e in scribe.store.log.stream(scribe.workspace, first["claim_id"])]
    assert topics == ["takeaway.added", *["citation.added"] * 3]


def test_rule_6_5_a_claim_alone_names_its_concept_too(scribe):
    first = scribe.say("Charts are stored flat", on=1)
    moved = scribe.say("Charts are rolled", claim_id=first["claim_id"], title="Elsewhere", on=2)
    assert (moved["claim_id"], moved["concept_id"]) == (first["claim_id"], first["concept_id"])
    assert scribe.lifecycle(first["memory_id"]) == "superseded"
