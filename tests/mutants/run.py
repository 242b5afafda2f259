"""Does the suite notice? One seeded fault at a time, in a copy of the tree, against its tests.

    python -m tests.mutants.run [--only 101,302] [--list]

Prints a line for each fault, with the test that noticed it, and ends with status 1 where one
survived, is stale, or could not be judged. A fault that makes its tests hang is noticed as well:
no test of ours takes two minutes.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.mutants.fault import Fault
from tests.mutants.faults import FAULTS

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("domain", "commands", "projections", "workers", "read_api", "ops")
SECONDS_MAX: Final = 120
BASELINE_SECONDS_MAX: Final = 900
"""For all tests that the faults name, once, before the first of them."""
# The plugin of schemathesis takes longer to import than most of these tests to run.
_PYTEST: Final = (
    *(sys.executable, "-m", "pytest", "-x", "-q", "-n", "0"),
    *("-p", "no:cacheprovider", "-p", "no:schemathesis"),
)
_FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)

KILLED: Final = "killed"
SURVIVED: Final = "SURVIVED"
BROKEN: Final = "BROKEN"


@dataclass(frozen=True)
class Verdict:
    """What became of a fault; `why` names the test that failed, or why there is no verdict."""

    word: str
    why: str = ""


@dataclass(frozen=True)
class Ran:
    """A run of a program; `status` is None where its time was up."""

    status: int | None
    output: str


class Tree:
    """A copy of the tracked files of a checkout, to be made wrong.

    Every file that is written gets a time of its own: Python takes compiled code for current by
    the second and the size of its source, and a fault may change neither.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._times = iter(range(10**9, 2 * 10**9))

    def environment(self) -> dict[str, str]:
        """Imports come from the copy, and random examples are the same in every run."""
        kept = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
        return {**kept, "PYTHONPATH": str(self.root), "CI": "1"}

    def write(self, file: str, source: str) -> None:
        path = self.root / file
        path.write_text(source, encoding="utf-8")
        stamp = next(self._times)
        os.utime(path, (stamp, stamp))

    @contextmanager
    def with_fault(self, fault: Fault) -> Iterator[None]:
        right = (self.root / fault.file).read_text(encoding="utf-8")
        self.write(fault.file, fault.made_wrong(right))
        try:
            yield
        finally:
            self.write(fault.file, right)

    def pytest(self, tests: Sequence[str], seconds: float = SECONDS_MAX) -> Ran:
        return run([*_PYTEST, *tests], self.root, self.environment(), seconds)


def run(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: float
) -> Ran:
    """Run to the end, or as long as that; the processes that it started end with it."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return Ran(None, output)
    return Ran(process.returncode, output)


def copied(root: Path, to: Path) -> Tree:
    """A copy of what git tracks, as it stands in the working tree."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True
    )
    for name in listed.stdout.split("\0"):
        if name and (root / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, to / name)
    return Tree(to)


def foreign_imports(tree: Tree) -> list[str]:
    """Modules of ours that a process over the copy would import from somewhere else.

    The checkout is installed editable, so its root is on the path of every process, too.
    """
    script = "".join(f"import {name}; print({name}.__file__)\n" for name in PACKAGES)
    ran = run([sys.executable, "-c", script], tree.root.parent, tree.environment(), SECONDS_MAX)
    return [line for line in ran.output.splitlines() if not Path(line).is_relative_to(tree.root)]


def judge(tree: Tree, fault: Fault) -> Verdict:
    """Run the tests of a fault with it, in a tree where they pass without it."""
    with tree.with_fault(fault):
        ran = tree.pytest(fault.tests)
    if ran.status is None:
        return Verdict(KILLED, f"no end within {SECONDS_MAX} s")
    if ran.status == 0:
        return Verdict(SURVIVED, f"none of {' '.join(fault.tests)}")
    failed = _FAILED.findall(ran.output)
    if ran.status == 1 and failed:
        return Verdict(KILLED, failed[-1])
    return Verdict(BROKEN, f"pytest ended with {ran.status}: {ran.output[-500:]}")


def failing_without(tree: Tree, faults: Sequence[Fault]) -> frozenset[str]:
    """Of the tests that the faults name, those that fail, or cannot be run, without any fault."""
    named = list(dict.fromkeys(test for fault in faults for test in fault.tests))
    if not named or tree.pytest(named, BASELINE_SECONDS_MAX).status == 0:
        return frozenset()
    return frozenset(test for test in named if tree.pytest([test]).status != 0)


def judge_all(tree: Tree, faults: Sequence[Fault]) -> int:
    """Judge and print; the number of faults that were not killed."""
    failing = failing_without(tree, faults)
    counts = {KILLED: 0, SURVIVED: 0, BROKEN: 0}
    for fault in faults:
        began = time.monotonic()
        useless = sorted(failing.intersection(fault.tests))
        verdict = (
            Verdict(BROKEN, f"without the fault, too: {' '.join(useless)}")
            if useless
            else judge(tree, fault)
        )
        counts[verdict.word] += 1
        seconds = time.monotonic() - began
        print(f"{verdict.word:8} {fault.number} {fault.file}: {fault.says} ({seconds:.0f} s)")
        print(f"         {verdict.why}", flush=True)
    broken = f", {counts[BROKEN]} could not be judged" if counts[BROKEN] else ""
    print(f"{counts[KILLED]} killed, {counts[SURVIVED]} survived{broken}")
    return counts[SURVIVED] + counts[BROKEN]


def chosen(only: str | None) -> list[Fault]:
    """The faults with these numbers, comma-separated; all for None."""
    if only is None:
        return list(FAULTS)
    numbers = {int(number) for number in only.split(",")}
    unknown = numbers - {fault.number for fault in FAULTS}
    if unknown:
        raise SystemExit(f"there is no fault {', '.join(map(str, sorted(unknown)))}: see --list")
    return [fault for fault in FAULTS if fault.number in numbers]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", help="numbers of faults, comma-separated")
    parser.add_argument("--list", action="store_true", help="show the faults and judge none")
    asked = parser.parse_args(arguments)
    faults = chosen(asked.only)
    if asked.list:
        print("\n".join(f"{fault.number} {fault.file}: {fault.says}" for fault in faults))
        return 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = copied(ROOT, Path(folder).resolve() / "tree")
        foreign = foreign_imports(tree)
        if foreign:
            print(f"imports would not come from the copy: {' '.join(foreign)}")
            return 1
        stale = [fault for fault in faults if fault.occurrences(tree.root) != 1]
        for fault in stale:
            print(f"STALE    {fault.number} {fault.file}: its text is not there exactly once")
        wrong = judge_all(tree, [fault for fault in faults if fault not in stale])
    return 1 if wrong or stale else 0


if __name__ == "__main__":
    sys.exit(main())
