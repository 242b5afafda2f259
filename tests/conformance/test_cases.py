"""The executable cases of contract and bundle, against servers as anybody starts them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.processes import HOST_KEY, serving
from tests.server_mode.conftest import MASTER_KEY, working

CASES = {
    "contract_v1.py": "96 passed, 0 failed",
    "bundle_v1.py": "89 passed, 0 failed",
}
each_set = pytest.mark.parametrize("cases", CASES)


def verdict(server, cases: str) -> str:
    """The last line of a run against a server."""
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name(cases), "--url", f"http://{server.host}:{server.port}",
         "--host-key", HOST_KEY],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )  # fmt: skip
    return done.stdout.splitlines()[-1] if done.returncode == 0 else done.stdout


@each_set
@pytest.mark.timeout(300)
def test_every_case_passes_in_the_embedded_mode(tmp_path, cases):
    with serving(tmp_path / "data", host_key=HOST_KEY) as server:
        assert verdict(server, cases) == CASES[cases]


@each_set
@pytest.mark.timeout(300)
def test_every_case_passes_on_postgresql_with_workers(tmp_path, postgres_url, redis_url, cases):
    settings = {
        "database_url": postgres_url,
        "redis_url": redis_url,
        "master_key": MASTER_KEY,
        "host_key": HOST_KEY,
    }
    with working(settings), serving(tmp_path / "data", **settings) as server:
        assert verdict(server, cases) == CASES[cases]
