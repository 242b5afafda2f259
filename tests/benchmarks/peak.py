"""Run a program, and say the most memory that it held: `python -m tests.benchmarks.peak FILE …`.

FILE gets the bytes. A process that was forked from a large one counts that as its own in getrusage;
what the kernel says of its address space begins anew with the program.
"""

from __future__ import annotations

import atexit
import runpy
import sys
from pathlib import Path


def _tell(file: Path) -> None:
    status = Path("/proc/self/status").read_text("ascii")
    [peak] = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    file.write_text(str(int(peak) * 1024), "ascii")


if __name__ == "__main__":
    out, program, *sys.argv = sys.argv[1:]
    sys.argv.insert(0, program)
    atexit.register(_tell, Path(out))
    if program.endswith(".py"):
        runpy.run_path(program, run_name="__main__")
    else:
        runpy.run_module(program, run_name="__main__", alter_sys=True)
