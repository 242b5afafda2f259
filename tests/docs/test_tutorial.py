"""The commands of docs/tutorial.md, pasted into a shell one block after the other."""

from __future__ import annotations

import contextlib
import itertools
import json

import pytest

from tests.docs.pages import ROOT, commands
from tests.docs.shell import Shell
from tests.services.ports import free_port

pytestmark = pytest.mark.timeout(300)
PAGE = ROOT / "docs" / "tutorial.md"


def test_they_work_when_pasted(tmp_path):
    port = str(free_port())
    blocks = [block.replace("8420", port) for block in commands(PAGE)]

    with contextlib.closing(Shell(tmp_path, port=port)) as shell:
        said = [shell.paste(block) for block in blocks]

    assert "failed:" not in "\n".join(said)
    _, _, claimed, _, validated, challenged, contested, ended, approved, *others = map(
        outcome, said
    )
    recalled, consolidated, traced = others
    newer, unresolved = "evidence_newer_than_assessment", "unresolved_contradiction"
    assert claimed == ["candidate", '["no_source", "never_corroborated", "no_assessment"]']
    one_origin = ["candidate", "insufficient_independent_support"]
    assert validated == [*one_origin, "validated", "validated", "[]"]
    assert challenged == ["validated", f'["{newer}", "{unresolved}"]']
    assert contested == ["contested", "contradiction", "rival_claim"]
    assert ended[-2:] == ["contested", "contradiction_withdrawn"]
    assert approved == ["approved", "rae", "validated"]
    assert recalled == ["Orders runs on MySQL 8.", "Orders runs on PostgreSQL 17."]
    assert consolidated[-2:] == ["true", "Orders runs on PostgreSQL 17."]
    told = dict(itertools.pairwise(traced))
    assert told["Why was it selected?"] == '["objective_lexical_match"]'
    assert len(json.loads(told["Which sources, at which versions, supported it?"])) == 8
    assert told["Who changed it, under which policy?"] == "ann"
    assert told["ann"] == "two-independent-current-sources/v1"
    assert told["Was the answer complete?"] == "complete"
    assert traced[-3:] == ["contradicts", "active", "superseded"]


def outcome(said):
    """The lines that a block has printed."""
    return said.splitlines()
