"""Whether the processes of this machine are well, as an orchestrator asks every few seconds."""

from __future__ import annotations

import http.client
import socket
from datetime import UTC, datetime
from typing import Final

from redis.exceptions import RedisError
from rq import Worker
from rq.worker import BaseWorker

from ops.settings import Settings, server_mode
from ops.worker_process import WORKER_SECONDS
from workers.doorbell import open_redis

_SECONDS_MAX: Final = 3.0
_EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - nothing is bound to it
SILENT_SECONDS_MAX: Final = 3 * WORKER_SECONDS
"""A worker says that it lives each time that it has waited for a job, and while it does one."""


def ill_server(settings: Settings) -> str | None:
    """What is wrong with the server that these settings start; None where it is ready."""
    host = _EVERYWHERE.get(settings.host, settings.host)
    door = http.client.HTTPConnection(host, settings.port, timeout=_SECONDS_MAX)
    try:
        door.request("GET", "/health/ready")
        answer = door.getresponse()
        said = answer.read(4096).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        return f"no server answers on {host}:{settings.port} ({type(error).__name__})"
    finally:
        door.close()
    return None if answer.status == http.HTTPStatus.OK else f"not ready: {said}"


def ill_worker(settings: Settings, hostname: str | None = None) -> str | None:
    """What is wrong with the workers of a machine, this one by default; None where one lives.

    Raises SettingsError outside of the server mode.
    """
    mode = server_mode(settings)
    if mode is None:
        return "MEMORANDA_DATABASE_URL is missing: an embedded store has no workers"
    here = hostname or socket.gethostname()
    redis = open_redis(mode.redis_url)
    try:
        silent = [silent_seconds(one) for one in Worker.all(redis) if one.hostname == here]
    except RedisError as error:
        return f"Redis does not answer ({type(error).__name__}): check MEMORANDA_REDIS_URL"
    finally:
        redis.close()
    if not silent:
        return f"no worker runs on {here}"
    if min(silent) > SILENT_SECONDS_MAX:
        return f"the workers on {here} have not been heard of for {min(silent):.0f} seconds"
    return None


def silent_seconds(worker: BaseWorker) -> float:
    """How long a worker has not been heard of; infinite where it never was."""
    heard = worker.last_heartbeat
    if heard is None:
        return float("inf")
    return (datetime.now(UTC) - heard.replace(tzinfo=UTC)).total_seconds()
