"""The commands of docs/how-to/windows.md, pasted into a shell one block after the other."""

from __future__ import annotations

import contextlib
import json

import pytest

from tests.docs.pages import ROOT, commands
from tests.docs.shell import Shell
from tests.services.ports import free_port

pytestmark = pytest.mark.timeout(300)
PAGE = ROOT / "docs" / "how-to" / "windows.md"


def test_they_work_when_pasted(tmp_path):
    port = str(free_port())
    blocks = [block.replace("8420", port) for block in commands(PAGE)]

    with contextlib.closing(Shell(tmp_path, port=port)) as shell:
        started, sent = (shell.paste(block) for block in blocks)

    assert "failed:" not in started + sent
    answer = json.loads(sent[sent.index("{") :])
    assert answer["result"] == "knowledge_patched"
    assert answer["proposals"][0]["outcome"] == "applied"
