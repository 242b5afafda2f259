"""A shell into which blocks of a page are pasted, one after the other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.cli.processes import environment

BIN = Path(sys.executable).parent
_END = "--- done ---"
_ENDED = "--- the server ended ---"


class Shell:
    """A bash that is given blocks, in an empty folder."""

    def __init__(self, folder, preamble="", **settings):
        path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
        self.process = subprocess.Popen(
            ["bash"],
            cwd=folder,
            env=environment(**settings) | {"PATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.paste(f"trap 'echo failed: $BASH_COMMAND' ERR; set -o pipefail\n{preamble}", "ready")

    def paste(self, block, until="is ready on"):
        """What it prints; a block that starts a server ends when that is ready, not later."""
        if block.endswith("&\n"):
            *before, server = block.removesuffix("&\n").splitlines(keepends=True)
            block = "".join([*before, f"{{ {server} || echo '{_ENDED}'; }} &\n"])
        else:
            until = _END
            block += f"echo '{until}'\n"
        self.process.stdin.write(block)
        self.process.stdin.flush()
        said = []
        for line in self.process.stdout:
            if until in line:
                break
            said.append(line)
            assert _ENDED not in line, "".join(said)
        return "".join(said)

    def close(self):
        """End the shell and what was started in it, and wait until all of it has ended."""
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.communicate(timeout=60)
