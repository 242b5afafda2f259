"""The commands of docs/how-to/command-line.md, pasted into a shell one block after the other."""

from __future__ import annotations

import contextlib
import re
import shutil

import pytest

from tests.docs.pages import ROOT, commands
from tests.docs.shell import Shell
from tests.services.ports import free_port

pytestmark = pytest.mark.timeout(300)
PAGE = ROOT / "docs" / "how-to" / "command-line.md"


def test_they_work_when_pasted(tmp_path):
    shutil.copy(ROOT / "tests" / "policy" / "scenarios.json", tmp_path)
    port = str(free_port())
    blocks = [block.replace("8420", port) for block in commands(PAGE)]

    with contextlib.closing(Shell(tmp_path, port=port)) as shell:
        said = [shell.paste(block) for block in blocks]

    remembered, traced, missed, looked, checked, evaluated, *others = said
    rotated, started, asked, operated = others
    assert "failed:" not in "\n".join(said)
    assert re.search(r"1\. .*\n   Ana edits with vim\.", remembered)
    assert re.search(r"v2  memory\.updated  correction .* changed valid_until", traced)
    assert "mem_" in missed
    assert "WRONG" not in looked
    assert "memories" in looked
    assert " 0 wrong" in checked
    assert "the read models stand at position" in checked
    assert evaluated.count("0 failed") == 2
    assert "identical: report.json" in evaluated
    assert "are under the new master key" in rotated
    assert "shown this once" in started
    assert re.search(r"1\. .*\n   Ana edits with vim\.", asked)
    assert asked.count("ok ") == 4
    assert "1 lines: 1 accepted" in operated
    assert "3 memories" in operated
    assert "operator" in operated
    assert " 0 wrong" in operated
    assert "the read models stand at position" in operated
    assert "WRONG" not in operated
