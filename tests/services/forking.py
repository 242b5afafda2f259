"""The process that has loaded the program, and of which those that are started are forks.

`python -m tests.services.forking DOOR` is started by `tests.services.fork_server`, and serves it
through that socket.
"""

from __future__ import annotations

import gc
import io
import json
import os
import runpy
import socket
import sys
import time
import types
from pathlib import Path
from typing import Any, Final

LOADED: Final = ("ops.cli", "ops.serve", "ops.wiring", "ops.worker_process", "ops.supervisor")
MESSAGE_BYTES_MAX: Final = 128 << 10


def _requests(door: socket.socket) -> Any:
    """Fork for every request. It returns in the child, with what to be; None when all is over."""
    while True:
        request, files, _, _ = socket.recv_fds(door, MESSAGE_BYTES_MAX, 3)
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
