"""The commands of docs/how-to/capture.md, pasted into a shell one block after the other."""

from __future__ import annotations

import contextlib
import shutil

import pytest

from tests.capture.logs import CLAUDE, CODEX
from tests.docs.pages import ROOT, commands
from tests.docs.shell import Shell
from tests.services.ports import free_port

pytestmark = pytest.mark.timeout(300)
PAGE = ROOT / "docs" / "how-to" / "capture.md"


def test_they_work_when_pasted(tmp_path):
    shutil.copy(CODEX, tmp_path / "rollout-2026-11-24.jsonl")
    shutil.copy(CLAUDE, tmp_path / "session.jsonl")
    port = str(free_port())
    blocks = [block.replace("8420", port) for block in commands(PAGE)]

    with contextlib.closing(Shell(tmp_path, f"export HOME={tmp_path}\n", port=port)) as shell:
        started, captured = (shell.paste(block) for block in blocks)

    assert "failed:" not in started + captured
    assert captured.splitlines() == [
        "lines 5–35: 18 events, no_output",
        "lines 6–30: 22 events, no_output",
        "from line 31 on it waits for the agent's answer; --finished sends it",
        "nothing new",
    ]
