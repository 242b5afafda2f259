"""trace: how a record, a recall or a mutation came about, told from the log alone.

Never a projection: what trace says holds when every read model is gone (spec/operations.md §7).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from domain.canonical import JsonObject
from domain.context import Context
from domain.contract import TraceInput, TraceTarget
from domain.errors import MemorandaError, not_found
from domain.event_bases import Target
from domain.events import CommandRecorded, RecallRecorded
from domain.ids import MEMORY, PROPOSAL, RECALL, RELATIONSHIP, decode_id
from domain.ports import LogReader
from domain.recorded import RecordedEvent
from read_api.decisions import Decisions
from read_api.histories import Histories
from read_api.recordings import quotes_forgotten, recall_details, returned, visible_to
from read_api.trace_gaps import memory_gaps, source_gaps
from read_api.trace_paths import path_of, paths_of
from read_api.trace_versions import Clearance, all_versions, authors, citing, version_entry

_HOMED: Final = (MEMORY, RELATIONSHIP, PROPOSAL)

ReceiptStream: TypeAlias = Callable[[Context, str], str | None]
"""The receipt stream of the context's actor and an idempotency key; None in an unknown
workspace."""


class Trace:
    """Answers trace. `receipt_stream` turns an idempotency key into the stream of its receipt."""

    def __init__(self, log: LogReader, receipt_stream: ReceiptStream) -> None:
        self._log = log
        self._receipt_stream = receipt_stream

    def answer(self, context: Context, said: TraceInput) -> JsonObject:
        """The `result` of trace (spec/operations.md §4).

        Raises NOT_FOUND for what is absent, of another workspace, owner or kind. Forgotten
        memories are traced; what is shown of them depends on the permissions of the context.
        """
        match said.target.kind:
            case "memory":
                return self._memory(context, said.target)
            case "relationship":
                return self._relationship(context, said.target)
            case "recall":
                return self._recall(context, said.target)
            case "mutation":
                return self._mutation(context, said.target)

    def _records(self, context: Context) -> Histories:
        return Histories(self._log, context.workspace, context.viewer)

    def _memory(self, context: Context, target: TraceTarget) -> JsonObject:
        records = self._records(context)
        found = records.memory(target.id)
        if found is None:
            raise _missing("the memory")
        edges = [history.last for history in records.edges(target.id)]
        head = self._log.head()
        decisions = Decisions(self._log, context.workspace, context.viewer, head)
        answer = _answer(
            target,
            found.events[-1],
            versions=citing(all_versions(found, Clearance.of(context)), decisions.one),
            paths=paths_of(edges),
            details={"record_kind": "memory"},
            gaps=memory_gaps(records, found, edges),
        )
        return {**answer, "policy_decisions": [one.as_json() for one in decisions.about(target.id)]}

    def _relationship(self, context: Context, target: TraceTarget) -> JsonObject:
        records = self._records(context)
        found = records.relationships([target.id]).get(target.id)
        if found is None:
            raise _missing("the relationship")
        return _answer(
            target,
            found.events[-1],
            versions=all_versions(found, Clearance.of(context)),
            paths=[path_of(found.last)],
            details={"record_kind": "relationship"},
            gaps=[] if found.last.erased else source_gaps(records, found.last),
        )

    def _recall(self, context: Context, target: TraceTarget) -> JsonObject:
        event, fact = self._recorded_recall(context, target.id)
        answered, clearance, records = returned(fact), Clearance.of(context), self._records(context)
        memories = records.memories(record for record, _ in fact.targets)
        hides = not clearance.audits and quotes_forgotten(fact, memories)
        return _answer(
            target,
            event,
            versions=self._versions(context, answered.items, MEMORY, records),
            paths=self._paths(context, answered.edges),
            details=recall_details(target.id, fact, reads=clearance.reads, hides=hides),
            gaps=[],
        )

    def _recorded_recall(
        self, context: Context, recall_id: str
    ) -> tuple[RecordedEvent, RecallRecorded]:
        if decode_id(recall_id, RECALL) is not None:
            for event in self._log.stream(context.workspace, recall_id):
                for fact in event.facts:
                    if isinstance(fact, RecallRecorded) and visible_to(context.viewer, fact):
                        return event, fact
        raise _missing("the recall")

    def _mutation(self, context: Context, target: TraceTarget) -> JsonObject:
        event, fact = self._receipt(context, target.id)
        records = self._records(context)
        versions = [
            *self._versions(context, fact.targets, MEMORY, records),
            *self._versions(context, fact.targets, RELATIONSHIP, records),
        ]
        return _answer(
            target,
            event,
            versions=versions,
            paths=self._paths(context, fact.targets),
            details=_mutation_details(fact),
            gaps=[],
        )

    def _receipt(self, context: Context, wanted: str) -> tuple[RecordedEvent, CommandRecorded]:
        """The receipt of a key of this actor, else the newest one with that correlation id."""
        own = self._receipt_stream(context, wanted)
        rows = self._log.references(context.workspace, "correlation", wanted)
        streams = [own] if own is not None else []
        for stream in [*streams, *(stream for stream, _ in reversed(rows))]:
            for event in self._log.stream(context.workspace, stream):
                for fact in event.facts:
                    if isinstance(fact, CommandRecorded) and self._shown(context, event, fact):
                        return event, fact
        raise _missing("the mutation")

    def _shown(self, context: Context, event: RecordedEvent, fact: CommandRecorded) -> bool:
        """Whether the actor may know of a command: his own, or of nothing private to others."""
        by, viewer = event.context, context.viewer
        if by.actor == viewer.actor and viewer.session in (None, by.session):
            return True
        records = self._records(context)
        named = {record for record, _ in fact.targets}
        if fact.payload is not None:
            named.add(fact.payload.committed_id)
        named = {record for record in named if record.startswith(_HOMED)}
        seen = records.memories(named).keys() | records.relationships(named).keys()
        return named <= seen | records.proposals(named)

    def _versions(
        self, context: Context, targets: Sequence[Target], prefix: str, records: Histories
    ) -> list[JsonObject]:
        """The targets of one kind, in order, each at its version."""
        clearance = Clearance.of(context)
        wanted = [(record, version) for record, version in targets if record.startswith(prefix)]
        ids = [record for record, _ in wanted]
        if prefix == MEMORY:
            memories = records.memories(ids)
            return [version_entry(memories[key], version, clearance) for key, version in wanted]
        edges = records.relationships(ids)
        return [version_entry(edges[key], version, clearance) for key, version in wanted]

    def _paths(self, context: Context, targets: Sequence[Target]) -> list[JsonObject]:
        """The paths of the relationships among the targets, as they were at their versions."""
        found = self._records(context).relationships(record for record, _ in targets)
        return paths_of(found[key].at(version) for key, version in targets if key in found)


def _mutation_details(fact: CommandRecorded) -> JsonObject:
    said: JsonObject = {} if fact.payload is None else fact.payload.model_dump()
    fields = ("idempotency_key", "operation", "committed_id", "committed_version", "mode")
    return {"record_kind": "mutation", **{name: said.get(name) for name in fields}}


def _missing(what: str) -> MemorandaError:
    return not_found(what, field="target.id")


def _answer(
    target: TraceTarget,
    author: RecordedEvent,
    *,
    versions: list[JsonObject],
    paths: list[JsonObject],
    details: JsonObject,
    gaps: list[JsonObject],
) -> JsonObject:
    by = authors(author)
    return {
        "target": {"kind": target.kind, "id": target.id},
        "versions": versions,
        "paths": paths,
        "actor_id": by["actor_id"],
        "agent_id": by["agent_id"],
        "session_id": by["session_id"],
        "policy_decisions": [],
        "details": details,
        "gaps": gaps,
    }
