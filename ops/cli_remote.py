"""Commands of operators on a server: counts, keys, jobs on the whole store, imports."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote, urlencode

from domain.canonical import JsonObject
from domain.errors import invalid
from ops.cli_errors import EndedError
from ops.cli_http import Address, UrlDoor

PAUSE_SECONDS: Final = (0.1, 1.0)
"""Between two questions how a job stands: the first, and the longest."""


def operator_door(url: str, key: str | None, **local: object) -> UrlDoor:
    """The door of a server; `local` are options that only a data folder knows, each must be None.

    Raises INVALID_REQUEST for one of those, for what is no URL, and where no key is given.
    """
    for name, value in local.items():
        if value is not None:
            raise invalid(f"--{name} and --url exclude each other: give one", field=f"--{name}")
    address = Address.of(url)
    if not key:
        raise invalid(
            "a server wants a key: set MEMORANDA_KEY, or give it with --api-key", field="--api-key"
        )
    return UrlDoor(address, key)


def keys_of(door: UrlDoor) -> Iterator[JsonObject]:
    """All keys that the caller may see, oldest first."""
    after: str | None = None
    while True:
        window = "" if after is None else "?" + urlencode({"after": after})
        page = door.get(f"/v1/keys{window}")
        yield from page["items"]
        after = page["next_after"]
        if after is None:
            return


def revoked_by(door: UrlDoor, key_id: str) -> JsonObject:
    """The key, which is refused from now on."""
    return door.post(f"/v1/keys/{quote(key_id, safe='')}/revoke")


def run_job(door: UrlDoor, command: str, **more: str | None) -> tuple[Any, int]:
    """What a command on the whole store answers, and its exit status; waits for its end.

    `more` is the rest of the job: the stream and the projection of `parked`.

    Raises EndedError where it has no answer. Interrupting this does not end the job.
    """
    job = door.post("/v1/jobs", {"command": command, **more})
    pause, longest = PAUSE_SECONDS
    while job["state"] == "running":
        time.sleep(pause)
        pause = min(longest, 2 * pause)
        job = door.get(f"/v1/jobs/{job['job_id']}")
    if job["answer"] is None:
        raise EndedError(job["error"], job["status"])
    return job["answer"], job["status"]
