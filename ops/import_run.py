"""Executing entries in order, many in one transaction, each with a verdict of its own."""

from __future__ import annotations

from typing import Final

from domain.canonical import Json, JsonObject
from domain.errors import Code, MemorandaError
from ops.import_entries import Entry, Kind, Path
from ops.import_ledger import Ledger, RefusedLine
from ops.import_references import Resolver
from ops.memoranda import Memoranda

BATCH_LINES_MAX: Final = 200
BATCH_BYTES_MAX: Final = 8 * 1024 * 1024
_ALONE: Final = ("recall", "trace")
_NAMED: Final[dict[str, tuple[str, Kind]]] = {
    "remember": ("record", "memory"),
    "relate": ("relationship", "relationship"),
}


class ImportStoppedError(Exception):
    """The store could not go on; what was executed stays, and the same import goes on later."""


class Batches:
    """Collects entries and executes them; `done` is the last line that has its verdict."""

    def __init__(self, memoranda: Memoranda, ledger: Ledger) -> None:
        self._memoranda = memoranda
        self._ledger = ledger
        self._resolver = Resolver(memoranda)
        self._waiting: list[tuple[Entry, JsonObject, Json]] = []
        self._bytes = 0
        self._claimed: set[tuple[str, str]] = set()
        self.done = 0

    def add(self, entry: Entry, size: int, said: Json) -> None:
        """An entry, after all before it; `said` is the line as it was, for a refusal."""
        if entry.operation in _ALONE or self._refers_to_waiting(entry):
            self.flush()
        try:
            ids = self._resolver.ids(entry)
        except MemorandaError as refusal:
            self.refuse(entry.number, refusal, said)
            return
        if entry.operation in _ALONE:
            self._alone(entry, ids, said)
            return
        self._waiting.append((entry, entry.with_ids(ids), said))
        self._bytes += size
        name = entry.input.get("identity_key")
        if isinstance(name, str):
            self._claimed.add((entry.context.workspace, name))
        if len(self._waiting) >= BATCH_LINES_MAX or self._bytes >= BATCH_BYTES_MAX:
            self.flush()

    def refuse(self, number: int, refusal: MemorandaError, said: Json) -> None:
        """A line that cannot be executed; those before it are, first."""
        self.flush()
        self._verdict(number, {"ok": False, "error": refusal.as_wire()}, said)

    def flush(self) -> None:
        """Execute what waits, in one transaction."""
        waiting, self._waiting, self._bytes = self._waiting, [], 0
        self._claimed.clear()
        if not waiting:
            return
        commands = [(entry.context, envelope) for entry, envelope, _ in waiting]
        try:
            answers = self._memoranda.execute_each(commands)
        except MemorandaError as error:
            raise _stopped(waiting[0][0].number, error.message) from None
        for (entry, envelope, said), answer in zip(waiting, answers, strict=True):
            if self._verdict(entry.number, answer, said):
                self._learn(entry, envelope, answer["result"]["result"])

    def _refers_to_waiting(self, entry: Entry) -> bool:
        workspace = entry.context.workspace
        return any((workspace, one.key) in self._claimed for one in entry.references)

    def _alone(self, entry: Entry, ids: dict[Path, str], said: Json) -> None:
        try:
            answer = self._memoranda.execute(entry.context, entry.with_ids(ids))
        except MemorandaError as refusal:
            answer = {"ok": False, "error": refusal.as_wire()}
        self._verdict(entry.number, answer, said)

    def _verdict(self, number: int, answer: JsonObject, said: Json) -> bool:
        error = answer.get("error")
        if error is None:
            receipt = answer["result"]["result"].get("receipt") or {}
            self._ledger.accept(replayed=bool(receipt.get("replayed")))
        elif error["retryable"] or error["code"] == Code.INTERNAL.value:
            # Not the line's fault: counted as refused it would be lost.
            raise _stopped(number, error["message"])
        else:
            self._ledger.refuse(
                RefusedLine(
                    line=number,
                    code=error["code"],
                    message=error["message"],
                    field=error.get("field"),
                    reason=error.get("reason"),
                ),
                said,
            )
        self.done = number
        return error is None

    def _learn(self, entry: Entry, envelope: JsonObject, result: JsonObject) -> None:
        said = envelope["input"]
        if entry.operation in _NAMED:
            member, kind = _NAMED[str(entry.operation)]
            if said.get("identity_key") is not None:
                found = result[member]["id"]
                self._resolver.known.learn(entry.context, kind, said["identity_key"], found)
        elif entry.operation == "forget" and said["mode"] != "expire":
            self._resolver.known.drop(said["memory_id"])


def _stopped(number: int, message: str) -> ImportStoppedError:
    return ImportStoppedError(
        f"stopped before line {number}: {message}. What came before it stays; start the same "
        "import again to go on"
    )
