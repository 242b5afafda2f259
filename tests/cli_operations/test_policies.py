"""`memoranda policy`, as people read it."""

from __future__ import annotations

import json

from domain.validation.shipped import SHIPPED


def written(folder, name, definition):
    file = folder / "policy.json"
    file.write_text(json.dumps({"name": name, "definition": definition}), "utf-8")
    return str(file)


def test_policies_are_told_in_lines(local, tmp_path):
    rules = {"independent_supports": 2, "sources": {"quarantine": ["rumour"]}}

    defined = local("policy", "define", written(tmp_path, "two-labs/v1", rules))
    retired = local("policy", "retire", "two-labs/v1", "--reason", "closed")
    listed = local("policy", "list").out.splitlines()

    head, *said, digest = defined.out.splitlines()
    assert head.startswith("two-labs/v1  by ")
    assert said == ["   independent_supports  2", '   sources  {"quarantine": ["rumour"]}']
    assert digest.startswith("   digest ")
    assert retired.out.splitlines()[0].endswith("retired: closed")
    assert [line.split()[0] for line in listed[:-1]] == sorted([*SHIPPED, "two-labs/v1"])
    assert listed[-1] == "4 policies"


def test_a_file_that_is_no_policy_opens_no_store(local, tmp_path):
    missing = local("policy", "define", str(tmp_path / "missing.json"))

    assert missing.code == 2
    assert "FILE cannot be read" in missing.err
