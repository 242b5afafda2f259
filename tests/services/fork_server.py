"""Processes that begin at once: forked from one that has loaded the program already.

A start of `python -m ops.cli` takes a second or two of loading, and the tests make some hundreds.
`Started` and `finished` are `subprocess.Popen` and `subprocess.run` of such a command: a process of
its own with its own arguments, environment, files and signals, which only finds loaded what it
imports. What cannot be had so is started as ever: other programs, other settings of Python, and
everything where there is no Linux. Whoever tests the start itself uses `subprocess`.
"""

from __future__ import annotations

import ctypes
import inspect
import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Final

from tests.services.forking import MESSAGE_BYTES_MAX

ROOT: Final = Path(__file__).resolve().parents[2]
_SET_CHILD_SUBREAPER: Final = 36
"""Of prctl(2): orphans among our descendants become our children."""
_GIVEN: Final = tuple(inspect.signature(subprocess.Popen._execute_child).parameters)[1:]
_PLAIN: Final = {
    "executable": None, "preexec_fn": None, "pass_fds": (), "shell": False, "gid": None,
    "gids": None, "uid": None, "umask": -1, "process_group": -1, "restore_signals": True,
}  # fmt: skip
"""Options of a start that the fork server is not told."""


class Started(subprocess.Popen):
    """A process whose parent is this one, as with any Popen, but which need not load anything."""

    def _execute_child(self, *given: Any) -> None:
        said = dict(zip(_GIVEN, given, strict=True))
        command = [os.fspath(part) for part in said["args"]]
        env = dict(os.environ) if said["env"] is None else said["env"]
        plain = all(said[name] == value for name, value in _PLAIN.items())
        if not (plain and sys.platform == "linux" and _can_be_forked(command, env)):
            super()._execute_child(*given)
            return
        cwd = os.fspath(said["cwd"] or Path.cwd())
        request = [command[1:], env, cwd, said["start_new_session"]]
        ends = (said["p2cread"], said["c2pwrite"], said["errwrite"])
        self.pid = _server().start(json.dumps(request).encode(), ends)
        self._child_created = True
        self._close_pipe_fds(*(said[name] for name in _GIVEN if name in _PIPES))


_PIPES: Final = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


def finished(command: Any, *, timeout: float | None = None, **options: Any) -> Any:
    """Run a command to its end: `subprocess.run`, of which it takes what our tests ask for.

    A process that takes longer than `timeout` seconds is killed, and TimeoutExpired raised.
    """
    given = options.pop("input", None)
    check = options.pop("check", False)
    if given is not None:
        options["stdin"] = subprocess.PIPE
    if options.pop("capture_output", False):
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with Started(command, **options) as process:
        try:
            out, errors = process.communicate(given, timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(process.args, process.returncode, out, errors)
    if check:
        done.check_returncode()
    return done


def _can_be_forked(command: list[str], env: dict[str, str]) -> bool:
    return (
        command[0] == sys.executable
        and command[1] in {"-m", "-c"}
        and _of_start(env) == _of_start(os.environ)
        and sum(map(len, [*command, *env, *env.values()])) < MESSAGE_BYTES_MAX // 2
    )


def _of_start(env: Any) -> dict[str, str]:
    """What only a start reads: the interpreter's settings, the loader's, and of the language."""
    ours = {str(ROOT), os.environ.get("PYTHONPATH")}
    return {
        name: value
        for name, value in env.items()
        if name.startswith(("PYTHON", "LD_", "LC_", "LANG"))
        and not (name == "PYTHONPATH" and value in ours)
    }


class _ForkServer:
    """Our end of it. It ends with this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.services.forking", str(theirs.fileno())],
                cwd=ROOT,
                # Threads of a library would not be there after a fork.
                env=os.environ | {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def start(self, request: bytes, ends: tuple[int, int, int]) -> int:
        """Start a process with these files, or with ours where one is -1; its pid."""
        files = [own if end == -1 else end for own, end in enumerate(ends)]
        with self._lock:
            _adopt(orphans=True)
            try:
                socket.send_fds(self._door, [request], files)
                told = self._door.recv(64)
            finally:
                _adopt(orphans=False)
        assert told, "the fork server has ended"
        return int(told)

    def end(self) -> None:
        """It ends when nobody can ask any more; what it has started goes on."""
        self._door.close()
        self._process.wait()


_servers: dict[int, _ForkServer] = {}


def _server() -> _ForkServer:
    """That of this process, which is started by the first who asks."""
    if os.getpid() not in _servers:
        _servers[os.getpid()] = _ForkServer()
    return _servers[os.getpid()]


def end() -> None:
    """End that of this process, if there is one."""
    server = _servers.pop(os.getpid(), None)
    if server is not None:
        server.end()


def _adopt(*, orphans: bool) -> None:
    """Become the parent of what the fork server leaves, or leave orphans to the system again."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_CHILD_SUBREAPER, int(orphans), 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
