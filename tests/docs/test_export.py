"""The commands of docs/how-to/export.md, pasted into a shell one block after the other."""

from __future__ import annotations

import contextlib

import pytest

from tests.docs.pages import ROOT, commands
from tests.docs.shell import Shell

pytestmark = pytest.mark.timeout(120)
PAGE = ROOT / "docs" / "how-to" / "export.md"


def test_they_work_when_pasted(tmp_path):
    with contextlib.closing(Shell(tmp_path)) as shell:
        exported, verified, imported = [shell.paste(block) for block in commands(PAGE)]

    assert exported.count("1 events are in") == 2
    assert verified.count("1 events verified, 0 wrong") == 2
    assert "1 events: 1 imported, 0 known before" in imported
    assert "The mast is 12 m high." in imported
    assert "1 events: 0 imported, 1 known before" in imported
