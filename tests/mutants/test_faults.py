"""The list of faults fits the tree, and the runner's verdicts are what happened."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.mutants.fault import Fault
from tests.mutants.faults import AREAS, FAULTS
from tests.mutants.run import Tree, Verdict, failing_without, judge, main

ROOT = Path(__file__).resolve().parents[2]
LEAST = {
    "decide": 10,
    "evolve": 8,
    "engine": 10,
    "catch-up": 6,
    "recall": 8,
    "trace": 4,
    "sealing": 4,
    "postgres": 10,
    "operating": 9,
    "waking": 12,
    "generations": 8,
    "restoring": 12,
    "resolver": 30,
    "reading": 16,
    "consolidating": 12,
    "tangling": 14,
    "index": 12,
    "exports": 16,
    "judging": 20,
    "claims": 15,
    "looking": 10,
    "matching": 20,
    "capturing": 20,
    "windows": 14,
    "redacting": 20,
    "bundling": 15,
    "extracting": 15,
}


def test_each_fault_names_one_place_of_the_source_and_leaves_python() -> None:
    """A fault that is not there any more says nothing: find the place again, or another one."""
    assert [(f.number, f.file) for f in FAULTS if f.occurrences(ROOT) != 1] == []
    for fault in FAULTS:
        source = (ROOT / fault.file).read_text(encoding="utf-8")
        assert fault.made_wrong(source) != source, fault.number
        ast.parse(fault.made_wrong(source))


def test_the_tests_of_each_fault_are_there() -> None:
    absent = []
    contracts = "".join(file.read_text("utf-8") for file in (ROOT / "tests/contracts").glob("*.py"))
    for test in dict.fromkeys(test for fault in FAULTS for test in fault.tests):
        file, *names = test.split("::")
        source = (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).is_file() else ""
        absent += [
            test for name in names or [""] if f" {name.partition('[')[0]}" not in source + contracts
        ]
    assert absent == []


def test_there_are_faults_enough_in_every_part() -> None:
    assert [area for area, faults in AREAS.items() if len(faults) < LEAST[area]] == []
    times = Counter(fault.number for fault in FAULTS)
    assert [number for number in times if times[number] > 1] == []


@pytest.fixture(autouse=True)
def _quick_pytest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The small trees below need none of the plugins that are installed, which take seconds."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "xdist.plugin")


def small_tree(folder: Path) -> Tree:
    """A package of one function, and a test that looks at half of it."""
    (folder / "double.py").write_text("def double(n):\n    return n * 2 if n else 0\n")
    (folder / "test_double.py").write_text(
        "from double import double\n\n\ndef test_two():\n    assert double(1) == 2\n"
    )
    (folder / "test_wrong.py").write_text("def test_never():\n    assert not 1\n")
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\npythonpath = ['.']\n")
    return Tree(folder)


def fault(find: str, replace: str, *tests: str) -> Fault:
    return Fault(1, "double.py", find, replace, "It does not double.", tests or ("test_double.py",))


def test_a_fault_that_a_test_sees_is_killed_and_put_right_again(tmp_path: Path) -> None:
    tree = small_tree(tmp_path)
    before = (tmp_path / "double.py").read_text()

    verdict = judge(tree, fault("n * 2", "n * 3"))

    assert verdict == Verdict("killed", "test_double.py::test_two")
    assert (tmp_path / "double.py").read_text() == before
    assert tree.pytest(["test_double.py"]).status == 0


def test_a_fault_that_no_test_sees_survives(tmp_path: Path) -> None:
    assert judge(small_tree(tmp_path), fault("else 0", "else 1")).word == "SURVIVED"


def test_a_fault_whose_tests_cannot_be_run_is_not_killed(tmp_path: Path) -> None:
    assert judge(small_tree(tmp_path), fault("n * 2", "n * 3", "test_absent.py")).word == "BROKEN"


def test_tests_that_fail_anyway_are_told(tmp_path: Path) -> None:
    faults = [fault("n * 2", "n * 3"), fault("n * 2", "n * 3", "test_wrong.py")]

    assert failing_without(small_tree(tmp_path), faults) == {"test_wrong.py"}


def test_a_number_that_no_fault_has_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="no fault 99999"):
        main(["--only", "101,99999"])
    assert main(["--only", "101", "--list"]) == 0
    assert capsys.readouterr().out.startswith("101 domain/memory_decisions.py: ")
