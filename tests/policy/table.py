"""`make scenarios`: every case of the policy through every door, beside stores without a policy.

A line a case: `ok` or what is wrong for each door, or that no command makes its stream; then for
each baseline and for the first door whether the first item is the expected one. Ends with 1 where a
door fails a case.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.policy.baselines import BASELINES
from tests.policy.cases import CASES, REFUSALS, differences
from tests.policy.doors import DOORS, Door
from tests.policy.exported import exported_door
from tests.policy.over_http import BY_IMPORT, expected_over_http, http_door
from tests.server_mode.conftest import MASTER_KEY, working
from tests.services.databases import migrate
from tests.services.postgres_server import PostgresServer
from tests.services.redis_server import RedisServer

_WIDTH: Final = 18
BY_FILE: Final = "ok, imported"
"""Of a case whose stream no command makes, and which is right."""


def verdict(door: Door, case: dict[str, Any]) -> str:
    """`ok`, or in a word what is wrong with the answer of a door."""
    good = "ok"
    if door not in DOORS:
        case = expected_over_http(case)
        good = BY_FILE if case["id"] in BY_IMPORT else good
    if "event" in case:
        reason = door.refusal(case)
        return good if reason == case["expected_error"] else f"{reason}"
    return ", ".join(differences(case, door.answer(case))) or good


def first_right(case: dict[str, Any], selected: Sequence[str]) -> bool:
    """Whether an answer begins as expected; an empty one where nothing is expected."""
    return list(selected[:1]) == case["expected"]["selected"][:1]


def beside(case: dict[str, Any]) -> list[bool]:
    """Of a case, whether each baseline and ours give the expected first item."""
    found = [baseline(case) for baseline in BASELINES.values()]
    return [first_right(case, one) for one in [*found, DOORS[0].answer(case)["selected"]]]


def _line(*cells: str) -> None:
    print("  ".join(cell.ljust(_WIDTH) for cell in cells).rstrip())


@contextmanager
def doors() -> Iterator[list[Door]]:
    """The resolver, a server on a folder, one on PostgreSQL with a worker that Redis wakes, and
    stores that imported what a third one has exported.
    """
    with TemporaryDirectory() as name, ExitStack() as running:
        folder = Path(name)
        folder.chmod(0o711)  # PostgreSQL runs as nobody
        elsewhere = folder / "elsewhere"
        elsewhere.mkdir()
        database, doorbell = PostgresServer(folder / "postgres"), RedisServer(folder / "redis")
        for server in (database, doorbell):
            server.start()
            running.callback(server.remove)
        migrate(database.url)
        settings = {
            "database_url": database.url,
            "redis_url": doorbell.url,
            "master_key": MASTER_KEY,
        }
        running.enter_context(working(settings))
        yield [
            *DOORS,
            running.enter_context(http_door("HTTP, SQLite", folder / "one")),
            running.enter_context(http_door("HTTP, PostgreSQL", folder / "other", **settings)),
            running.enter_context(exported_door("export, imported", folder / "third", elsewhere)),
        ]


def main() -> int:
    with doors() as found:
        return _table(found)


def _table(asked: Sequence[Door]) -> int:
    count, cases = len(CASES) + len(REFUSALS), len(CASES)
    _line("case", *(door.name for door in asked), "| first item:", *BASELINES, "ours")
    verdicts: Counter[tuple[str, str]] = Counter()
    right = [0] * (len(BASELINES) + 1)
    for case in [*CASES, *REFUSALS]:
        said = [verdict(door, case) for door in asked]
        verdicts.update(zip((door.name for door in asked), said, strict=True))
        marks = beside(case) if "query" in case else []
        right = [n + one for n, one in zip(right, marks or [False] * len(right), strict=True)]
        _line(case["id"], *said, "|", *("right" if one else "wrong" for one in marks))
    passed = [verdicts[door.name, "ok"] + verdicts[door.name, BY_FILE] for door in asked]
    _line("passed", *(f"{n} of {count}" for n in passed), "|", *(f"{n} of {cases}" for n in right))
    _line("by a file", *(str(verdicts[door.name, BY_FILE]) for door in asked))
    return 0 if all(n == count for n in passed) else 1


if __name__ == "__main__":
    sys.exit(main())
