"""One version of a record as trace tells it: what happened, by whom, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from domain.canonical import JsonObject
from domain.claims.decisions import DecisionState
from domain.claims.statement import statement_of
from domain.context import Context
from domain.event_bases import Lifecycle
from domain.events import MemoryForgotten
from domain.memory import MemoryState
from domain.policy_words import policy_words
from domain.recorded import RecordedEvent
from domain.relationship import RelationshipState
from read_api.histories import History

AnyState: TypeAlias = MemoryState | RelationshipState
AnyHistory: TypeAlias = History[MemoryState] | History[RelationshipState]


@dataclass(frozen=True, slots=True)
class Clearance:
    """What the permissions of a caller let a trace show.

    `reads`: the records themselves. `audits` (trace and forget): the free text of reasons, and
    what a tombstone hides from everybody else (spec/operations.md §7).
    """

    reads: bool
    audits: bool

    @classmethod
    def of(cls, context: Context) -> Clearance:
        """The clearance that a context stands for."""
        granted = context.permissions
        return cls(reads="read" in granted, audits={"trace", "forget"} <= granted)

    def sees_text(self, last: AnyState) -> bool:
        """Whether the text of a record may be shown, given the record as it is now."""
        if isinstance(last, RelationshipState) or last.forgotten is None:
            return True
        return last.forgotten == "tombstone" and self.audits


def all_versions(history: AnyHistory, clearance: Clearance) -> list[JsonObject]:
    """Every version, in order."""
    return [version_entry(history, state.version, clearance) for state in history.states]


def citing(
    entries: Iterable[JsonObject], decision: Callable[[str], DecisionState | None]
) -> list[JsonObject]:
    """The versions, those that cite an assessment with its policy and every version it read."""
    return [{**entry, **_cited(entry.get("record"), decision)} for entry in entries]


def _cited(
    record: JsonObject | None, decision: Callable[[str], DecisionState | None]
) -> JsonObject:
    said = statement_of(None if record is None else record["content"])
    if said.policy is None and said.assessment_id is None:
        return {}
    found = None if said.assessment_id is None else decision(said.assessment_id)
    read = () if found is None else found.read
    return {
        "policy": said.policy,
        "assessment_id": said.assessment_id,
        "evidence": [f"{one}@{version}" for one, version in read],
    }


def version_entry(history: AnyHistory, version: int, clearance: Clearance) -> JsonObject:
    """One version: the contract's four fields, then ours (spec/operations.md §4, trace)."""
    event = history.events[version - 1]
    state = history.at(version)
    before = history.at(version - 1) if version > 1 else None
    entry: JsonObject = {
        "record_id": state.id,
        "version": version,
        "from": _lifecycle(before),
        "lifecycle": state.lifecycle,
        "recorded_at": event.recorded_at,
        "event": event.topic,
        "meaning": [word for fact in event.facts for word in policy_words(fact)],
        "position": event.position,
        **authors(event),
        "reason": _reason(event) if clearance.audits else None,
        "changed": _changed(before, state),
    }
    if clearance.reads:
        entry["record"] = _record(history, state, clearance)
    return entry


def authors(event: RecordedEvent) -> JsonObject:
    """Who stood behind an event."""
    context = event.context
    return {
        "actor_id": context.actor,
        "agent_id": context.agent,
        "session_id": context.session,
        "request_id": context.request,
        "correlation_id": context.correlation,
    }


def _lifecycle(state: AnyState | None) -> Lifecycle | None:
    return None if state is None else state.lifecycle


def _reason(event: RecordedEvent) -> str | None:
    for fact in event.facts:
        if isinstance(fact, MemoryForgotten) and fact.payload is not None:
            return fact.payload.reason
    return None


def _changed(before: AnyState | None, after: AnyState) -> list[str]:
    """Names of the fields that differ, in alphabetical order; none for a first version."""
    if before is None:
        return []
    old, new = before.as_record(), after.as_record()
    fields = (old.keys() | new.keys()) - {"version", "recorded_at"}
    return sorted(field for field in fields if old.get(field) != new.get(field))


def _record(history: AnyHistory, state: AnyState, clearance: Clearance) -> JsonObject:
    if isinstance(state, MemoryState) and not clearance.sees_text(history.last):
        return state.without_text().as_record()
    return state.as_record()
