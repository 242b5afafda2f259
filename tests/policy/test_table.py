"""`make scenarios`, and what it compares with."""

from __future__ import annotations

from typing import Any

import pytest

from tests.policy import table
from tests.policy.baselines import append_only, append_only_ranked
from tests.policy.cases import CASES, REFUSALS, differences
from tests.policy.doors import DOORS, Door
from tests.policy.over_http import BY_IMPORT


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_baseline_is_the_one_that_the_cases_describe(case: dict[str, Any]) -> None:
    expected = case["baseline"]
    assert append_only(case) == expected["selected"]
    assert table.first_right(case, append_only(case)) is expected["matches_expected_top1"]


def test_a_better_ranker_alone_finds_little_that_a_policy_does() -> None:
    finds = [one["id"] for one in CASES if table.first_right(one, append_only_ranked(one))]
    assert len(finds) < len(CASES) * 3 / 4


def test_every_case_has_a_line_and_a_door_its_count(capsys: pytest.CaptureFixture[str]) -> None:
    assert table._table(DOORS) == 0
    head, *lines, last, _ = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [one["id"] for one in [*CASES, *REFUSALS]]
    assert all(door.name in head for door in DOORS)
    assert last.count(f"{len(CASES) + len(REFUSALS)} of 81") == len(DOORS)


@pytest.mark.timeout(300)
def test_every_door_is_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # A few cases: tests/policy/test_over_http.py asks every one of them through the same doors.
    few = [next(one for one in CASES if one["id"] in BY_IMPORT), *CASES[:3]]
    monkeypatch.setattr(table, "CASES", few)
    monkeypatch.setattr(table, "REFUSALS", REFUSALS[:2])

    assert table.main() == 0

    head, *lines, last, by_a_file = capsys.readouterr().out.splitlines()
    assert len(lines) == len(few) + 2
    named = ("resolver", "HTTP, SQLite", "HTTP, PostgreSQL", "export, imported")
    assert all(name in head for name in named)
    assert lines[0].count(table.BY_FILE) == 3
    assert last.count("6 of 6") == 4
    assert by_a_file.split()[3:] == ["0", "1", "1", "1"]


def test_a_door_that_answers_otherwise_fails(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = {"selected": [], "items": [], "excluded": [], "conflicts": []}
    broken = Door("broken", lambda _: nothing, lambda _: "NO_REASON")
    assert table._table((DOORS[0], broken)) == 1
    out = capsys.readouterr().out
    assert "NO_REASON" in out
    assert "selected" in out


def test_an_answer_that_tells_what_it_must_not_differs() -> None:
    case = next(one for one in CASES if one["must_not_contain"])
    answer = DOORS[0].answer(case)
    told = {**answer, "note": [{"text": f"x{case['must_not_contain'][0]}"}]}
    assert differences(case, answer) == []
    assert differences(case, told) == ["must_not_contain.0"]
