"""Is it there, is it ready, what is it: for probes and people, without a key."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version
from typing import Final

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from starlette.responses import Response

from domain.canonical import JsonObject
from domain.requests import CONTRACT_VERSION
from ops.http.answers import json_response
from ops.http.door import CurrentDoor
from ops.http.route_docs import DOCS

router = APIRouter()
VERSION: Final = version("memoranda")


@router.get("/health/live", **DOCS["live"])
async def live() -> Response:
    """The process answers. It says nothing of the store: restarting would not mend that."""
    return json_response({"status": "live"})


@router.get("/health/ready", **DOCS["ready"])
def ready(door: CurrentDoor) -> Response:
    """503 while the log cannot be read, or the read models fail or lie too far behind.

    Parked streams are told, and a Redis that is away, and are no reason to send requests elsewhere.
    """
    memoranda = door.memoranda
    head, seen = memoranda.log.head(), memoranda.runner.position()
    failure = memoranda.runner.failure
    lag = max(0, head - seen)
    late = lag > door.settings.lag_events_max
    bell = memoranda.runner.doorbell_state
    body: JsonObject = {
        "status": "failing" if failure is not None else "behind" if late else "ready",
        "position": head,
        "read_models": {
            "position": seen,
            "lag": lag,
            "lag_max": door.settings.lag_events_max,
            "failing": None if failure is None else failure.projection,
            "parked": [
                {"projection": name, "streams": streams, "events": events}
                for name, (streams, events) in memoranda.runner.parked().items()
            ],
        },
        "doorbell": None if bell is None else asdict(bell),
    }
    return json_response(body, 200 if body["status"] == "ready" else 503)


@router.get("/metrics", **DOCS["metrics"])
def metrics(door: CurrentDoor) -> Response:
    """Counts, for Prometheus: of operations, appends, read models and recalls; never of whom."""
    return Response(door.memoranda.metrics.text(), media_type=CONTENT_TYPE_PLAIN_0_0_4)


@router.get("/version", **DOCS["version"])
async def about() -> Response:
    """Name, release and contract versions."""
    body = {"name": "memoranda", "version": VERSION, "contract_versions": [CONTRACT_VERSION]}
    return json_response(body)
