"""What people read: all of the answer, one line each, and nothing that a terminal obeys."""

from __future__ import annotations

import re
import resource
import subprocess
import sys

import pytest

from ops.cli_text import plain
from tests.cli.processes import environment
from tests.cli_operations.running import run

pytestmark = pytest.mark.timeout(300)


def test_a_trace_is_a_timeline(local):
    made = local(
        "remember", "Ana edits with vim.", "--slot", "editor", "--source", "chat#3", "--json"
    ).result["record"]["id"]
    other = local("remember", "Ana edits with emacs.", "--slot", "editor", "--json")
    other = other.result["record"]["id"]
    local("relate", other, made, "--kind", "contradicts", "--source", "log")
    local("update", made, "--confidence", "0.5", "--tag", "checked")
    local("forget", made, "--mode", "expire", "--expires-at", "2027-01-01T00:00:00Z", "--reason",
          "moved on")  # fmt: skip

    lines = local("trace", made).out.splitlines()

    def matching(pattern):
        return [line for line in lines if re.search(pattern, line)]

    assert lines[0].startswith(f"memory  {made}  3 versions  by cli:")
    assert "   Ana edits with vim." in lines
    assert matching(r"v1  memory\.remembered  assertion  by cli:\S+  active$")
    assert matching(r"v2  memory\.updated  correction  by .*  active  changed confidence, tags$")
    assert matching(r"v3  memory\.forgotten  expiry  by .*  expired  changed expires_at, lifecycle")
    assert matching(r"^      reason: moved on$")
    assert matching(r"never corroborated")
    assert matching(rf"{other} → {made}  by rel_\w+  from log$")


def test_an_unresolved_contradiction_is_missing_with_its_ids(local):
    first = local("remember", "vim", "--slot", "s", "--json").result["record"]["id"]
    second = local("remember", "emacs", "--slot", "s")

    traced = local("trace", first)

    assert "about s: 1 other memory  1 says something else" in second.out
    assert re.search(r"missing\n   no source\n", traced.out)
    assert re.search(r"unresolved contradiction  mem_\w+\n", traced.out)


def test_a_recall_says_why_and_what_was_left_out(local):
    local("remember", "the sky is blue", "--source", "eyes", "--tag", "seen", "--slot", "sky",
          "--valid-from", "2026-01-01T00:00:00Z", "--key", "k", "--confidence", "1")  # fmt: skip
    local("remember", "the sky is grey", "--slot", "sky", "--valid-until", "2025-01-01T00:00:00Z")

    told = local("recall", "sky", "--explain").out
    nothing = local("recall", "zebra").out

    assert re.match(r"1\.  mem_\w+@1  note  score \d\.\d{3}\n   the sky is blue\n", told)
    assert "valid_from 2026-01-01T00:00:00Z; confidence 1.0; tags seen; from eyes\n" in told
    assert "   objective_lexical_match\n" in told
    assert re.search(r"left out\n   id mem_\w+, version 1, reason validity_ended", told)
    assert re.search(r"\n1 item  complete  as of \S+, position \d+  recall_\w+\n$", told)
    assert nothing.startswith("0 items  complete")


def test_a_recall_of_one_memory_a_slot_says_who_lost_to_whom(local):
    local("remember", "the sky is grey", "--slot", "sky")
    local("remember", "the sky is blue", "--slot", "sky")

    told = local("recall", "sky", "--policy", "newest-recorded/v1", "--explain").out

    assert re.match(r"1\.  (mem_\w+)@1 .*\n   the sky is blue\n", told)
    assert re.search(r"reason shadowed, score \d\.\d+, by mem_\w+", told)
    assert "decided_by recorded_at" in told
    assert "\n1 item  complete" in told


def test_the_history_of_a_slot_is_a_line_a_change_and_one_an_interval(local):
    local("remember", "grey", "--slot", "sky", "--valid-from", "2026-01-01T00:00:00Z",
          "--valid-until", "2026-02-01T00:00:00Z")  # fmt: skip
    second = local("remember", "blue", "--slot", "sky", "--valid-from", "2026-01-15T00:00:00Z",
                   "--json").result["record"]["id"]  # fmt: skip
    local("forget", second, "--mode", "tombstone", "--reason", "r")

    told = local("slot", "sky", "--history", "--policy", "newest-recorded/v1").out
    first = local("slot", "sky", "--history", "-n", "1").out
    refused = local("slot", "sky", "--history", "--as-of", "2026-01-01T00:00:00Z")

    assert re.match(r"position 1  mem_\w+@1  recorded \S+\n", told)
    assert re.search(r"\n   2026-01-15T\S+ – on  nothing  conflict\n|\n3 changes  newest", told)
    assert told.endswith("3 changes  newest-recorded/v1\n")
    assert re.search(r"\n1 change  surface-all/v1\n   more: --after \d+\n$", first)
    assert (refused.code, "--as-of does not go with --history" in refused.err) == (2, True)


def test_a_recall_that_is_cut_says_how_to_go_on(local):
    local("remember", "zebras one")
    local("remember", "zebras two")

    told = local("recall", "zebras", "-n", "1").out

    assert "1 item  not complete" in told
    assert re.search(r"\n   more: --page-token \S+\n$", told)


def test_a_recall_that_is_explained_adds_up_the_score_of_each_item(local):
    first = local("remember", "where does the otter sleep", "--json").result["record"]["id"]
    second = local("remember", "in the reeds", "--slot", "bed", "--json").result["record"]["id"]
    third = local("remember", "in a den", "--slot", "bed", "--json").result["record"]["id"]
    local("relate", second, third, "--kind", "contradicts")

    told = local("recall", "otter reeds", "--explain").out

    assert re.search(
        rf"   score = \d\.\d{{3}} otter \(text of {first}@1\) \+ \d\.\d{{3}} reed \(text\)"
        r" \+ \d\.\d{3} reeds \(text\) \+ 1\.000 depth\n",
        told,
    )
    assert re.search(rf"   {second} → {third}  by rel_\w+\n", told)
    assert f"   contested by  {third}  by the same slot\n" in told
    assert re.search(rf"   contested by  {third}  by rel_\w+\n", told)


def test_why_a_memory_was_no_item_is_told_with_the_options_that_bring_it(local):
    local("remember", "zebras run")
    missed = local("remember", "zebras run over a wide plain", "--json").result["record"]["id"]
    recall = local("recall", "zebras", "-n", "1", "--json").result["recall_id"]

    told = local("why-not", recall, missed).out

    assert told.startswith(f"{missed}@1  rank_cutoff  rank 2\n   others come before it: ")
    assert told.endswith("   limit max_items\n   --max-items 2\n")


def test_a_slot_is_told_with_what_disagrees_and_what_is_left_out(local):
    older = local("remember", "the sky is blue", "--slot", "sky", "--json").result["record"]["id"]
    newer = local("remember", "the sky is grey", "--slot", "sky", "--json").result["record"]["id"]

    told = local("slot", "sky", "--policy", "newest-recorded/v1").out
    listed = local("slots", "--changed-since", "0").out
    nothing = local("slot", "sea").out

    assert re.match(rf"{newer}@1  note  recorded \S+\n   the sky is grey\n", told)
    assert f"conflict  winner {newer}, losers" in told
    assert f"left out\n   {older}@1  shadowed  by {newer}@1\n1 selected  as of " in told
    assert listed.startswith(
        f"sky  {newer}@1, {older}@1  2 candidates  conflict\n   before: nothing\n1 slot  as of "
    )
    assert nothing.startswith("0 selected  as of ")


def test_a_replay_tells_the_verdict_and_the_first_difference(local):
    beside = local("remember", "quaggas rest", "--json").result["record"]["id"]
    local("remember", "quaggas run")
    recall = local("recall", "run", "--json").result["recall_id"]

    same = local("replay", recall).out
    local("forget", beside, "--mode", "tombstone", "--reason", "r")
    other = local("replay", recall).out

    assert same == f"{recall}  identical  1 item\n"
    assert re.match(
        rf"{recall}  identical_except_erased  1 item\n   items\[0\]\.score\n"
        r" +recorded \d\.\d+\n +replayed \d\.\d+\n$",
        other,
    )


def test_a_deletion_says_what_it_leaves_and_what_was_made_from_it(local):
    made = local("remember", "to be destroyed", "--json").result["record"]["id"]
    derived = local("remember", "a conclusion", "--source", made, "--json").result["record"]["id"]

    told = local("forget", made, "--mode", "application_delete", "--reason", "asked").out
    expired = local(
        "forget", derived, "--mode", "expire", "--expires-at", "2027-01-01T00:00:00Z", "--reason",
        "old",
    ).out  # fmt: skip

    assert re.match(rf"{made}  version 2  position \d+  application_delete\n", told)
    assert "   the content is destroyed\n   still here: structure, " in told
    assert "   out of reach: answers given, exports and backups, " in told
    assert f"   made from it:  {derived}\n" in told
    assert "destroyed" not in expired


def test_a_proposal_tells_the_command_that_applies_it(local):
    ids = [local("remember", t, "--slot", "s", "--json").result["record"]["id"] for t in "ab"]

    proposed = local("consolidate", "propose", *ids, "--reason", "it's the same").out
    command = proposed.splitlines()[-1].strip()
    words = subprocess.run(
        ["bash", "-c", f'printf "%s\\0" {command}'], check=True, capture_output=True, text=True
    ).stdout.split("\0")[1:-1]
    done = local(*words[:-1], "by hand")

    assert f"disagree  {ids[0]} and {ids[1]}  by s" in proposed
    assert done.code == 0, done.err
    assert f"superseded: {ids[1]}" in done.out


def test_members_of_two_periods_are_told_to_disagree(local):
    may = "2031-05-01T00:00:00Z"
    bounds = ("--valid-until", may), ("--valid-from", may)
    ids = [local("remember", "x", *one, "--json").result["record"]["id"] for one in bounds]

    proposed = local("consolidate", "propose", *ids, "--reason", "the same").out
    listed = local("consolidate", "list").out

    told = f"disagree  {ids[0]} and {ids[1]}  by validity: … to {may} and {may} to …"
    assert told in " ".join(proposed.split("\n   "))
    assert told in " ".join(listed.split("\n   "))


def test_the_log_is_told_with_the_way_on(local):
    local("remember", "x")
    local("remember", "y")

    page = local("log", "-n", "3").out.splitlines()
    rest = local("log", "--after", "3").out.splitlines()

    assert page[0].split()[0] == "1"
    assert [line.split()[2] for line in page[:3]] == [
        "memory.remembered",
        "command.recorded",
        "memory.remembered",
    ]
    assert page[3:] == ["more: --after 3"]
    assert len(rest) == 1


HOSTILE = "red \x1b[31m[bold]not bold[/bold] :smile: \x07 \u202egnp.exe \x9b2J"


def test_what_was_stored_cannot_command_a_terminal(local):
    made = local(
        "remember", HOSTILE, "--tag", "\x1b]0;t", "--source", "\x1b[1m", "--kind", "k\x1b", "--json"
    ).result["record"]["id"]

    told = [local("recall", "red").out, local("trace", made).out]

    for text in told:
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
        assert "[bold]not bold[/bold] :smile: " in text
        assert "\\x1b[31m" in text


@pytest.mark.parametrize("text", ["naïve 日本語 😀", "👩\u200d🔬", "\u0645\u06cc\u200c\u062e"])
def test_words_of_any_script_are_shown_as_they_are(text):
    assert plain(text) == text


@pytest.mark.parametrize("text", ["a\u2028b", "a\u200eb", "\ufeffa", "a\tb"])
def test_what_cannot_be_seen_is_shown_as_an_escape(text):
    assert plain(text).isprintable()
    assert plain(text) != text


def test_long_lines_are_not_broken(local):
    local("remember", "word " * 100)

    assert "word " * 100 in local("recall", "word").out


COMMANDS = (
    "remember", "relate", "recall", "update", "forget", "consolidate", "trace", "log", "doctor",
    "stats", "serve", "keys", "import", "rebuild", "verify", "demo",
)  # fmt: skip


def test_help_names_every_command_and_costs_less_than_a_second():
    def seconds():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = seconds()
    done = subprocess.run(
        [sys.executable, "-m", "ops.cli", "--help"],
        check=True, capture_output=True, text=True, env=environment(),
    )  # fmt: skip

    # The processor's time: the machine may have other things to do.
    assert seconds() - before < 1
    for name in COMMANDS:
        assert re.search(rf"^│ {name} ", done.stdout, re.MULTILINE), name


def test_help_loads_nothing_that_only_a_command_needs():
    heavy = (
        "uvicorn", "fastapi", "sqlalchemy", "eventsourcing", "cryptography", "numpy", "whoosh",
        "rich.progress", "domain.contract", "ops.wiring",
    )  # fmt: skip
    program = f"import sys, ops.cli; print([name for name in {heavy} if name in sys.modules])"

    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )

    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", [*COMMANDS[:5], *COMMANDS[6:10]])
def test_every_command_can_speak_to_machines(name):
    assert "--json" in run(name, "--help").out


def test_shells_can_complete():
    done = run("--help")

    assert "--install-completion" in done.out
    assert "--show-completion" in done.out
