"""Replays by a copy of the program in which one constant is another one, over a copy of a store."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ops.wiring import open_memoranda
from tests.circumstances import context
from tests.inputs import envelope

pytestmark = pytest.mark.timeout(300)
ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("domain", "commands", "projections", "workers", "read_api", "ops")
NEWEST = "newest-recorded/v1"


@pytest.fixture(scope="module")
def recalled(tmp_path_factory):
    """A store, and a recall of one winner of a slot."""
    data = tmp_path_factory.mktemp("store") / "data"
    memoranda = open_memoranda(data)
    for number in range(2):
        said = {"slot": "den", "object": number, "note": "otters"}
        content = {"format": "properties", "value": said}
        key = {"idempotency_key": f"k{number}"}
        memoranda.execute(context(), envelope("remember", envelope_changes=key, content=content))
    asked = envelope("recall", objective="otters", policy=NEWEST)
    recall = memoranda.execute(context(), asked)["result"]["result"]
    memoranda.close()
    assert len(recall["items"]) == 1
    return data, recall["recall_id"]


def replayed(folder, recalled, file=None, was="", now=""):
    """What the changed copy of the program says."""
    data, recall = recalled
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copytree(data, folder / "data")
    if file is not None:
        source = (folder / file).read_text("utf-8")
        assert source.count(was) == 1
        (folder / file).write_text(source.replace(was, now), "utf-8")
    who = context()
    command = ("replay", recall, "--data", "data", "--workspace", who.workspace, "--json")
    done = subprocess.run(
        [sys.executable, "-m", "ops.cli", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    return said["verdict"], said["first_difference"] and said["first_difference"]["path"]


@pytest.mark.parametrize(
    ("file", "was", "now", "path"),
    [
        (None, "", "", None),
        ("projections/lexical/parameters.py", "K1: Final = 0.9", "K1: Final = 1.2", "analyzer"),
        (
            "domain/resolver/policies.py",
            "return self.root_recorded_us, self.from_us,",
            "return -self.root_recorded_us, self.from_us,",
            "meaning",
        ),
    ],
    ids=["the same", "the analyzer", "the policy"],
)
def test_a_program_with_another_constant_is_told_by_the_first_difference(
    recalled, tmp_path, file, was, now, path
):
    found = replayed(tmp_path, recalled, file, was, now)

    assert found == (("identical", None) if path is None else ("differs", f"basis.{path}"))
