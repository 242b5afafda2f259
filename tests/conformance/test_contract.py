"""The executable cases of the v1 contract, against a server as anybody starts it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

CASES = Path(__file__).with_name("contract_v1.py")
HOST_KEY = "conformance-host-key-0123456789abcdef"


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """`memoranda serve` in a process of its own, on a free port, over an empty data folder."""
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith("MEMORANDA_")},
        "MEMORANDA_HOST_KEY": HOST_KEY,
    }
    command = [sys.executable, "-c", "from ops.cli import main; main()", "serve"]
    server = subprocess.Popen(
        [*command, "--data", str(tmp_path / "data"), "--port", "0"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    with server:
        assert server.stdout is not None
        ready = server.stdout.readline()
        found = re.search(r"http://\S+", ready)
        assert found is not None, ready
        yield found[0]
        server.terminate()
        assert server.wait(timeout=30) == 0


def test_every_case_of_the_contract_passes(url: str) -> None:
    done = subprocess.run(
        [sys.executable, str(CASES), "--url", url, "--host-key", HOST_KEY],
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    assert done.stdout.splitlines()[-1] == "96 passed, 0 failed", done.stdout
    assert done.returncode == 0
