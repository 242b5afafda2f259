"""The commands of docs/how-to/consolidation.md, pasted into a shell one block after the other."""

from __future__ import annotations

import contextlib

import pytest

from tests.docs.pages import ROOT, commands
from tests.docs.shell import Shell

pytestmark = pytest.mark.timeout(120)
PAGE = ROOT / "docs" / "how-to" / "consolidation.md"


def test_they_work_when_pasted(tmp_path):
    with contextlib.closing(Shell(tmp_path)) as shell:
        suggested, applied, replayed, reverted = [shell.paste(block) for block in commands(PAGE)]

    assert "failed:" not in suggested + applied + replayed + reverted
    assert "mast  2 memories say the same" in suggested
    assert "nothing is proposed yet" in suggested
    assert "open" in applied
    assert "superseded: mem_" in applied
    assert "identical" in replayed
    assert "version 2" in reverted
    assert "version 3" in reverted
