"""One line of an import file: a trusted context, and an envelope that may name keys for ids.

An import file is written before the store gives ids, so wherever an input takes an id, a line may
hold `{"identity_key": "…"}`: the addressable record with that key, just before the line is
executed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from domain.canonical import Json, JsonObject
from domain.context import CONTRACT_PERMISSIONS, Context
from domain.errors import invalid
from domain.instants import parse_instant
from ops.trusted_names import check_scope, check_session, check_workspace

SESSION: Final = "import"
_CONTEXT: Final = frozenset({"recorded_at", "workspace", "actor", "session", "agent"})
_ONE: Final = ("source_id", "target_id", "memory_id", "canonical_id")
_MANY: Final = ("memory_ids", "seed_ids")
Kind: TypeAlias = Literal["memory", "relationship"]
Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """A key in the place of an id; `path` leads to it from the input."""

    path: Path
    kind: Kind
    key: str

    @property
    def field(self) -> str:
        """The path as error bodies name fields."""
        return ".".join(map(str, self.path))


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that was understood; whether its operation is right shows when it is executed."""

    number: int
    context: Context
    envelope: JsonObject
    references: tuple[Reference, ...]

    @property
    def operation(self) -> Json:
        """The operation that the line names."""
        return self.envelope.get("operation")

    @property
    def key(self) -> Json:
        """The idempotency key."""
        return self.envelope.get("idempotency_key")

    @property
    def input(self) -> JsonObject:
        """The input; empty where it is no object."""
        said = self.envelope.get("input")
        return said if isinstance(said, dict) else {}

    def with_ids(self, ids: Mapping[Path, str]) -> JsonObject:
        """The envelope with ids in the places of its references."""
        said: Json = self.input
        for path, found in ids.items():
            said = _put(said, path, found)
        return {**self.envelope, "input": said} if ids else self.envelope


def _as_said(context: Context) -> Context:
    return context


@dataclass(frozen=True, slots=True)
class Reader:
    """What lines get that do not say it themselves; `seed` tells one import from another."""

    workspace: str
    actor: str
    seed: str
    admit: Callable[[Context], Context] = _as_said
    """What becomes of the context that a line says; it may refuse it."""

    def entry(self, number: int, line: Json) -> Entry:
        """Read a parsed line; INVALID_REQUEST for one that has no envelope or a wrong context."""
        if not isinstance(line, dict):
            raise invalid("a line must be a JSON object: a context and an envelope")
        envelope = {name: value for name, value in line.items() if name != "context"}
        if envelope.get("idempotency_key") is None:
            envelope["idempotency_key"] = f"import:{self.seed}:{number}"
        context = self._context(number, line.get("context"))
        found = envelope.get("input")
        references = tuple(_references(found)) if isinstance(found, dict) else ()
        return Entry(number, context, envelope, references)

    def _context(self, number: int, said: Json) -> Context:
        given = {} if said is None else said
        if not isinstance(given, dict):
            raise invalid("context must be a JSON object", field="context")
        unknown = sorted(given.keys() - _CONTEXT)
        if unknown:
            raise invalid(f"{unknown[0]!r} is not part of a context: remove it", field="context")
        for name, value in given.items():
            if not isinstance(value, str):
                raise invalid(f"context.{name} must be a string", field=f"context.{name}")
        recorded_at = given.get("recorded_at")
        agent = given.get("agent")
        when = (
            None
            if recorded_at is None
            else (recorded_at, parse_instant(recorded_at, "context.recorded_at"))
        )
        context = Context(
            workspace=check_workspace(given.get("workspace", self.workspace), "context.workspace"),
            actor=check_scope(given.get("actor", self.actor), "context.actor"),
            agent=None if agent is None else check_scope(agent, "context.agent"),
            session=check_session(given.get("session", SESSION), "context.session"),
            permissions=CONTRACT_PERMISSIONS,
            request_id=f"import:{self.seed[:16]}:{number}",
            recorded_at=when,
        )
        return self.admit(context)


def _references(said: JsonObject) -> Iterator[Reference]:
    target = said.get("target")
    if isinstance(target, dict) and (key := _key(target.get("id"))) is not None:
        kind: Kind = "relationship" if target.get("kind") == "relationship" else "memory"
        yield Reference(("target", "id"), kind, key)
    for name in _ONE:
        if (key := _key(said.get(name))) is not None:
            yield Reference((name,), "memory", key)
    for name in _MANY:
        members = said.get(name)
        for index, member in enumerate(members if isinstance(members, list) else ()):
            if (key := _key(member)) is not None:
                yield Reference((name, index), "memory", key)


def _key(value: Json) -> str | None:
    """The key of a reference; everything else stays as it is, for the contract to judge."""
    if isinstance(value, dict) and value.keys() == {"identity_key"}:
        key = value["identity_key"]
        return key if isinstance(key, str) else None
    return None


def _put(said: Json, path: Path, value: str) -> Json:
    """A copy of a JSON value with something else at a path."""
    if not path:
        return value
    copy = said.copy()
    copy[path[0]] = _put(said[path[0]], path[1:], value)
    return copy
