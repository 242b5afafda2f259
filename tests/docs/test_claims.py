"""The commands of docs/how-to/claims.md, and that its tables are those of the program."""

from __future__ import annotations

import contextlib
import json
import re

import pytest

from domain.claims.gap_names import GAPS
from domain.validation.blockers import BLOCKERS
from domain.validation.definition import Definition
from domain.validation.shipped import SHIPPED
from tests.docs.pages import ROOT, commands
from tests.docs.shell import Shell

pytestmark = pytest.mark.timeout(120)
PAGE = ROOT / "docs" / "how-to" / "claims.md"


def first_cells(heading):
    """What the first column of the table below a heading names, in code."""
    _, _, rest = PAGE.read_text("utf-8").partition(f"{heading}\n")
    rows = re.search(r"\| ---.*\n((?:\|.*\n)+)", rest)[1]
    return [
        name for row in rows.splitlines() for name in re.findall(r"`([^`]+)`", row.split("|")[1])
    ]


def test_they_work_when_pasted(tmp_path):
    with contextlib.closing(Shell(tmp_path)) as shell:
        claimed, judged, approved, derived, changed, said = [
            shell.paste(block) for block in commands(PAGE)
        ]

    assert "failed:" not in claimed + judged + approved + derived + changed + said
    assert "next  memoranda assess mem_" in claimed
    assert "insufficient independent support  found 1, needed 2" in judged
    assert "nothing is recorded  without mem_" in judged
    assert "  identical\n" in judged
    assert re.search("validated .* under reviewer-approval/v1\n", approved)
    assert "version 1" in derived
    assert "missing  source forgotten" in changed
    assert re.search("validated → candidate", changed)
    assert said.count("trusted_only  true") == 3
    assert "4 policies" in said
    assert "retired: One of the labs is closed." in said


def test_the_page_names_every_gap_in_its_order():
    assert tuple(first_cells("### Gaps")) == GAPS


def test_the_page_names_every_policy_rule_and_blocker():
    assert set(first_cells("## Validation policies")) == set(SHIPPED)
    assert set(first_cells("### Rules")) == set(Definition.model_fields)
    assert tuple(first_cells("### Blockers")) == BLOCKERS


def test_the_page_names_the_combinations_that_are_the_default():
    text = PAGE.read_text("utf-8")
    defaults = [json.loads(one) for one in re.findall(r"`(\[\[.*?\]\])`", text)]

    assert [
        sorted(map(sorted, Definition.model_fields[name].default))
        for name in ("rejected_on", "contested_on")
    ] == [sorted(map(sorted, one)) for one in defaults]
