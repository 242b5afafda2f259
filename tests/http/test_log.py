"""Raw events and recorded recalls: what an auditor sees, and what nobody sees any more."""

from __future__ import annotations

import hashlib
import json

import pytest

from domain.canonical import canonical
from ops.http.read_models import EventPage, RecordedRecall, StreamPage
from tests.http.api import change, edge, memory, question

LOG = "/v1/log"


def problem_of(response, status, code):
    problem = response.json()
    assert (response.status_code, problem["code"]) == (status, code)
    return problem


def topics(page):
    return [event["head"]["topic"] for event in page["events"]]


def forget(api, record, mode="tombstone", **more):
    return api.do("forget", {"memory_id": record, "mode": mode, "reason": "why-canary", **more})


def test_the_log_shows_the_events_of_the_workspace_in_order(api):
    api.remember("one", identity_key="k")
    api.remember("elsewhere", names={"workspace": "other"})

    page = api.read(LOG)

    assert EventPage.model_validate(page)
    assert topics(page) == ["identity.claimed", "memory.remembered", "command.recorded"]
    positions = [event["position"] for event in page["events"]]
    assert positions == sorted(positions)
    assert {event["head"]["ctx"]["workspace"] for event in page["events"]} == {"w"}
    assert page["next_after"] == positions[-1]
    assert page["position"] >= page["next_after"]


def test_a_hash_and_a_chain_can_be_recomputed_without_a_key(api):
    record = api.remember("one")
    api.do("update", change(record, confidence=0.5))

    events = api.read(f"/v1/streams/{record}")["events"]

    previous = None
    for event in events:
        head = canonical(event["head"])
        parts = hashlib.sha256(head).digest() + bytes.fromhex(event["body_sha256"])
        computed = hashlib.sha256(b"memoranda.event.v1\n" + parts).hexdigest()
        assert (computed, event["head"]["prev"]) == (event["event_hash"], previous)
        assert event["head_bytes"] == len(head)
        previous = event["event_hash"]
    assert [event["event"] for event in events] == [f"{record}@1", f"{record}@2"]


def test_pages_of_the_log_meet(api):
    for number in range(4):
        api.remember(str(number))
    whole = api.read(LOG)["events"]

    seen, after = [], 0
    while page := api.read(f"{LOG}?limit=3&after={after}"):
        if page["next_after"] == after:
            break
        seen += page["events"]
        after = page["next_after"]

    assert seen == whole


def test_payloads_are_for_those_who_may_read(api):
    record = api.remember("canary")

    blind = api.read(f"/v1/streams/{record}", permissions="trace")
    reader = api.read(f"/v1/streams/{record}", permissions="trace,read")

    assert "canary" not in json.dumps(blind)
    assert blind["events"][0]["payload_absent"] == "permission"
    assert reader["events"][0]["payload"]["content"]["value"] == "canary"
    assert reader["events"][0]["payload_absent"] is None


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_forgotten_text_is_in_no_answer(api, mode):
    record = api.remember("text-canary", tags=["tag-canary"])
    api.do("update", change(record, content={"format": "text", "value": "later-canary"}))
    forget(api, record, mode)

    answers = json.dumps([api.read(LOG), api.read(f"/v1/streams/{record}")])

    for canary in ("text-canary", "tag-canary", "later-canary"):
        assert canary not in answers
    stream = api.read(f"/v1/streams/{record}")
    assert topics(stream) == ["memory.remembered", "memory.updated", "memory.forgotten"]
    assert stream["events"][0]["payload_absent"] in {"forgotten", "erased"}


def test_a_forgotten_version_alone_loses_its_payload(api):
    record = api.remember("text-canary")
    api.do("update", change(record, content={"format": "text", "value": "kept"}))
    forget(api, record, scope="event", version=1)

    first, second, _ = api.read(f"/v1/streams/{record}")["events"]

    assert first["payload"] is None
    assert second["payload"]["content"]["value"] == "kept"


def test_reasons_are_for_those_who_may_forget(api):
    record = api.remember()
    forget(api, record)

    with_it = api.read(f"/v1/streams/{record}")
    without = api.read(f"/v1/streams/{record}", permissions="trace,read")

    assert with_it["events"][-1]["payload"] == {"reason": "why-canary"}
    assert "why-canary" not in json.dumps(without)


def test_what_is_private_leaves_no_trace_for_others(api):
    mine = api.remember("private-canary", visibility="private", identity_key="k")
    open_one = api.remember("open")
    related = api.do("relate", edge(open_one, mine))["relationship"]["id"]
    recalled = api.do("recall", question("private-canary"), None)["recall_id"]
    forget(api, mine, "application_delete")
    before = api.read(LOG, actor="bob")

    assert topics(before) == ["memory.remembered", "command.recorded"]
    seen = json.dumps(before)
    for hidden in (mine, related, recalled):
        assert hidden not in seen
        problem_of(api.get(f"/v1/streams/{hidden}", actor="bob"), 404, "NOT_FOUND")
        problem_of(api.get(f"/v1/streams/{hidden}?after=99", actor="bob"), 404, "NOT_FOUND")
        assert api.read(f"/v1/streams/{hidden}")["stream"] == hidden


def test_streams_are_paged_by_version(api):
    record = api.remember()
    for _ in range(3):
        api.do("update", change(record))

    page = api.read(f"/v1/streams/{record}?after=1&limit=2")
    rest = api.read(f"/v1/streams/{record}?after={page['next_after']}")
    end = api.read(f"/v1/streams/{record}?after={rest['next_after']}")

    assert StreamPage.model_validate(page)
    assert [event["head"]["version"] for event in page["events"]] == [2, 3]
    assert [event["head"]["version"] for event in rest["events"]] == [4]
    assert (end["events"], end["next_after"]) == ([], 4)


@pytest.mark.parametrize("stream", ["mem_00000000000000000000000000", "mem_x", "x", "%00", "mem_"])
def test_a_stream_that_is_not_here_is_not_found(api, stream):
    api.remember()

    problem_of(api.get(f"/v1/streams/{stream}"), 404, "NOT_FOUND")


def test_a_stream_of_another_workspace_is_not_found(api):
    record = api.remember()

    problem_of(api.get(f"/v1/streams/{record}", workspace="other"), 404, "NOT_FOUND")


def test_an_unknown_workspace_reads_an_empty_log(api):
    api.remember()

    page = api.read(LOG, workspace="unknown")

    assert (page["events"], page["next_after"]) == ([], 0)


def test_a_recall_is_read_as_it_was_answered(api):
    a, b = api.remember("otter one"), api.remember("otter two")
    api.do("relate", edge(a, b))
    answered = api.do("recall", question("otter"), None)
    api.do("update", change(a, content={"format": "text", "value": "weasel"}))

    read = api.read(f"/v1/recalls/{answered['recall_id']}")

    assert RecordedRecall.model_validate(read)
    shown = ("record", "selection_reasons", "score")
    assert read["items"] == [{name: item[name] for name in shown} for item in answered["items"]]
    assert read["relationships"] == answered["relationships"]
    assert read["details"]["objective"] == "otter"
    assert read["actor_id"] == "ann"
    problem_of(api.get(f"/v1/recalls/{answered['recall_id']}", workspace="x"), 404, "NOT_FOUND")
    problem_of(api.get(f"/v1/recalls/{a}"), 404, "NOT_FOUND")


def test_a_recall_no_longer_shows_what_was_forgotten(api):
    record = api.remember("otter canary")
    recalled = api.do("recall", question("otter"), None)["recall_id"]
    forget(api, record)

    read = api.read(f"/v1/recalls/{recalled}")

    assert read["items"][0]["record"]["id"] == record
    assert read["items"][0]["record"]["content"] is None
    assert "canary" not in json.dumps(read)


def test_a_recall_of_something_private_is_its_askers_alone(api):
    api.do("remember", memory("otter", visibility="private"))
    recalled = api.do("recall", question("otter"), None)["recall_id"]

    assert len(api.read(f"/v1/recalls/{recalled}")["items"]) == 1
    problem_of(api.get(f"/v1/recalls/{recalled}", actor="bob"), 404, "NOT_FOUND")
