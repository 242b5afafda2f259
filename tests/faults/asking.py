"""Asking a server that something is wrong with, and looking at its log."""

from __future__ import annotations

import http.client
import itertools
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from domain.canonical import JsonObject
from tests.cli.processes import HOST_KEY
from tests.inputs import BUDGET, envelope

OPERATIONS = "/v1/memory/operations"
HEADERS = {
    "Authorization": f"Bearer {HOST_KEY}",
    "Content-Type": "application/json",
    "X-Workspace-Id": "w",
    "X-Actor-Id": "ana",
    "X-Permissions": "read,write,trace,forget,consolidate",
}
_KEYS = itertools.count(1)


@dataclass(frozen=True)
class Answer:
    """A status, a body, and headers by lower-case name; either kind of error looks the same."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def result(self) -> Any:
        assert self.status == 200, self.body
        return self.body["result"]["result"]

    @property
    def error(self) -> JsonObject:
        said: JsonObject = self.body.get("error", self.body)
        return said

    @property
    def told(self) -> tuple[int, Any, Any, Any]:
        """What a client decides by: status, code, field, reason."""
        error = self.error
        return self.status, error["code"], error.get("field"), error.get("reason")


def body_of(operation: str, *, key: str | None = None, **said: Any) -> bytes:
    """An envelope under a new key."""
    named = {"idempotency_key": key or f"fault-{next(_KEYS)}"}
    return json.dumps(envelope(operation, envelope_changes=named, **said)).encode()


@dataclass(frozen=True)
class Client:
    """One server; a connection for each request, as after any failure."""

    host: str
    port: int

    def send(
        self, method: str, path: str, body: bytes | None = None, **headers: str | None
    ) -> Answer:
        """Headers by name with _ for -; one given as None is left out."""
        said = HEADERS | {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        with closing(connection):
            sent = {name: value for name, value in said.items() if value is not None}
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            text = response.read()
            said = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, json.loads(text), said)

    def do(self, operation: str, **said: Any) -> Answer:
        return self.send("POST", OPERATIONS, body_of(operation, **said))

    def get(self, path: str) -> Answer:
        return self.send("GET", path)

    def remember(self, text: str, **said: Any) -> str:
        """The id of a new memory."""
        content = {"format": "text", "value": text}
        found: str = self.do("remember", content=content, **said).result["record"]["id"]
        return found

    def recalled(self, words: str) -> list[str]:
        """Ids of what a question finds; on a busy machine, too."""
        limits = {**BUDGET, "timeout_ms": 60_000}
        answer = self.do("recall", objective=words, limits=limits).result
        return [item["record"]["id"] for item in answer["items"]]


def log_of(data: Path) -> list[tuple[Any, ...]]:
    """Every row of the log, read beside the server."""
    with closing(sqlite3.connect(f"file:{data / 'log.db'}?mode=ro", uri=True)) as log:
        return log.execute("SELECT * FROM event ORDER BY position").fetchall()
