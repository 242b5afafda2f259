"""The executable cases of the v1 contract, against servers as anybody starts them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.processes import HOST_KEY, serving
from tests.server_mode.conftest import MASTER_KEY, working

CASES = Path(__file__).with_name("contract_v1.py")


def verdict(server) -> str:
    """The last line of a run against a server."""
    done = subprocess.run(
        [sys.executable, CASES, "--url", f"http://{server.host}:{server.port}",
         "--host-key", HOST_KEY],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )  # fmt: skip
    return done.stdout.splitlines()[-1] if done.returncode == 0 else done.stdout


def test_every_case_passes_in_the_embedded_mode(tmp_path):
    with serving(tmp_path / "data", host_key=HOST_KEY) as server:
        assert verdict(server) == "96 passed, 0 failed"


@pytest.mark.timeout(300)
def test_every_case_passes_on_postgresql_with_workers(tmp_path, postgres_url, redis_url):
    settings = {
        "database_url": postgres_url,
        "redis_url": redis_url,
        "master_key": MASTER_KEY,
        "host_key": HOST_KEY,
    }
    with working(settings), serving(tmp_path / "data", **settings) as server:
        assert verdict(server) == "96 passed, 0 failed"
