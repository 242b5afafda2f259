"""From identity keys to ids, as they stand just before a line is executed.

Three places know, and are asked in this order: what this import has itself written; the receipt of
the line, where it was executed by an earlier import; the read models, once they have seen all of
the log. The receipt makes a repeated import a replay even where a key has changed hands since.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, TypeAlias

from domain.canonical import JsonObject
from domain.context import Context
from domain.errors import Code, MemorandaError
from ops.import_entries import Entry, Kind, Path, Reference
from ops.memoranda import Memoranda
from read_api.list_filters import MemoryFilters, RelationshipFilters

KNOWN_MAX: Final = 200_000
"""Keys that an import keeps in memory, some 60 MiB; the others are looked up."""
_TARGETED: Final = {"update": ("target", "id"), "forget": ("memory_id",)}
Name: TypeAlias = tuple[str, str, Kind, str]


def _name(context: Context, kind: Kind, key: str) -> Name:
    return context.workspace, context.actor, kind, key


class KnownKeys:
    """Keys and ids of the lines that were executed, the least used ones forgotten."""

    def __init__(self, most: int | None = None) -> None:
        self._most = KNOWN_MAX if most is None else most
        self._ids: OrderedDict[Name, str] = OrderedDict()
        self._names: dict[str, set[Name]] = {}

    def get(self, context: Context, kind: Kind, key: str) -> str | None:
        """The id that a key stood for when it was last seen."""
        name = _name(context, kind, key)
        found = self._ids.get(name)
        if found is not None:
            self._ids.move_to_end(name)
        return found

    def learn(self, context: Context, kind: Kind, key: str, record_id: str) -> None:
        """A key stands for an id from here on."""
        name = _name(context, kind, key)
        self._forget_name(name)
        self._ids[name] = record_id
        self._names.setdefault(record_id, set()).add(name)
        if len(self._ids) > self._most:
            self._forget_name(next(iter(self._ids)))

    def drop(self, record_id: str) -> None:
        """A record is forgotten for good: its keys are free."""
        for name in list(self._names.get(record_id, ())):
            self._forget_name(name)

    def _forget_name(self, name: Name) -> None:
        record_id = self._ids.pop(name, None)
        if record_id is not None:
            names = self._names[record_id]
            names.discard(name)
            if not names:
                del self._names[record_id]


class Resolver:
    """Finds the ids that the references of an entry stand for."""

    def __init__(self, memoranda: Memoranda) -> None:
        self._memoranda = memoranda
        self.known = KnownKeys()

    def ids(self, entry: Entry) -> dict[Path, str]:
        """An id for each reference; NOT_FOUND names the first one that stands for nothing."""
        found: dict[Path, str] = {}
        executed: dict[Path, str] | None = None
        for reference in entry.references:
            record_id = self.known.get(entry.context, reference.kind, reference.key)
            if record_id is None:
                executed = self._of_receipt(entry) if executed is None else executed
                record_id = executed.get(reference.path) or self._stored(entry, reference)
                self.known.learn(entry.context, reference.kind, reference.key, record_id)
            found[reference.path] = record_id
        return found

    def _of_receipt(self, entry: Entry) -> dict[Path, str]:
        """The ids that the line was executed with before; empty where it was not."""
        if not isinstance(entry.key, str) or not entry.key.strip():
            return {}
        try:
            trace = self._ask(entry.context, entry.key)
        except MemorandaError as refusal:
            if refusal.code is Code.NOT_FOUND:
                return {}
            raise
        details = trace["details"]
        if details["idempotency_key"] != entry.key or details["operation"] != entry.operation:
            return {}
        path = _TARGETED.get(str(entry.operation))
        if path is not None:
            return {path: details["committed_id"]}
        ends = trace["paths"][0]["memory_ids"] if trace["paths"] else []
        return {("source_id",): ends[0], ("target_id",): ends[-1]} if ends else {}

    def _ask(self, context: Context, key: str) -> JsonObject:
        envelope = {
            "contract_version": "v1",
            "operation": "trace",
            "input": {"target": {"kind": "mutation", "id": key}},
        }
        answer: JsonObject = self._memoranda.execute(context, envelope)["result"]["result"]
        return answer

    def _stored(self, entry: Entry, reference: Reference) -> str:
        read, context = self._memoranda.read, entry.context
        read.wait(context.workspace, self._memoranda.log.head())
        if reference.kind == "memory":
            page = read.memories(context, MemoryFilters(identity_key=reference.key))
        else:
            page = read.relationships(context, RelationshipFilters(identity_key=reference.key))
        # A private record may have the same key as one that everybody sees; that one is meant.
        found = sorted(page["items"], key=lambda item: item["visibility"] != "workspace")
        if not found:
            raise MemorandaError(
                Code.NOT_FOUND,
                f"{reference.field} names an identity_key that no addressable "
                f"{reference.kind} has here: put its line first",
                field=reference.field,
            )
        record_id: str = found[0]["id"]
        return record_id
