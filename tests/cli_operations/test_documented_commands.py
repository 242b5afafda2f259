"""The commands of docs/how-to/command-line.md, pasted into a shell one block after the other."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.processes import environment

pytestmark = pytest.mark.timeout(300)
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "command-line.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Shell:
    """A bash that is given blocks, in an empty folder."""

    def __init__(self, folder, **settings):
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.process = subprocess.Popen(
            ["bash"],
            cwd=folder,
            env=environment(**settings) | {"PATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.paste("trap 'echo failed: $BASH_COMMAND' ERR; set -o pipefail\n", "ready")

    def paste(self, block, until="is ready on"):
        """What it prints; a block that starts a server ends when that is ready, not later."""
        if not block.endswith("&\n"):
            until = "--- done ---"
            block += f"echo '{until}'\n"
        self.process.stdin.write(block)
        self.process.stdin.flush()
        said = []
        for line in self.process.stdout:
            if until in line:
                break
            said.append(line)
        return "".join(said)

    def close(self):
        self.process.communicate("kill %1; wait\n", timeout=60)


def test_they_work_when_pasted(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    blocks = [block.replace("8420", port) for block in BLOCK.findall(PAGE.read_text("utf-8"))]

    with contextlib.closing(Shell(tmp_path, port=port)) as shell:
        said = [shell.paste(block) for block in blocks]

    remembered, traced, looked, started, asked = said
    assert "failed:" not in "\n".join(said)
    assert re.search(r"1\. .*\n   Ana edits with vim\.", remembered)
    assert re.search(r"v2  memory\.updated  correction .* changed valid_until", traced)
    assert "WRONG" not in looked
    assert "memories" in looked
    assert "shown this once" in started
    assert re.search(r"1\. .*\n   Ana edits with vim\.", asked)
    assert asked.count("ok ") == 4
