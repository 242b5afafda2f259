"""The same commands on a data folder and on a server give the same answers."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.processes import memoranda
from tests.cli_operations.conftest import ACTOR
from tests.cli_operations.running import Local, Names, Remote

POSITION = re.compile(rb"position [0-9]+")
pytestmark = pytest.mark.timeout(300)


class History:
    """A history of commands for machines; ids of what they made go into the later ones."""

    def __init__(self, door):
        self.door = door
        self.done = []

    def say(self, *arguments, stdin=None):
        self.done.append(self.door(*arguments, "--json", stdin=stdin))
        return self.done[-1]

    def made(self, *arguments, stdin=None):
        """The id that a command committed."""
        said = self.say(*arguments, stdin=stdin)
        assert said.code == 0, said.err
        result = said.result
        return result.get("proposal_id") or result["receipt"]["committed_id"]


def told(history):
    """Every operation once at least, and refusals of several kinds."""
    once = iter(range(100))

    def key():
        return ("--idempotency-key", f"k{next(once)}")

    vim = history.made(
        "remember", "Ana edits with vim.", "--slot", "editor of ana", "--property", "object=vim",
        "--source", "chat of 2026-01-05#line 3", "--tag", "tools", "--key", "january",
        "--valid-from", "2026-01-01T00:00:00Z", "--confidence", "0.9", "--kind", "claim", *key(),
    )  # fmt: skip
    emacs = history.made(
        "remember", "-", "--properties", '{"object": "emacs", "n": [1]}',
        "--slot", "editor of ana", *key(), stdin="Ana edits with\nemacs – ünïcode.\n",
    )  # fmt: skip
    secret = history.made("remember", "Ana dislikes both.", "--private", *key())
    edge = history.made(
        "relate", emacs, vim, "--kind", "contradicts", "--property", "seen=yes", *key()
    )
    history.say(
        "update", vim, "--valid-until", "2026-03-01T00:00:00Z", "--expected-version", "1",
        "--tag", "checked", "--clear", "confidence", "--idempotency-key", "again",
    )  # fmt: skip
    history.say(
        "update", vim, "--valid-until", "2026-03-01T00:00:00Z", "--expected-version", "1",
        "--tag", "checked", "--clear", "confidence", "--idempotency-key", "again",
    )  # fmt: skip
    history.say("update", edge, "--lifecycle", "expired", *key())
    history.say("update", vim, "--confidence", "0.5", "--expected-version", "1", *key())
    history.say("update", vim, "--confidence", "2", *key())
    history.say("update", vim, "Ana edits.", "--slot", "another", *key())
    history.say("update", vim, "Ana.", "--idempotency-key", "again")
    history.say("relate", "mem_nothing", vim, "--kind", "supports", *key())
    history.say("recall", "which editor does ana use", "--explain", "--max-depth", "2")
    history.say("recall", "ana", "--as-of", "2026-02-01T00:00:00Z", "--kind", "claim", "-n", "1")
    history.say("recall", "ana", "--max-items", "0")
    history.say("recall", "  ")
    for target in (vim, edge, "again", "nothing"):
        history.say("trace", target)
    about = (vim, secret, "--reason", "the same", "--canonical", vim)
    proposal = history.made("consolidate", "propose", *about)
    history.say("consolidate", "apply", proposal, *about, "--policy", "by hand", *key())
    history.say("consolidate", "apply", proposal, secret, emacs, "--reason", "x", "--policy", "p")
    history.say("trace", secret)
    history.say(
        "forget", vim, "--mode", "expire", "--expires-at", "2027-01-01T00:00:00Z",
        "--reason", "old", *key(),
    )  # fmt: skip
    history.say("forget", emacs, "--mode", "tombstone", "--reason", "wrong", *key())
    history.say("forget", emacs, "--mode", "application_delete", "--reason", "asked", *key())
    history.say("forget", emacs, "--mode", "tombstone", "--reason", "twice", *key())
    history.say("forget", vim, "--mode", "expire", "--reason", "no date", *key())
    history.say("trace", emacs)
    history.say("log", "-n", "200")
    history.say("log", "-n", "3", "--after", "0")
    return history.done


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    return Local(tmp_path_factory.mktemp("here") / "data", workspace="parity", actor=ACTOR)


def masked(done):
    """Exit status and answers, with what may differ named by its order."""
    names = Names()
    return [(one.code, *(_masked(names, text) for text in (one.out, one.err))) for one in done]


def _masked(names, text):
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return names.bytes_of(value)


def test_both_doors_answer_machines_with_the_same_json(here, server):
    away = Remote(server.url, server.keys["parity"])

    local = told(History(here))
    remote = told(History(away))

    assert {one.code for one in local} == {0, 1, 2}
    for mine, theirs in zip(masked(local), masked(remote), strict=True):
        assert mine == theirs


def test_both_doors_tell_people_the_same(server, data):
    told_by = {}
    for name, door in {
        "here": Local(data, workspace="views", actor=ACTOR),
        "away": Remote(server.url, server.keys["views"]),
    }.items():
        made = door("remember", "for people", "--idempotency-key", "p", "--json")
        commands = (["recall", "people"], ["trace", made.result["record"]["id"]], ["trace", "no"])
        done = [door("remember", "for people", "--idempotency-key", "p")]
        done += [door(*command) for command in commands]
        told_by[name] = [
            (code, POSITION.sub(b"position <n>", out), err) for code, out, err in masked(done)
        ]

    assert told_by["here"] == told_by["away"]


def test_a_page_token_of_the_command_line_gives_the_next_page(server, data):
    for door in (Local(data), Remote(server.url, server.keys["doors"])):
        for name in ("one", "two"):
            door("remember", f"page about zebras {name}", "--key", name)

        first = door("recall", "zebras", "-n", "1", "--json").result
        token = first["next_page_token"]
        second = door("recall", "zebras", "-n", "1", "--page-token", token, "--json").result

        texts = [one["items"][0]["record"]["content"]["value"] for one in (first, second)]
        assert sorted(texts) == ["page about zebras one", "page about zebras two"]
        assert second["next_page_token"] is None


def test_both_doors_work_as_processes(server, tmp_path):
    arguments = ("remember", "as people run it", "--idempotency-key", "p", "--json")

    here = memoranda(*arguments, "--data", tmp_path / "data")
    away = memoranda(*arguments, "--url", server.url, settings={"key": server.keys["doors"]})

    assert (here.returncode, here.stderr) == (away.returncode, away.stderr) == (0, "")
    said = [json.loads(one.stdout)["result"]["result"]["record"]["content"] for one in (here, away)]
    assert said[0] == said[1] == {"format": "text", "value": "as people run it"}


def test_a_session_is_that_of_the_command_behind_both_doors(server, data):
    for door in (Local(data), Remote(server.url, server.keys["doors"])):
        made = door("remember", "in a session", "--session", "späť 1", "--json").result

        traced = door("trace", made["record"]["id"], "--json").result
        found = door("recall", "session", "--in-session", "späť 1", "--json").result

        assert traced["session_id"] == "späť 1"
        assert [item["record"]["id"] for item in found["items"]] == [made["record"]["id"]]


def test_what_is_private_is_for_its_actor(data):
    mine, others = Local(data, actor="ana"), Local(data, actor="ben")
    made = mine("remember", "a secret", "--private", "--json").result

    seen = mine("recall", "secret", "--json").result
    unseen = others("recall", "secret", "--json").result
    traced = others("trace", made["record"]["id"], "--json")

    assert [len(one["items"]) for one in (seen, unseen)] == [1, 0]
    assert traced.error["code"] == "NOT_FOUND"
