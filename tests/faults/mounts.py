"""Servers that see a file system of their own: full, or read-only. The mount dies with them.

As root, permissions bind nobody, so the real thing is made: a small tmpfs, or a read-only bind
mount, in a mount namespace (`unshare`, of util-linux; without root in a user namespace).
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.processes import HOST_KEY, READY, environment

NAMESPACE = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]


def _can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    tried = [*NAMESPACE, "sh", "-c", "mount -t tmpfs -o size=1m none /mnt"]
    return subprocess.run(tried, check=False, capture_output=True).returncode == 0


needs_mounts = pytest.mark.skipif(
    not _can_mount(), reason="NO REAL DISK FAULTS HERE: this machine lets nobody mount anything"
)


class Mounted:
    """A running `memoranda serve` that was started after `mount`, a shell command."""

    def __init__(self, mount: str, data: Path) -> None:
        serve = [sys.executable, "-m", "ops.cli", "serve", "--data", str(data), "--port", "0"]
        self.process = subprocess.Popen(
            [*NAMESPACE, "sh", "-c", f"{mount} && exec {shlex.join(serve)}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(host_key=HOST_KEY),
        )
        self.host, self.port = "", 0

    def ready(self) -> bool:
        """Whether it came to answer."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found = READY.fullmatch(line)
            if found is not None:
                self.host, self.port = found[1], int(found[2])
                return True
        return False

    def seen(self, path: Path) -> Path:
        """A path as the server sees it."""
        return Path(f"/proc/{self.process.pid}/root{path}")

    def stop(self) -> tuple[int, str]:
        """End it in order: exit status, and what it said on stderr."""
        self.process.terminate()
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said


@contextmanager
def mounted(mount: str, data: Path) -> Iterator[Mounted]:
    """For the time of a block; ended hard if the block did not end it."""
    server = Mounted(mount, data)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()


def fill(path: Path) -> None:
    """Write until there is no room for another byte."""
    with path.open("wb", buffering=0) as ballast:
        for size in (1 << 20, 1 << 12, 1):
            while _wrote(ballast.fileno(), size):
                pass


def _wrote(descriptor: int, size: int) -> bool:
    try:
        return os.write(descriptor, bytes(size)) > 0
    except OSError:
        return False
