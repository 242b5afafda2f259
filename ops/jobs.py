"""Long work on the whole store, asked for over HTTP: one command of this program at a time.

Each runs in a process of its own, as somebody at the machine would start it beside the server: it
takes no time from requests, its answer is that of the command, and it can be ended.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from pydantic import SecretStr

from domain.canonical import Json, JsonObject
from domain.errors import Code, MemorandaError, not_found
from domain.instants import server_time
from ops.settings import Settings
from workers.catch_up import wall_clock_us

Command: TypeAlias = Literal[
    "doctor", "verify", "rebuild", "parked list", "parked show", "parked retry", "parked skip"
]
SECONDS_MAX: Final = 3600.0
"""A job that takes longer is ended."""
KEPT_MAX: Final = 16
"""So many jobs are remembered, the latest ones; a restart forgets them."""


@dataclass(slots=True)
class Job:
    """A command that was started. `status` is its exit status, with either answer or error."""

    job_id: str
    command: Command
    state: Literal["running", "ended"]
    started_at: str
    ended_at: str | None = None
    status: int | None = None
    answer: Json = None
    error: Json = None


class Jobs:
    """Starts jobs and remembers how they ended; safe to share between threads."""

    def __init__(self, folder: Path, settings: Settings, seconds_max: float = SECONDS_MAX) -> None:
        # Named in the environment, not as an option: a database that is set there goes first.
        here = {"MEMORANDA_DATA": str(folder.absolute())}
        self._environment = {**os.environ, **_said(settings), **here}
        self._seconds_max = seconds_max
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._running: tuple[subprocess.Popen[str], threading.Thread] | None = None
        self._closed = False

    def start(
        self, command: Command, stream: str | None = None, projection: str | None = None
    ) -> JsonObject:
        """Begin a job; OVERLOADED while another one is at work. `parked` takes the other two."""
        with self._lock:
            if self._closed:
                raise MemorandaError(
                    Code.OVERLOADED, "the server is shutting down: try again", retry_after=1
                )
            busy = next((job for job in self._jobs.values() if job.state == "running"), None)
            if busy is not None:
                raise MemorandaError(
                    Code.OVERLOADED,
                    f"{busy.command} is at work as {busy.job_id}, and only one job is at a time: "
                    "wait until it has ended",
                    reason="JOB_RUNNING",
                    retry_after=2,
                )
            job = Job("job_" + secrets.token_hex(8), command, "running", _now())
            process = self._process(_arguments(command, stream, projection))
            worker = threading.Thread(
                target=self._watch, args=(job, process), name=job.job_id, daemon=True
            )
            self._running = (process, worker)
            self._jobs[job.job_id] = job
            while len(self._jobs) > KEPT_MAX:
                self._jobs.popitem(last=False)
            worker.start()
            return asdict(job)

    def get(self, job_id: str) -> JsonObject:
        """How a job stands; NOT_FOUND for one that is not remembered."""
        with self._lock:
            job = self._jobs.get(job_id)
            if job is None:
                raise not_found("the job", field="job_id")
            return asdict(job)

    def close(self) -> None:
        """End the job that is at work, and take no more."""
        with self._lock:
            self._closed = True
            running = self._running
        if running is not None:
            process, worker = running
            process.kill()
            worker.join()

    def _process(self, arguments: Sequence[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(  # noqa: S603 - our own program, with a command from a closed set
            [sys.executable, "-m", "ops.cli", *arguments],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _watch(self, job: Job, process: subprocess.Popen[str]) -> None:
        """Wait for the end, and keep it."""
        late = False
        try:
            out, err = process.communicate(timeout=self._seconds_max)
        except subprocess.TimeoutExpired:
            late = True
            process.kill()
            out, err = process.communicate()
        answer, error = _ended(job.command, process.returncode, out, err, late=late)
        with self._lock:
            job.state, job.ended_at = "ended", _now()
            job.status, job.answer, job.error = process.returncode, answer, error
            self._running = None


def _arguments(command: Command, stream: str | None, projection: str | None) -> list[str]:
    """The command line; a stream is never read as an option."""
    said = [*command.split(), "--json"]
    if projection is not None:
        said.append(f"--projection={projection}")
    return said if stream is None else [*said, "--", stream]


def _ended(command: str, status: int, out: str, err: str, *, late: bool) -> tuple[Json, Json]:
    """Answer and error of a command for machines; one of them is None."""
    with suppress(ValueError):
        return json.loads(out), None
    with suppress(ValueError, LookupError, TypeError):
        return None, json.loads(err.splitlines()[-1])["error"]
    cancelled = late or status < 0
    why = "took too long, or the server stopped" if cancelled else f"ended with status {status}"
    code = Code.CANCELLED if cancelled else Code.INTERNAL
    return None, MemorandaError(code, f"{command} {why}: start it again").as_wire()


def _said(settings: Settings) -> Mapping[str, str]:
    """The settings that the server got, for the environment; a secret is in there already."""
    said: dict[str, str] = {}
    for name in settings.model_fields_set:
        value = getattr(settings, name)
        if value is not None and not isinstance(value, SecretStr):
            text = ",".join(value) if isinstance(value, tuple) else str(value)
            said[f"MEMORANDA_{name.upper()}"] = text
    return said


def _now() -> str:
    return server_time(wall_clock_us())
