"""Which claims would be decided otherwise now, told without deciding anything."""

from __future__ import annotations

import ast
from pathlib import Path

from domain.claims.statement import STATUS_NAMES
from read_api.reassessing import LOOKED_AT_MAX
from tests.claims.stories import ONE, TWO, refused

ROOT = Path(__file__).resolve().parents[2]


def test_a_claim_is_named_once_its_evidence_would_lead_elsewhere(story):
    claims = [story.claim("PostgreSQL", subject=f"store {number}") for number in range(3)]
    for claim in claims:
        story.source("inventory", claim)
        assert story.recommended(claim, ONE) == ("validated", [])
    story.assess(claims[0])
    assert story.reassessed(ONE)["items"] == []

    story.source("another inventory", claims[1], kind="contradicts")
    before = story.store.log.head()
    found = story.reassessed(ONE)

    [item] = found["items"]
    assert (item["claim"], item["was"], item["now"]) == ([claims[1], 1], "validated", "contested")
    assert [one["blocker"] for one in item["blockers"]] == ["contradiction"]
    assert found["next_since"] is None
    assert story.store.log.head() == before
    assert story.reassessed(TWO)["items"] == []


def test_only_the_latest_assessment_of_a_claim_counts(told):
    claim = told.claim("PostgreSQL")
    told.source("inventory", claim)
    told.assess(claim, ONE)
    told.source("another", claim, kind="contradicts")
    told.assess(claim, ONE)

    assert told.reassessed(ONE)["items"] == []


def test_only_what_was_assessed_since_a_position_is_looked_at(told):
    claim = told.claim("PostgreSQL")
    told.source("inventory", claim)
    told.assess(claim, ONE)
    since = told.store.log.head()
    told.source("another", claim, kind="contradicts")

    assert told.reassessed(ONE, since)["items"] == []
    assert len(told.reassessed(ONE, since - 3)["items"]) == 1


def test_a_policy_that_is_not_known_reassesses_nothing(told):
    assert refused(told.reassessed, "nobody/v1") == ("NOT_FOUND", "policy", "UNKNOWN_POLICY")


def _functions(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.FunctionDef):
                    yield path.relative_to(ROOT).as_posix(), node


def _writes_a_status(node):
    """Whether a node puts a member with the name of a status into something."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return any(
            (isinstance(part, ast.Name) and part.id == "STATUS_NAMES")
            or (isinstance(part, ast.Constant) and part.value in STATUS_NAMES)
            for part in ast.walk(node.slice)
        )
    return False


def test_no_path_but_an_update_writes_a_status():
    """One function puts a status into a content, and one plan hands that to an update."""
    writing = {
        (path, function.name)
        for path, function in _functions("domain", "commands", "read_api", "workers", "projections")
        if any(_writes_a_status(node) for node in ast.walk(function))
    }
    calling = {
        (path, function)
        for path, function in _functions("domain", "commands", "read_api", "workers", "ops")
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "decided_content"
    }

    assert writing == {("domain/validation/assessing.py", "decided_content")}
    [(path, plan)] = calling
    assert path == "commands/assessing.py"
    [returned] = [node for node in ast.walk(plan) if isinstance(node, ast.Starred)][-1:]
    assert ast.unparse(returned) == "*memory_decisions.update(d, state, patch, read)"


def test_a_page_leaves_what_was_assessed_again_to_the_page_of_that(told):
    claim, other = told.claim("PostgreSQL"), told.claim("Redis", subject="cache")
    told.source("inventory", claim)
    told.assess(claim, ONE)
    for _ in range(LOOKED_AT_MAX):
        told.assess(other, ONE)
    told.source("another", claim, kind="contradicts")
    told.assess(claim, ONE)

    first = told.reassessed(ONE)
    rest = told.reassessed(ONE, since=first["next_since"])

    assert (first["items"], rest["items"], rest["next_since"]) == ([], [], None)
