"""The shape of a window and of its proposals, and what is refused of it (spec §2, §6)."""

from __future__ import annotations

import pytest

from domain.bundles import limits
from domain.bundles.window_body import (
    REQUIRED_UNLESS_NO_OUTPUT,
    parse_proposals,
    parse_window,
    refuse_future,
)
from domain.errors import Code, MemorandaError
from tests.bundles.secrets import secrets
from tests.bundles.windows import proposal, says, window, without

CLAIM = {"rule": "Charts are stored flat", "scope": "the chart room"}


def refused(body, field, *words, parse=parse_window):
    with pytest.raises(MemorandaError) as told:
        parse(body)
    error = told.value
    assert error.code is Code.INVALID_REQUEST
    assert error.field == field, error.message
    assert (field or "body") in error.message
    for word in words:
        assert word in error.message
    return error


def test_a_whole_window_is_read_as_sent():
    sent = window(proposal(), transcript_markdown="user: x", receipt={"a": [1, None]})

    read = parse_window(sent)

    assert read.client == "codex"
    assert read.events == [says()]
    assert read.history_window.start == "1"
    assert read.history_window.end == 9
    assert read.observed_us() == 1_718_013_600_000_000
    assert read.receipt == {"a": [1, None]}
    assert read.proposals[0].durable_claim.rule == "Charts are stored flat"
    assert read.proposals[0].confidence == 0.9


OPTIONAL = (
    *("repo", "branch", "commit_sha", "history_window", "events", "transcript_markdown"),
    *("observed_at", "proposals", "receipt"),
)


@pytest.mark.parametrize("name", OPTIONAL)
def test_what_may_be_absent_may_be_null(name):
    absent, null = parse_window(without(window(), name)), parse_window(window(**{name: None}))

    assert absent == null


def test_without_a_time_there_is_none():
    assert parse_window(without(window(), "observed_at")).observed_us() is None


@pytest.mark.parametrize("name", ["client", "session_id", "trigger", "workspace"])
def test_the_four_names_are_required_and_not_blank(name):
    refused(without(window(), name), name, "required")
    for blank in ("", " \t\n", "\u3000"):
        refused(window(**{name: blank}), name, "blank")
    for odd in (7, None, [], {}, True):
        refused(window(**{name: odd}), name)
    refused(window(**{name: "x" * 1025}), name, "1024", "shorten")


@pytest.mark.parametrize(
    "version", ["agent-session-window/v2", "Agent-Session-Window/v1", "", " ", None, 1]
)
def test_another_schema_version_is_refused(version):
    refused(window(schema_version=version), "schema_version", "agent-session-window/v1")
    refused(without(window(), "schema_version"), "schema_version", "required")


@pytest.mark.parametrize(
    "key", ["user_id", "owner", "actor_id", "visibility", "retention", "plugin", "Client", ""]
)
def test_unknown_keys_are_refused_at_every_depth(key):
    if key:
        refused(window(**{key: "x"}), key, "remove")
    with pytest.raises(MemorandaError):
        parse_window(window(**{key: "x"}))
    with pytest.raises(MemorandaError):
        parse_window(window(history_window={"kind": "lines", "start": 1, "end": 2, key: 1}))
    with pytest.raises(MemorandaError):
        parse_window(window(proposal(**{key: 1})))
    with pytest.raises(MemorandaError):
        parse_window(window(proposal(durable_claim={**CLAIM, key: 1})))


@pytest.mark.parametrize("body", [[], "x", None, 7, True, [window()]])
def test_a_body_that_is_no_object_is_refused(body):
    refused(body, None, "object")


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        ("events", {}, "events"),
        ("events", "x", "events"),
        ("events", ["x"], "events.0"),
        ("events", [says(), None], "events.1"),
        ("events", [{"kind": 7}], "events.0.kind"),
        ("events", [{"kind": None, "text": "x"}], "events.0.kind"),
        ("events", [{**says(), "text": {"a": 1}}], "events.0.text"),
        ("events", [says(), {**says(), "actor": 7}], "events.1.actor"),
        ("events", [{**says(), "name": []}], "events.0.name"),
        ("proposals", {}, "proposals"),
        ("proposals", "x", "proposals"),
        ("proposals", ["x"], "proposals.0"),
        ("history_window", "x", "history_window"),
        ("history_window", {"start": 1, "end": 2}, "history_window.kind"),
        ("history_window", {"kind": " ", "start": 1, "end": 2}, "history_window.kind"),
        ("history_window", {"kind": "lines", "start": 1.5, "end": 2}, "history_window.start"),
        ("history_window", {"kind": "lines", "start": True, "end": 2}, "history_window.start"),
        ("history_window", {"kind": "lines", "start": 1, "end": []}, "history_window.end"),
        ("history_window", {"kind": "l", "start": "x" * 1025, "end": 1}, "history_window.start"),
        ("observed_at", 17, "observed_at"),
        ("observed_at", "2024-06-10T10:00:00", "observed_at"),
        ("observed_at", "2024-06-10", "observed_at"),
        ("observed_at", "yesterday", "observed_at"),
        ("observed_at", "", "observed_at"),
        ("repo", 7, "repo"),
        ("repo", "x" * 1025, "repo"),
        ("branch", [], "branch"),
        ("branch", "x" * 1025, "branch"),
        ("commit_sha", 1.0, "commit_sha"),
        ("commit_sha", "x" * 1025, "commit_sha"),
        ("transcript_markdown", ["x"], "transcript_markdown"),
        ("transcript_markdown", "x" * (1024 * 1024 + 1), "transcript_markdown"),
        ("receipt", "x" * (256 * 1024), "receipt"),
    ],
)
def test_wrong_types_and_values_are_refused_by_the_name_of_the_field(name, value, field):
    refused(window(**{name: value}), field)


def test_nothing_is_read_of_noise_and_of_native_records_so_nothing_of_them_is_refused():
    odd = [{"kind": "reasoning", "text": 7, "actor": []}, {}, {"type": "user", "text": 7}]
    assert parse_window(window(events=odd)).events == odd


def test_a_window_has_at_most_ten_thousand_events():
    most = [{"kind": "error", "text": "x"}] * 10_000

    assert len(parse_window(window(events=most)).events) == limits.EVENTS_MAX
    error = refused(window(events=most * 6), "events", "60000", "10000", "several windows")
    assert error.status == 400


def test_the_events_of_a_window_have_at_most_four_mebibytes():
    text = "x" * (1024 * 1024 - 100)

    parse_window(window(events=[says(text)] * 4))
    refused(window(events=[says(text)] * 5), "events", "4194304", "several windows")


def test_a_window_holds_at_most_sixty_four_proposals():
    assert len(parse_window(window(*[proposal()] * 64)).proposals) == 64
    refused(window(*[proposal()] * 65), "proposals", "64", "fewer")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"action": "delete_claim"}, "action"),
        ({"action": None}, "action"),
        ({"concept_type": "poem"}, "concept_type"),
        ({"memory_type": "rumour"}, "memory_type"),
        ({"memory_type": "preference"}, "memory_type"),
        ({"memory_type": None}, "memory_type"),
        ({"confidence": 1.5}, "confidence"),
        ({"confidence": -0.1}, "confidence"),
        ({"confidence": "0.5"}, "confidence"),
        ({"confidence": True}, "confidence"),
        ({"confidence": None}, "confidence"),
        ({"tags": "t"}, "tags"),
        ({"tags": [7]}, "tags.0"),
        ({"tags": ["x"] * 257}, "tags"),
        ({"primary_evidence_ids": "E1"}, "primary_evidence_ids"),
        ({"primary_evidence_ids": [1]}, "primary_evidence_ids.0"),
        ({"primary_evidence_ids": ["E1"] * 257}, "primary_evidence_ids"),
        ({"citations": {}}, "citations"),
        ({"citations": ["x" * 4097]}, "citations.0"),
        ({"reason": 7}, "reason"),
        ({"title": 7}, "title"),
        ({"title": "x" * 1025}, "title"),
        ({"concept_id": 7}, "concept_id"),
        ({"claim_text": 7}, "claim_text"),
        ({"claim_text": "x" * 65537}, "claim_text"),
        ({"durable_claim": "Charts are stored flat"}, "durable_claim"),
        ({"durable_claim": {"rule": "x"}}, "durable_claim.scope"),
        ({"durable_claim": {**CLAIM, "rule": ""}}, "durable_claim.rule"),
        ({"durable_claim": {**CLAIM, "rule": " \n"}}, "durable_claim.rule"),
        ({"durable_claim": {**CLAIM, "scope": "\t"}}, "durable_claim.scope"),
        ({"durable_claim": {**CLAIM, "rule": None}}, "durable_claim.rule"),
        ({"durable_claim": {**CLAIM, "rule": "x" * 16385}}, "durable_claim.rule"),
        ({"durable_claim": {**CLAIM, "rationale": 7}}, "durable_claim.rationale"),
        ({"extra": 1}, "extra"),
    ],
)
def test_a_malformed_proposal_is_refused_whoever_wrote_it(changes, field):
    bad = proposal(**changes)

    refused(window(proposal(), bad), f"proposals.1.{field}")
    refused([proposal(), bad], f"proposals.1.{field}", parse=parse_proposals)


@pytest.mark.parametrize("name", REQUIRED_UNLESS_NO_OUTPUT)
@pytest.mark.parametrize("action", ["create_new_concept", "add_new_claim"])
def test_only_no_output_may_leave_the_seven_keys_out(name, action):
    refused(window(without(proposal(action=action), name)), f"proposals.0.{name}", action)

    nothing = without(proposal(action="no_output"), name)
    assert parse_window(window(nothing)).proposals[0].action == "no_output"


def test_the_shortest_no_output_is_its_action():
    (read,) = parse_proposals([{"action": "no_output"}])

    assert (read.claim_text, read.tags, read.primary_evidence_ids, read.reason) == ("", [], [], "")
    assert read.confidence is read.memory_type is read.durable_claim is None


@pytest.mark.parametrize("claim_text", ["", " \n", None])
def test_a_blank_claim_text_and_no_durable_claim_are_left_to_reconciliation(claim_text):
    (read,) = parse_proposals([proposal(claim_text=claim_text, durable_claim=None)])

    assert not read.claim_text.strip()
    assert read.durable_claim is None
    assert parse_proposals([without(proposal(), "durable_claim")])[0].durable_claim is None


def test_a_blank_rationale_title_or_id_is_none():
    (read,) = parse_proposals(
        [
            proposal(
                durable_claim={**CLAIM, "rationale": " "},
                title="\t",
                concept_id="",
                claim_id=" ",
            )
        ]
    )

    assert read.durable_claim.rationale is None
    assert read.title is read.concept_id is read.claim_id is None
    assert parse_proposals([proposal(confidence=1)])[0].confidence == 1.0
    assert parse_proposals([proposal(confidence=0)])[0].confidence == 0.0


def test_proposals_are_an_array():
    for odd in ({}, "x", None, 7):
        refused(odd, "proposals", "array", parse=parse_proposals)
    refused([proposal()] * 65, "proposals", "64", parse=parse_proposals)
    refused(["x"], "proposals.0", "object", parse=parse_proposals)
    assert parse_proposals([]) == []


def test_five_minutes_ahead_are_a_clock_and_more_is_refused():
    now = 1_700_000_000_000_000

    refuse_future(now + 300_000_000, now)
    refuse_future(now - 10**15, now)
    with pytest.raises(MemorandaError, match="300 s ahead") as told:
        refuse_future(now + 300_000_001, now)
    assert told.value.field == "observed_at"


def test_a_refusal_quotes_no_content():
    for body in (
        window(events=[{**says(), "text": ["hunter2"]}]),
        window(observed_at="hunter2"),
        window(proposal(action="hunter2")),
        window(proposal(confidence="hunter2")),
        window(client="hunter2" * 999),
    ):
        with pytest.raises(MemorandaError) as told:
            parse_window(body)
        assert "hunter2" not in str(told.value.as_wire())


def test_a_secret_that_is_sent_as_a_key_is_not_told_back():
    secret = secrets(3)[4].parts[0]

    for body in (window(**{secret: 1}), window(proposal(**{secret: 1}))):
        with pytest.raises(MemorandaError) as told:
            parse_window(body)
        assert secret not in str(told.value.as_wire())
        assert "[redacted:github_token]" in told.value.message
