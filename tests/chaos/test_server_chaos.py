"""A short run of `make chaos`, and that it sees what it is there to see."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chaos.server_mode import Result
from tests.chaos.strength import IN_A_MINUTE, lacking

ROOT = Path(__file__).resolve().parents[2]
ENOUGH = {"api": 8, "worker": 8, "horse": 24, "flush": 3, "cut": 5, "restart": 1, "commands": 3000}
SEEN = {
    "skip_recheck": "doubled: ",
    "double_apply": "doubled: ",
    "lose_receipt": "lost: ",
}


def chaos(*arguments: str, broken: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.chaos.server_mode", *arguments],
        cwd=ROOT,
        env={**os.environ, "CHAOS_BREAK": broken},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.timeout(400)
def test_nothing_is_lost_doubled_or_out_of_order_whatever_dies() -> None:
    run = chaos("--seconds", "15", "--longest", "180", "--seed", "3")

    assert run.returncode == 0, run.stdout + run.stderr
    figures = run.stdout.splitlines()[-1]
    assert "lost 0, " in figures
    assert "doubled 0, out_of_order 0, " in figures


@pytest.mark.timeout(300)
@pytest.mark.parametrize("broken", SEEN)
def test_a_product_that_is_broken_on_purpose_is_seen(broken: str) -> None:
    run = chaos("--seconds", "5", "--longest", "20", "--seed", "4", broken=broken)

    assert run.returncode == 1, run.stdout + run.stderr
    assert SEEN[broken] in run.stdout


@pytest.mark.parametrize("name", IN_A_MINUTE)
def test_a_run_that_did_too_little_says_so(name: str) -> None:
    sorts = ("api", "worker", "horse") if name == "kills" else (name,)
    little = {**ENOUGH, **dict.fromkeys(sorts, 0)}

    result = Result(lacking=lacking(little, 60))

    assert result.status() == 2
    said = next(result.lines())
    assert said.startswith("too weak: ")
    assert f"0 of {IN_A_MINUTE[name]} {name}" in said


def test_what_a_minute_must_reach_a_shorter_run_reaches_in_part() -> None:
    quarter = {"api": 2, "worker": 2, "horse": 6, "flush": 1, "cut": 1, "restart": 1}

    assert lacking(ENOUGH, 60) == []
    assert lacking({**quarter, "commands": 750}, 15) == []
    assert lacking({**quarter, "commands": 749}, 15) == ["749 of 750 commands"]


def test_what_is_wrong_is_wrong_however_little_was_done() -> None:
    assert Result(lacking=["1 of 2 api"], wrong=["lost: something"]).status() == 1
    assert Result().status() == 0
