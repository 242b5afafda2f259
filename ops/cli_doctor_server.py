"""Doctor for a server: what can be seen from outside."""

from __future__ import annotations

import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final

from domain.canonical import JsonObject
from domain.requests import CONTRACT_VERSION
from ops.cli_checks import Check, note, ok, problem
from ops.cli_errors import UnreachableError
from ops.cli_http import Address, Answer, UrlDoor, refusal_of

SKEW_SECONDS_MAX: Final = 5
TIMEOUT_SECONDS: Final = 10.0


def check_server(address: Address, key: str | None, *, operates: bool) -> Iterator[Check]:
    """Whether it answers, is ready, takes the key, and has the same time.

    `operates`: the key was taken already, by the whole store.
    """
    door = UrlDoor(address, key, timeout=TIMEOUT_SECONDS)
    try:
        about = door.ask("GET", "/version")
        yield _check_version(address, about)
        ready = door.ask("GET", "/health/ready")
        yield _check_ready(ready)
        yield from _check_doorbell(ready)
        yield ok("key", "it is accepted") if operates else _check_key(door, key)
        yield _check_clock(about)
    except UnreachableError as error:
        said, _, remedy = str(error).rpartition(": ")
        yield problem("server", said, remedy)


def _object(answer: Answer) -> JsonObject:
    return answer.body if isinstance(answer.body, dict) else {}


def _check_version(address: Address, answer: Answer) -> Check:
    about = _object(answer)
    spoken = about.get("contract_versions")
    if about.get("name") != "memoranda" or not isinstance(spoken, list):
        return problem("server", f"what answers at {address.url} is no Memoranda", "correct --url")
    said = f"Memoranda {about.get('version')} at {address.url}"
    if CONTRACT_VERSION not in spoken:
        return problem("server", f"{said} does not speak {CONTRACT_VERSION}", "use its own program")
    return ok("server", said, version=about.get("version"))


def _check_ready(answer: Answer) -> Check:
    body = _object(answer)
    models = body.get("read_models")
    if not isinstance(models, dict):
        return problem("read models", "it does not say how far they are", "look at its log")
    facts = {"head": body.get("position"), **models}
    if models.get("parked"):
        waiting = ", ".join(f"{one['streams']} of {one['projection']}" for one in models["parked"])
        return problem(
            "read models", f"streams are parked: {waiting}", "`memoranda parked list`", **facts
        )
    if answer.status == HTTPStatus.OK:
        said = f"head at {body.get('position')}, {models.get('lag')} events behind"
        return ok("read models", said, **facts)
    if models.get("failing") is not None:
        return problem(
            "read models",
            f"the projection {models['failing']} fails",
            "look at the server's output; `memoranda rebuild` while it is stopped",
            **facts,
        )
    return problem("read models", f"{models.get('lag')} events behind", "wait, ask again", **facts)


def _check_doorbell(answer: Answer) -> Iterator[Check]:
    """Redis, where the server has workers."""
    bell = _object(answer).get("doorbell")
    if not isinstance(bell, dict):
        return
    if bell.get("away"):
        yield note(
            "redis",
            f"it is away ({bell.get('last_error')}): read models follow a second or two later",
            **bell,
        )
    else:
        yield ok("redis", f"it answers; it did not {bell.get('errors')} times", **bell)


def _check_key(door: UrlDoor, key: str | None) -> Check:
    if key is None:
        return note("key", "no key is given", "set MEMORANDA_KEY, or give --api-key")
    answer = door.ask("GET", "/v1/memories?limit=1")
    if answer.status == HTTPStatus.OK:
        return ok("key", "it is accepted")
    if answer.status == HTTPStatus.FORBIDDEN:
        return note("key", "it is accepted, and may not read")
    wire = refusal_of(answer.body) or {"message": f"status {answer.status}"}
    return problem("key", str(wire["message"]), "use another: `memoranda keys create` makes one")


def _check_clock(answer: Answer) -> Check:
    try:
        said = parsedate_to_datetime(answer.headers.get("date", ""))
    except ValueError:
        return note("clock", "the server does not say what time it has")
    skew = round(said.timestamp() - time.time())
    if abs(skew) > SKEW_SECONDS_MAX:
        return problem(
            "clock", f"the server's clock differs by {skew} seconds", "set the clocks", skew_s=skew
        )
    return ok("clock", "the server has the same time")
