"""Claims on the command line, as people read them."""

from __future__ import annotations

import re

import pytest

from domain.claims.gap_names import GAPS
from ops.cli_views_claims import NEXT_STEPS
from tests.cli_operations.running import Local

ONE, TWO = "single-trusted-source/v1", "two-independent-current-sources/v1"


@pytest.fixture
def people(data):
    """A claim of Ann's that Sam's inventory supports: its id, that of the inventory, and Kim."""
    ann, sam = Local(data, actor="ann"), Local(data, actor="sam")
    claim = made(ann, "remember", "The store is PostgreSQL.", "--kind", "claim", "--slot", "store",
                 "--property", "subject=store", "--property", "object=PostgreSQL")  # fmt: skip
    source = made(sam, "remember", "The inventory.", "--source", "inventory#3")
    sam("relate", source, claim, "--kind", "supports")
    return claim, source, Local(data, actor="kim")


def made(door, *said):
    return door(*said, "--json").result["receipt"]["committed_id"]


def test_a_claim_is_told_with_what_is_for_and_against_it_what_is_missing_and_the_next_step(people):
    claim, source, kim = people

    told = kim("claim", claim).out.splitlines()

    assert told[:2] == [f"{claim}@1  claim", "   The store is PostgreSQL."]
    assert any(re.match(r"status  no status  by ann  2\S+$", one) for one in told)
    at = told.index("for")
    assert told[at + 1 : at + 3] == [
        f"   {source}@1  inventory  weight 1.00  origin 1",
        "against  nothing",
    ]
    assert told[-3] == "   missing  no assessment"
    assert told[-2] == f"next  memoranda assess {claim} --policy POLICY"
    assert "no_assessment" in kim("claims", "--json").out


def test_an_assessment_is_told_with_all_that_blocks_the_claim(people):
    claim, source, kim = people

    short = kim("assess", claim, "--policy", TWO).out
    without = kim("assess", claim, "--policy", ONE, "--exclude", source).out

    assert re.search(rf"\n   candidate  {claim}@1  under {TWO}\n", short)
    assert "\n      insufficient independent support  found 1, needed 2\n" in short
    assert re.search(r"\n   idempotency key cli-\S+\n$", short)
    assert "\n      no support  needed 1, found 0\n" in without
    assert without.endswith(f"   nothing is recorded  without {source}\n")


def test_a_status_that_was_applied_is_told_with_who_gave_it_under_what(people):
    claim, source, kim = people

    applied = kim("assess", claim, "--policy", ONE, "--apply").out
    decision = applied.split()[0]
    audit = kim("claim", claim, "--audit").out
    listed = kim("claims").out

    assert f"\n   {claim}@2  says so now\n" in applied
    assert re.search(rf"status  validated  by kim  \S+  under {ONE}  {decision}\n", audit)
    assert re.search(
        rf"\n   v1  no status  by ann .*\n   v2  validated  by kim .*{decision}\n", audit
    )
    assert f"\n{decision}  by kim  " in audit
    assert listed.startswith(f"{claim}@2  validated\n")
    assert "1 for, 0 against" in listed
    read = kim("assessment", decision).out.splitlines()[-1]
    assert re.match(rf"   read  {source}@1, rel_\w+@1$", read)
    assert kim("assessment", decision, "--replay").out == f"{decision}  identical\n"


def test_what_a_reviewer_says_is_told_and_who_wrote_the_claim_is_none(people, data):
    claim, _, kim = people

    approved = kim("approve", claim, "--policy", TWO).out
    refused = Local(data, actor="ann")("approve", claim, "--policy", TWO)
    rejected = kim("approve", claim, "--policy", TWO, "--reject").out

    assert re.match(r"dec_\w+  version 1  position \d+  approved\n", approved)
    assert (refused.code, "[OWN_CLAIM]" in refused.err) == (1, True)
    assert re.match(r"dec_\w+  version 1  position \d+  rejected\n", rejected)
    assert re.search(
        rf"\ndec_\w+  rejected  under {TWO}  by kim", kim("claim", claim, "--audit").out
    )


def test_what_would_now_come_out_otherwise_is_told_and_changed_nowhere(people):
    claim, source, kim = people
    kim("assess", claim, "--policy", ONE)
    nothing = kim("reassess", "--policy", ONE).out
    kim("forget", source, "--mode", "tombstone", "--reason", "wrong")

    told = kim("reassess", "--policy", ONE).out

    assert nothing.startswith("0 claims would come out otherwise")
    assert told.startswith(
        f"{claim}@1  validated → candidate\n      no support  needed 1, found 0\n"
    )
    found = kim("claim", claim, "--evidence").out
    assert re.search(rf"\nforgotten  {source}@2  on which it rests\n", found)
    assert "missing  source forgotten, never corroborated" in kim("claim", claim).out


def test_a_rival_and_a_withdrawn_contradiction_are_told_as_such(people, data):
    claim, _, kim = people
    bob = Local(data, actor="bob")
    rival = made(bob, "remember", "It is MySQL.", "--kind", "claim", "--slot", "store",
                 "--property", "object=MySQL")  # fmt: skip
    edge = made(bob, "relate", rival, claim, "--kind", "contradicts")
    bob("update", edge, "--lifecycle", "superseded")

    short, long = kim("claim", claim).out, kim("claim", claim, "--evidence").out

    assert f"against\n   {rival}@1  says something else of the same slot\n" in short
    assert re.search(rf"against\n   {rival}@1  weight 1.00  was withdrawn\n", long)
    assert f"\nrival  {rival}@1  weight 1.00\n" in long


def test_a_fact_is_made_and_told_like_what_is_remembered(people):
    claim, _, kim = people

    derived = kim("derive", f"{claim}@1", "--text", "PostgreSQL it is.", "--policy", TWO)
    fact = derived.out.split()[0]

    assert re.match(r"mem_\w+  version 1  position \d+\n   idempotency key cli-", derived.out)
    assert kim("claim", fact).out.startswith(f"{fact}@1  fact\n   PostgreSQL it is.\n")


def test_every_gap_has_a_next_step():
    assert set(NEXT_STEPS) == set(GAPS)
