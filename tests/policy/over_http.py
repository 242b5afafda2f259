"""The cases of the policy through the HTTP door of a server that runs as anybody starts it."""

from __future__ import annotations

import http.client
import itertools
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import quote

from domain.canonical import JsonObject
from domain.errors import Code, MemorandaError
from ops.settings import ServerMode
from tests.cli.processes import HOST_KEY, memoranda, serving
from tests.policy.doors import Door
from tests.policy.foreign import arrived
from tests.policy.playing import Played, Send

BY_IMPORT: Final = {
    "C07": "STALE_TARGET",
    "C09": "TARGET_NOT_FOUND",
    "D07": "TARGET_DELETED",
    "D13": "SLOT_FORGOTTEN",
    "D14": "TARGET_NOT_FOUND",
    "D15": "TARGET_NOT_FOUND",
    "V17": "TARGET_NOT_FOUND",
    "V18": None,
}
"""Cases whose stream no command makes, and how a command that tries is refused.

V17 targets itself, and an id is the store's; V18 has a control character in its slot, which is
then none (spec/operations.md §10).
"""
_ALL: Final = "read,write,trace,forget,consolidate"
_SUMMARISED: Final = frozenset({"no_lexical_match", "rank_cutoff", "deleted"})
"""Reasons that an answer over text does not list (operations.md §10, I9)."""


class HttpStore:
    """A running server; every case has a workspace of its own, with strict sessions."""

    def __init__(self, host: str, port: int, keeper: str, where: Path | ServerMode) -> None:
        self._connection = http.client.HTTPConnection(host, port, timeout=60)
        self._keeper = keeper
        self._numbers = itertools.count(1)
        self.where = where
        """What holds the store, for commands beside it."""

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def answer(self, case: Mapping[str, Any]) -> JsonObject:
        """The answer to a case, in its own names; imported where no command makes its stream."""
        if case["id"] not in BY_IMPORT:
            return self.commanded(case)
        return self.arrived(case["events"])[1].ask(case["query"])

    def commanded(self, case: Mapping[str, Any]) -> JsonObject:
        """The answer to a case whose events are sent as commands."""
        _, played = self.begin()
        for event in case["events"]:
            played.play(event)
        return played.ask(case["query"])

    def refusal(self, case: Mapping[str, Any]) -> str | None:
        """The reason for which the event of a case is refused; None where it is taken."""
        if case["id"] not in BY_IMPORT:
            return self.commanded_refusal(case)
        try:
            self.arrived([*case["history"], case["event"]])
        except MemorandaError as refusal:
            return refusal.reason
        return None

    def commanded_refusal(self, case: Mapping[str, Any]) -> str | None:
        """The same of an event that is sent as a command."""
        _, played = self.begin()
        for event in case["history"]:
            played.play(event)
        try:
            played.play(case["event"])
        except MemorandaError as refusal:
            return refusal.reason
        return None

    def arrived(self, events: Sequence[Mapping[str, Any]]) -> tuple[str, Played]:
        """A new workspace that was imported beside the server, by its name."""
        workspace = f"case-{next(self._numbers)}"
        send = self._sender(workspace)
        with TemporaryDirectory() as folder:
            return workspace, arrived(self.where, events, workspace, send, Path(folder))

    def begin(self) -> tuple[str, Played]:
        """A new workspace for a case, by its name."""
        workspace = f"case-{next(self._numbers)}"
        change = {"session_isolation": "strict", "require_source": True}
        self._asked("PATCH", "/v1/settings", change, self._keeper, workspace, "s")
        return workspace, Played(self._sender(workspace))

    def _sender(self, workspace: str) -> Send:
        def send(operation: str, said: JsonObject, how: Mapping[str, str]) -> JsonObject:
            body = {
                "contract_version": "v1",
                "operation": operation,
                "input": said,
                "idempotency_key": f"{workspace} {next(self._numbers)}",
            }
            late = {"X-Recorded-At": how["recorded_at"]} if "recorded_at" in how else {}
            found = self._asked(
                "POST", "/v1/memory/operations", body, HOST_KEY, workspace, how["session"], **late
            )
            result: JsonObject = found["result"]["result"]
            return result

        return send

    def _asked(
        self,
        method: str,
        path: str,
        body: JsonObject,
        key: str,
        workspace: str,
        session: str,
        **more: str,
    ) -> JsonObject:
        headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "X-Workspace-Id": workspace,
            "X-Actor-Id": "ann",
            "X-Permissions": _ALL,
            "X-Session-Id": quote(session, safe=""),
            **more,
        }
        self._connection.request(method, path, json.dumps(body).encode(), headers)
        found: JsonObject = json.loads(self._connection.getresponse().read())
        if "error" in found:
            said = found["error"]
            raise MemorandaError(Code(said["code"]), said["message"], reason=said.get("reason"))
        return found


@contextmanager
def http_door(name: str, data: Path, **settings: Any) -> Iterator[Door]:
    """The door of a server on a data folder, or on the database of the settings."""
    with opened_store(data, **settings) as store:
        yield Door(name, store.answer, store.refusal)


@contextmanager
def opened_store(data: Path, **settings: Any) -> Iterator[HttpStore]:
    """A server on a data folder, or on the database of the settings."""
    with serving(data, host_key=HOST_KEY, **settings) as server:
        keeper = _keeper(data, settings)
        where: Path | ServerMode = data
        if "database_url" in settings:
            key = bytes.fromhex(settings["master_key"])
            where = ServerMode(settings["database_url"], settings["redis_url"], key)
        with closing(HttpStore(server.host, server.port, keeper, where)) as store:
            yield store


def _keeper(data: Path, settings: Mapping[str, str]) -> str:
    """A host key that may change settings, made beside the running server."""
    where = () if "database_url" in settings else ("--data", data)
    made = memoranda(
        *("keys", "create", "--name", "keeper", "--permissions", "host,policy", "--json"),
        *where,
        settings=settings,
    )
    if made.returncode != 0:
        raise subprocess.CalledProcessError(made.returncode, made.args, made.stdout, made.stderr)
    token: str = json.loads(made.stdout)["token"]
    return token


def expected_over_http(case: Mapping[str, Any]) -> dict[str, Any]:
    """A case as an answer of recall tells it: over text it summarises what did not match."""
    if "text" not in case.get("query", ()):
        return dict(case)
    excluded = [one for one in case["expected"]["excluded"] if one["reason"] not in _SUMMARISED]
    return {**case, "expected": {**case["expected"], "excluded": excluded}}
