"""The commands of docs/how-to/evidence.md, and that its tables are those of the program."""

from __future__ import annotations

import contextlib
from typing import get_args

import pytest

from read_api.claim_questions import EVIDENCE_MAX, EvidenceQuestion
from read_api.evidence_graph import DEPTH_MAX, EDGES_MAX, NODES_MAX, GraphQuestion
from read_api.evidence_pages import AROUND
from read_api.evidence_walk import RAISE
from read_api.inbox_parts import What
from tests.docs.pages import ROOT, commands
from tests.docs.shell import Shell

pytestmark = pytest.mark.timeout(120)
PAGE = ROOT / "docs" / "how-to" / "evidence.md"


def test_they_work_when_pasted(tmp_path):
    with contextlib.closing(Shell(tmp_path)) as shell:
        around, told, waiting = [shell.paste(block) for block in commands(PAGE)]

    assert "failed:" not in around + told + waiting
    assert "for\n" in told
    assert '"next_cursor": null' in told
    assert around.count("3 memories, 2 relationships") == 2
    assert "source  supports mem_" in around
    assert "flowchart LR" in around
    assert "memoranda approve mem_" in waiting
    assert "memoranda assess mem_" in waiting


def test_the_page_tells_all_limits_and_all_that_waits():
    text = PAGE.read_text("utf-8")
    fields = GraphQuestion.model_fields

    for name, most in (("depth", DEPTH_MAX), ("limit", NODES_MAX), ("edges", EDGES_MAX)):
        told = f"{most:,}".replace(",", " ")
        [row] = [line for line in text.splitlines() if line.startswith(f"| `{name}`")]
        assert f"| {fields[name].default} | {told} |" in row
    assert all(f"`{why}`" in text for why in RAISE)
    limits = [f"{one:,}".replace(",", " ") for one in (AROUND.depth, AROUND.nodes, AROUND.edges)]
    assert "{} steps, {} memories, {} relationships of one |".format(*limits) in text
    asked = EvidenceQuestion.model_fields["limit"].default
    assert f"A page tells {asked}\nrelationships" in text
    assert f"up to {EVIDENCE_MAX:,};".replace(",", " ") in text
    assert all(f"| `{what}` |" in text for what in get_args(What))
