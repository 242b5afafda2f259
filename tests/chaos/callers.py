"""Callers over HTTP who give no command up: unanswered ones are repeated under their key."""

from __future__ import annotations

import http.client
import json
import threading
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

from domain.canonical import JsonObject
from tests.chaos.commands import MUTATIONS, VERBS, Seen, command
from tests.chaos.journals import Journal, Told
from tests.chaos.servers import Gate
from tests.cli.processes import HOST_KEY

ANSWER_SECONDS_MAX: Final = 60
PAUSE_SECONDS: Final = 0.05
"""Before a refused command is sent again: less than servers ask for, so that they are pressed."""
BATCH: Final = 3
_NOT_FINAL: Final = ("DURABILITY_FAILED", "OVERLOADED")
POISON: Final = 0.01
_PERMISSIONS: Final = "read,write,trace,forget,consolidate"


class Caller(threading.Thread):
    """One writer. It ends, with everything answered, once it is told to."""

    verbs: tuple[str, ...] = VERBS

    def __init__(
        self, number: int, gate: Gate, seen: Seen, journal: Path, dice: Random, workspace: str
    ) -> None:
        super().__init__(name=f"caller-{number}", daemon=True)
        self._gate = gate
        self._seen = seen
        self._journal = Journal(journal)
        self._dice = dice
        self._workspace = workspace
        self.actor = f"caller-{number}"
        self._last: Told | None = None
        self._connection: http.client.HTTPConnection | None = None
        self._port = 0
        self._ending = threading.Event()
        self._never = threading.Event()
        self.commands = 0
        self.repeated = 0
        self.replays_unlike: list[tuple[Told, JsonObject]] = []

    def end(self) -> None:
        """Answer what is begun, then no more."""
        self._ending.set()

    def run(self) -> None:
        """Commands one after the other; each answer is on the disk before the next one."""
        try:
            while not self._ending.is_set():
                self._one_turn()
        except BaseException as failure:  # noqa: BLE001 - told by who waits for this thread
            self._gate.fail(f"{self.name}: {failure!r}")
        finally:
            self._disconnect()
            self._journal.close()

    def _one_turn(self) -> None:
        kind = self._dice.randrange(12)
        if kind == 0 and self._last is not None:
            self._ask_again(self._last)
        elif kind == 1:
            self._batch()
        else:
            envelope = self._command()
            self._keep(envelope, self._told("/v1/memory/operations", envelope))

    def _command(self, verbs: tuple[str, ...] | None = None) -> JsonObject:
        self.commands += 1
        # The same keys for every actor and workspace: that they are apart is part of the scope.
        return command(self._dice, self._seen, f"command-{self.commands}", verbs or self.verbs)

    def _batch(self) -> None:
        """Several at once, all or nothing."""
        items = [self._command(MUTATIONS) for _ in range(BATCH)]
        said = {"items": items, "atomic": True}
        answers = self._told("/v1/memory/batch", said)
        for item, answer in zip(items, answers["items"], strict=True):
            self._keep(item, answer)

    def _keep(self, envelope: JsonObject, answer: JsonObject) -> None:
        told = Told(self._workspace, self.actor, envelope, answer)
        self._journal.keep(told)
        self._seen.learn(told)
        if told.receipt:
            self._last = told

    def _ask_again(self, told: Told) -> None:
        """What was answered once is answered for ever, whatever died meanwhile."""
        answer = self._told("/v1/memory/operations", told.envelope)
        again = Told(self._workspace, self.actor, told.envelope, answer).receipt
        if again != {**told.receipt, "replayed": True}:
            self.replays_unlike.append((told, answer))

    def _told(self, path: str, said: JsonObject) -> JsonObject:
        """The final answer: lost connections and refusals that ask for it are tried again."""
        body = json.dumps(said).encode()
        first = True
        while True:
            self.repeated += not first
            first = False
            with suppress(OSError, http.client.HTTPException):
                status, answer = self._post(path, body)
                self._gate.answered()
                if not _to_be_sent_again(status, answer):
                    return self._checked(status, answer)
                self._never.wait(PAUSE_SECONDS)
                continue
            self._disconnect()
            # A server that was killed is asked until somebody has noticed.
            self._never.wait(PAUSE_SECONDS / 5)

    def _checked(self, status: int, answer: Any) -> JsonObject:
        assert isinstance(answer, dict), answer
        assert status < http.HTTPStatus.INTERNAL_SERVER_ERROR, answer
        return answer

    def _post(self, path: str, body: bytes) -> tuple[int, Any]:
        port = self._gate.port()
        if self._connection is None or self._port != port:
            self._disconnect()
            self._port = port
            self._connection = http.client.HTTPConnection(
                "127.0.0.1", port, timeout=ANSWER_SECONDS_MAX
            )
        self._gate.sending()
        self._connection.request("POST", path, body, self._headers())
        response = self._connection.getresponse()
        return response.status, json.loads(response.read())

    def _headers(self) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {HOST_KEY}",
            "Content-Type": "application/json",
            "X-Workspace-Id": self._workspace,
            "X-Actor-Id": self.actor,
            "X-Permissions": _PERMISSIONS,
        }

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _to_be_sent_again(status: int, answer: Any) -> bool:
    """Whether it is no final answer; items of a batch have each an answer of their own."""
    items = answer.get("items", ()) if isinstance(answer, dict) else ()
    codes = {item["error"]["code"] for item in items if "error" in item}
    return status == http.HTTPStatus.SERVICE_UNAVAILABLE or not codes.isdisjoint(_NOT_FINAL)


class Poisoner(Caller):
    """A caller who marks a request in a hundred: what it makes cannot be handled later.

    It forgets less often: an erasure is waited for to the last byte, and the pace is to be high.
    """

    verbs = (*VERBS, *(verb for verb in VERBS if verb not in ("forget", "recall")))

    def __init__(self, *arguments: Any, mark: str) -> None:
        super().__init__(*arguments)
        self._begins = mark
        self._mark = ""

    def _one_turn(self) -> None:
        marked = self._dice.random() < POISON
        self._mark = f"{self._begins}{self.actor}-{self.commands}" if marked else ""
        super()._one_turn()

    def _headers(self) -> dict[str, str]:
        named = {"X-Request-Id": self._mark} if self._mark else {}
        return super()._headers() | named
