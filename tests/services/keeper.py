"""A process that keeps a server for as long as another process lives, however that one ends.

`python -m tests.services.keeper {postgres|redis} FOLDER OWNER_PID` writes the server's address to
FOLDER/url when it answers. On SIGTERM, and when the owner is gone, it stops the server and removes
the folder. So a test run that is killed leaves nothing behind.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Final

from tests.services.ports import wait_until
from tests.services.postgres_server import PostgresServer
from tests.services.redis_server import RedisServer

ROOT: Final = Path(__file__).resolve().parents[2]
SERVERS: Final = {"postgres": PostgresServer, "redis": RedisServer}
_LOOK_EVERY_S: Final = 0.2


def keep(kind: str, folder: Path, owner: int) -> None:
    """Start the server, and stop it when it is no longer wanted."""
    wanted_no_more = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: wanted_no_more.set())
    server = SERVERS[kind](folder / "server")
    try:
        server.start()
        _publish(folder / "url", server.url)
        while not wanted_no_more.wait(_LOOK_EVERY_S) and _lives(owner):
            pass
    finally:
        server.remove()
        shutil.rmtree(folder, ignore_errors=True)


def _publish(path: Path, text: str) -> None:
    """All of it at once, for its owner's eyes."""
    draft = path.with_suffix(".new")
    draft.touch(mode=0o600)
    draft.write_text(text)
    draft.rename(path)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def ask(kind: str, folder: Path, owner: int) -> str:
    """The address of the server in a folder, which is started if it is not yet there.

    Processes that ask at once get one server. It ends with the process `owner`.
    """
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = folder / "url"
        if not known.exists():
            keeper = subprocess.Popen(
                [sys.executable, "-m", "tests.services.keeper", kind, folder, str(owner)],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
            (folder / "pid").write_text(str(keeper.pid))

            def started() -> bool:
                assert keeper.poll() is None, f"the keeper of {kind} did not start"
                return known.exists()

            wait_until(started, f"{kind} to start")
            keeper.returncode = 0  # it outlives whoever asked first; its owner waits for it
        return known.read_text()


def release(folder: Path) -> None:
    """Stop the server in a folder, if there is one, and wait until it has ended."""
    known = folder / "pid"
    if known.exists():
        os.kill(int(known.read_text()), signal.SIGTERM)
        wait_until(lambda: not folder.exists(), "a test server to stop")


if __name__ == "__main__":
    keep(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
