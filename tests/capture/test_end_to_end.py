"""A session that is captured to a Memoranda becomes a claim, and stays one after a lost answer."""

from __future__ import annotations

import json

import pytest

from tests.capture.logs import turn
from tests.capture.test_posting import PROPOSAL
from tests.cli.processes import serving
from tests.cli_operations.running import run

pytestmark = pytest.mark.timeout(300)
WHO = ("--workspace", "default", "--actor", "ana")


@pytest.fixture
def files(tmp_path):
    log, proposals = tmp_path / "session.jsonl", tmp_path / "proposals.json"
    log.write_bytes(turn("Jobs run in UTC, always."))
    proposals.write_text(json.dumps([PROPOSAL]))
    return log, proposals


def captured(files, state, *where, **settings):
    log, proposals = files
    named = ("capture", "claude-code", log, "--state", state, "--proposals", proposals)
    return run(*named, *where, "--json", **settings)


def test_what_was_said_is_a_claim_that_recall_finds_and_again_is_the_same(files, tmp_path):
    data = tmp_path / "data"
    run("remember", "first", "--data", data, *WHO)

    first = captured(files, tmp_path / "state", "--data", data, *WHO)
    # A state that is lost is a log of which no answer has come.
    again = captured(files, tmp_path / "another", "--data", data, *WHO)
    found = run("recall", "which zone do jobs run in, UTC?", "--data", data, *WHO, "--json")

    [window], [same] = first.json["windows"], again.json["windows"]
    assert window["result"] == "knowledge_patched"
    assert (same["window_id"], same["idempotent"]) == (window["window_id"], True)
    memories = [item["record"]["id"] for item in found.result["items"]]
    assert memories == [window["proposals"][0]["memory_id"]]


def test_a_server_takes_it_under_the_key_and_tells_of_a_failed_proposal(files, tmp_path):
    data = tmp_path / "data"
    key = run("keys", "create", "--name", "laptop", "--data", data, *WHO).out.strip()
    log, proposals = files
    with serving(data) as server:
        where = ("--url", f"http://{server.host}:{server.port}")
        posted = captured(files, tmp_path / "state", *where, key=key)
        proposals.write_text(json.dumps([PROPOSAL | {"claim_text": " "}]))
        log.write_bytes(log.read_bytes() + turn("And never in local time."))
        failed = captured(files, tmp_path / "state", *where, key=key)

    assert (posted.code, failed.code) == (0, 1)
    [proposal] = failed.json["windows"][0]["proposals"]
    assert proposal["outcome"] == "parse_failed"
