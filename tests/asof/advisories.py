"""`make asof-advisories`: what was known on a date, asked of the store and of its history.

The whole PyPA advisory history is remembered in the order of its commits, with the time of the
commit as recording time and the day of publication as the beginning of validity; a withdrawal and a
removal are a forget `expire`. Then for dates × advisories the store is asked over HTTP what was
known at the position of the last revision that was committed by the date, and `revisions.py`, which
imports nothing of the store, is asked the same. Ends with 1 where one pair differs.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from starlette.testclient import TestClient

from domain.canonical import JsonObject
from domain.context import CONTRACT_PERMISSIONS, Context
from domain.instants import parse_instant
from ops.advisories import load_sample
from ops.http.app import create_app
from ops.memoranda import Memoranda
from ops.settings import Settings
from ops.wiring import open_memoranda
from tests.asof.revisions import Revision, committed_by, instant, known, spelled
from tests.http.api import HOST_KEY, host_headers

HISTORY: Final = Path(__file__).resolve().parents[3] / "shared/data/pypa-advisories"
WORKSPACE: Final = "advisories"
_BATCH: Final = 500


@dataclass(frozen=True)
class Compared:
    """How many pairs were compared, differ, and differ from what is known today."""

    pairs: int
    different: int
    unlike_today: int


def history(path: Path | None) -> list[Revision]:
    """The revisions of a file, or of the shipped sample."""
    if path is None:
        return list(load_sample())
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def commands(revision: Revision) -> Iterator[tuple[str, JsonObject]]:
    """What a revision makes a client say; `memory` stands for the id of the advisory."""
    if revision["action"] != "remove":
        value = {
            "text": revision["details"].strip() or revision["path"],
            "properties": {
                name: revision[name]
                for name in ("id", "aliases", "modified", "affected", "references", "severity")
            },
        }
        yield (
            "remember",
            {
                "identity_key": revision["path"],
                "kind": "advisory",
                "schema_version": "1",
                "content": {"format": "text_and_properties", "value": value},
                "provenance": [{"source_id": f"commit {revision['commit']}"}],
                "valid_from": spelled(revision["published"]),
                "tags": [],
            },
        )
    removed = revision["action"] == "remove"
    ends = revision["recorded_at"] if removed else spelled(revision["withdrawn"])
    if ends is not None:
        yield "forget", {"mode": "expire", "expires_at": ends, "reason": revision["action"]}


class Store:
    """A store that has seen the history, and its HTTP door."""

    def __init__(self, memoranda: Memoranda, client: TestClient) -> None:
        self._memoranda = memoranda
        self._client = client
        self.ids: dict[str, str] = {}
        self.positions = [0]
        """By number of revisions: the last position of the last of them."""

    def remember(self, revisions: Sequence[Revision]) -> None:
        """All revisions, in order; an advisory is forgotten by the id that its first gave it."""
        waiting: list[tuple[int, Context, JsonObject, str]] = []
        numbers = itertools.count(1)
        self.positions += [0] * len(revisions)
        for at, revision in enumerate(revisions, 1):
            for operation, about in commands(revision):
                said = about
                if operation == "forget":
                    self._send(waiting)
                    waiting = []
                    if revision["path"] not in self.ids:
                        continue  # the history removes what it never had
                    said = {**about, "memory_id": self.ids[revision["path"]]}
                body = _envelope(operation, said, next(numbers))
                waiting.append((at, _context(revision), body, revision["path"]))
            if len(waiting) >= _BATCH - 1:
                self._send(waiting)
                waiting = []
        self._send(waiting)
        for at in range(1, len(self.positions)):
            self.positions[at] = max(self.positions[at], self.positions[at - 1])

    def _send(self, waiting: Sequence[tuple[int, Context, JsonObject, str]]) -> None:
        if not waiting:
            return
        answers = self._memoranda.execute_each([(context, body) for _, context, body, _ in waiting])
        for (at, _, _, path), answer in zip(waiting, answers, strict=True):
            if "error" in answer:
                raise RuntimeError(f"{path}: {answer['error']}")
            receipt = answer["result"]["result"]["receipt"]
            self.ids.setdefault(path, receipt["committed_id"])
            self.positions[at] = receipt["position"]

    def known(self, path: str, count: int, date: str) -> Any:
        """What the store says that it knew of an advisory after so many revisions."""
        if path not in self.ids:
            return None
        asked = {"as_known_position": self.positions[count], "as_of": date}
        headers = host_headers(workspace=WORKSPACE)
        response = self._client.get(f"/v1/memories/{self.ids[path]}", params=asked, headers=headers)
        if response.status_code == 404:
            return None
        body = response.json()
        return {
            "content": body["content"]["value"],
            "valid_from": body["valid_from"],
            "reason": None if body["excluded"] is None else body["excluded"]["reason"],
        }


@contextmanager
def remembered(revisions: Sequence[Revision]) -> Iterator[Store]:
    """A new store that has seen all revisions."""
    with TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        memoranda = open_memoranda(data)
        try:
            app = create_app(memoranda, Settings(data=data, host_key=HOST_KEY))
            with TestClient(app, base_url="http://127.0.0.1:8420") as client:
                store = Store(memoranda, client)
                store.remember(revisions)
                memoranda.runner.wait_for(WORKSPACE, memoranda.log.head(), 600)
                yield store
        finally:
            memoranda.close()


def compare(store: Store, revisions: Sequence[Revision], dates: int, advisories: int) -> Compared:
    """Ask both of so many dates, evenly over the history, and so many changing advisories."""
    of_path: defaultdict[str, list[tuple[int, Revision]]] = defaultdict(list)
    for number, revision in enumerate(revisions, 1):
        of_path[revision["path"]].append((number, revision))
    often = sorted(of_path, key=lambda path: (-len(of_path[path]), path))
    paths = Random(1).sample(often[: 2 * advisories], advisories)
    first, last = (instant(revisions[at]["recorded_at"]) for at in (0, -1))
    step = (last - first) / dates
    different = unlike = 0
    for at in range(1, dates + 1):
        date = first + at * step - timedelta(microseconds=at)
        count = committed_by(revisions, date)
        for path in paths:
            expected = known(of_path[path], count, date)
            different += store.known(path, count, date.isoformat()) != expected
            unlike += expected != known(of_path[path], len(revisions), last)
    return Compared(dates * len(paths), different, unlike)


def _context(revision: Revision) -> Context:
    at = revision["recorded_at"]
    return Context(
        workspace=WORKSPACE,
        actor="pypa",
        session="history",
        permissions=CONTRACT_PERMISSIONS,
        request_id=revision["commit"],
        recorded_at=(at, parse_instant(at, "recorded_at")),
    )


def _envelope(operation: str, said: JsonObject, number: int) -> JsonObject:
    return {
        "contract_version": "v1",
        "operation": operation,
        "idempotency_key": f"revision {number}",
        "input": said,
    }


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--history", type=Path, default=HISTORY / "revisions.jsonl.gz")
    parser.add_argument("--dates", type=int, default=200)
    parser.add_argument("--advisories", type=int, default=50)
    given = parser.parse_args(None if arguments is None else list(arguments))
    path = given.history if given.history.exists() else None
    if path is None:
        print(f"SKIPPED: {given.history} is not there; the shipped sample is asked instead")
    revisions = history(path)
    with remembered(revisions) as store:
        found = compare(store, revisions, given.dates, given.advisories)
        print(f"{len(revisions)} revisions of {len(store.ids)} advisories remembered")
    print(f"{found.pairs} compared, {found.different} different")
    print(f"{found.unlike_today} of them unlike what is known today")
    return 1 if found.different else 0


if __name__ == "__main__":
    sys.exit(main())
