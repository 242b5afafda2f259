"""How fast a workspace is exported, verified and imported, in how much memory: `make bench-export`.

Options: --sizes 10000,100000 memories, or --folder DIR with a store that
`bench_recall_speed --folder` has kept. Each command is a process of its own, as people run it; the
raw limit is one reading of the same rows of the log and their hashes. Prints; asserts nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from commands.sqlite_files import connect
from tests.benchmarks.common import alone
from tests.benchmarks.speed_data import Texts, load, written

MIB = 1 << 20
CLI = "ops.cli"
WORKSPACE = "bench-0"


class Ran(NamedTuple):
    """A command that ended: wall seconds, and the most memory that it held, in bytes."""

    seconds: float
    peak: int


def main() -> None:
    """One size after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with alone():
        if options.folder is not None:
            with tempfile.TemporaryDirectory(dir=options.folder) as name:
                _measured(options.folder / "one" / "data", Path(name))
            return
        texts = Texts()
        for memories in (int(size) for size in options.sizes.split(",")):
            with tempfile.TemporaryDirectory(prefix="bench-export-") as name:
                folder = Path(name)
                with written(folder / "data") as execute:
                    load(execute, texts, memories, 1)
                _measured(folder / "data", folder)


def _measured(data: Path, out: Path) -> None:
    events, raw = _raw(data)
    file, there = out / "export.jsonl", out / "there"
    print(f"\n{events:,} events of one workspace; read and hashed once in {raw:.1f} s")
    for name, program, *arguments in (
        ("export", CLI, "export", file, "--workspace", WORKSPACE, "--data", data),
        ("verify, docs/verify.py", "docs/verify.py", file),
        ("import into an empty store", CLI, "import", file, "--data", there),
    ):
        ran = _run(out / "peak", str(program), *arguments)
        print(
            f"  {name:<28} {ran.seconds:8.1f} s {events / ran.seconds:10,.0f} events a second, "
            f"{ran.seconds / raw:6.1f} x the reading; at most {ran.peak / MIB:,.0f} MiB"
        )
    print(f"  the file: {file.stat().st_size / events:,.0f} bytes an event")


def _raw(data: Path) -> tuple[int, float]:
    """Events that are exported, and the seconds to read and hash them."""
    start, events, digest = time.perf_counter(), 0, hashlib.sha256()
    with closing(connect(data / "log.db", read_only=True)) as log:
        query = (
            "SELECT state FROM event WHERE workspace = ? AND topic NOT LIKE 'command.%'"
            " AND topic NOT LIKE 'identity.%' ORDER BY position"
        )
        for (state,) in log.execute(query, (WORKSPACE,)):
            digest.update(state)
            events += 1
    return events, time.perf_counter() - start


def _run(peak: Path, program: str, *arguments: object) -> Ran:
    """A program to its end."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.peak", peak, program, *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return Ran(time.perf_counter() - start, int(peak.read_text("ascii")))


if __name__ == "__main__":
    main()
