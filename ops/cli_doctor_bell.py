"""Doctor for the server mode, last part: Redis and the workers. Nothing depends on them."""

from __future__ import annotations

from collections.abc import Iterator

from redis.exceptions import RedisError
from rq import Worker

from domain.canonical import JsonObject
from ops.cli_checks import Check, note, ok, problem
from ops.probing import SILENT_SECONDS_MAX, silent_seconds
from ops.settings import Settings
from workers.doorbell import open_redis


def check_bell(settings: Settings) -> Iterator[Check]:
    """Whether Redis answers, and which workers have been heard of; its address is not shown."""
    if settings.redis_url is None:
        yield problem("redis", "MEMORANDA_REDIS_URL is missing", "set it: the server mode needs it")
        return
    redis = open_redis(settings.redis_url.get_secret_value())
    try:
        redis.ping()
        silent = [silent_seconds(one) for one in Worker.all(redis)]
    except (RedisError, OSError) as error:
        yield note(
            "redis",
            f"it is away ({type(error).__name__}): read models follow a second or two later",
            "check MEMORANDA_REDIS_URL, and that it runs; no data is in it",
        )
        return
    finally:
        redis.close()
    yield ok("redis", "it answers")
    yield _check_workers(silent)


def _check_workers(silent: list[float]) -> Check:
    heard = sum(seconds <= SILENT_SECONDS_MAX for seconds in silent)
    facts: JsonObject = {"heard": heard, "silent": len(silent) - heard}
    if not heard:
        return note(
            "workers",
            "none has been heard of: whoever reads catches up by itself",
            "start some with `memoranda worker`",
            **facts,
        )
    if facts["silent"]:
        return note("workers", f"{heard} are at work, {facts['silent']} fell silent", **facts)
    return ok("workers", f"{heard} are at work", **facts)
