"""Processes that begin at once: forked from one that has loaded the program already.

A start of `python -m ops.cli` takes a second or two of loading, and the tests make some hundreds.
`Started` and `finished` are `subprocess.Popen` and `subprocess.run` of such a command: a process of
its own with its own arguments, environment, files and signals, which only finds loaded what it
imports. What cannot be had so is started as ever: other programs, other settings of Python, and
everything where there is no Linux. Whoever tests the start itself uses `subprocess`.
"""

from __future__ import annotations

import ctypes
import gc
import inspect
import io
import json
import os
import runpy
import socket
import subprocess
import sys
import threading
import time
import types
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
LOADED: Final = ("ops.cli", "ops.serve", "ops.wiring", "ops.worker_process", "ops.supervisor")
_SET_CHILD_SUBREAPER: Final = 36
"""Of prctl(2): orphans among our descendants become our children."""
_MESSAGE_BYTES_MAX: Final = 128 << 10
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
        and _of_python(env) == _of_python(os.environ)
        and sum(map(len, [*command, *env, *env.values()])) < _MESSAGE_BYTES_MAX // 2
    )


def _of_python(env: Any) -> dict[str, str]:
    """What only a start of the interpreter reads; the path is that of the tree that is tested."""
    return {
        name: value
        for name, value in env.items()
        if name.startswith("PYTHON") and name != "PYTHONPATH"
    }


class _ForkServer:
    """Our end of it. It ends with this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.services.fork_server", str(theirs.fileno())],
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


# --- The other end --------------------------------------------------------------------------------


def _requests(door: socket.socket) -> Any:
    """Fork for every request. It returns in the child, with what to be; None when all is over."""
    while True:
        request, files, _, _ = socket.recv_fds(door, _MESSAGE_BYTES_MAX, 3)
        if not request:
            return None
        reader, writer = os.pipe()
        gate, bar = os.pipe()
        between = os.fork()
        if between == 0:
            pid = os.fork()
            if pid == 0:
                os.close(bar)
                os.read(gate, 1)
                for one in (gate, reader, writer):
                    os.close(one)
                door.close()
                return json.loads(request), files
            os.write(writer, str(pid).encode())
            os._exit(0)
        # The child is an orphan then, and goes to who asked for it; until it has, it waits.
        os.waitpid(between, 0)
        told = os.read(reader, 64)
        for one in (bar, gate, reader, writer, *files):
            os.close(one)
        door.send(told)


def _become(env: dict[str, str], cwd: str, files: list[int]) -> None:
    """Be the process that was asked for, as if it had been started by itself."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    os.chdir(cwd)
    unbuffered = bool(env.get("PYTHONUNBUFFERED"))
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        mode, raw = ("rb", False) if number == 0 else ("wb", unbuffered)
        file = open(number, mode, 0 if raw else -1, closefd=False)  # noqa: SIM115
        new = io.TextIOWrapper(
            file,
            encoding=old.encoding,
            errors=old.errors,
            line_buffering=number == 2 or os.isatty(number),
            write_through=raw,
        )
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def _run(command: list[str]) -> None:
    kind, what, *arguments = command
    if kind == "-c":
        sys.argv = ["-c", *arguments]
        sys.path[0] = ""
        main = types.ModuleType("__main__")
        main.__dict__["__builtins__"] = __builtins__
        sys.modules["__main__"] = main
        exec(compile(what, "<string>", "exec"), main.__dict__)  # noqa: S102 - it is what -c does
        return
    sys.argv = [what, *arguments]
    sys.path[0] = str(Path.cwd())
    sys.modules.pop(what, None)  # run once more, as the program
    runpy.run_module(what, run_name="__main__", alter_sys=True)


def _main() -> None:
    door = socket.socket(fileno=int(sys.argv[1]))
    for name in LOADED:
        __import__(name)
    # What is loaded stays for as long as we do: no child has to look through it.
    gc.collect()
    gc.freeze()
    asked = _requests(door)
    if asked is None:
        return
    (command, env, cwd, new_session), files = asked
    if new_session:
        os.setsid()
    _become(env, cwd, files)
    _run(command)


if __name__ == "__main__":
    _main()
