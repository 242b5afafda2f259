"""A world whose log holds imported streams, asked in the words of the case that they came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select

from domain.decisions import Fact
from domain.ids import MEMORY
from domain.instants import optional_instant, parse_instant
from domain.resolver.answers import Answer
from domain.resolver.events import (
    INHERITED,
    Bound,
    Expiry,
    Payload,
    PolicyEvent,
    Statement,
    Supersession,
    Tombstone,
)
from domain.resolver.lineages import Lineages
from domain.resolver.policies import NEWEST_RECORDED
from domain.resolver.resolve import Question, resolve
from domain.slots import slot_ref
from domain.workspace_settings import WorkspaceSettings
from projections.database import reading
from projections.schema import MEMORY_VERSION
from read_api.tangled_view import TangledView
from tests.policy.imported import Streams, imported_streams
from tests.recall.world import SECRET

STRICT = WorkspaceSettings(session_isolation="strict")
_STATEMENTS = frozenset({"assertion", "correction"})


def ref(key: str) -> str:
    """The reference of a slot in these worlds."""
    return slot_ref(SECRET, key)


class Imported:
    """The events of a case in the log of a world, which makes the streams if they are not given.

    To be asked, `world` is an `Asker` or has `recall` and `views` like one.
    """

    def __init__(
        self,
        world: Any,
        events: Sequence[Mapping[str, Any]],
        streams: Streams | None = None,
    ) -> None:
        self.world = world
        self.streams: Streams = streams or imported_streams(
            events, ref, new_id=lambda _: world.new_id(MEMORY)
        )
        self.said = {event["id"]: event for event in reversed(events)}
        self.positions: list[int] = []
        self.raw: dict[str, Any] = {}
        """The last answer as it was given."""

    def arrive(self, count: int | None = None) -> None:
        """The next events come, all of them without a count."""
        start = len(self.positions)
        end = None if count is None else start + count
        for placed in self.streams.placed[start:end]:
            recorded_us = parse_instant(placed.recorded_at, "recorded_at")
            fact = Fact(placed.stream, placed.event)
            [event] = self.world.log.append([fact], placed.context, recorded_us)
            if event.version != placed.version:
                raise AssertionError(f"{event.name} was to be version {placed.version}")
            self.positions.append(event.position)

    def answer(
        self, session: str, key: str, as_of: str, position: int | None = None
    ) -> dict[str, Any]:
        """What a recall tells of a slot, in the names of the case."""
        more: dict[str, Any] = {
            "policy": NEWEST_RECORDED,
            "explain": True,
            "slot": key,
            "as_of": as_of,
        }
        if position is not None:
            more["as_known_position"] = position
        by = {"session": session, "settings": STRICT}
        found = self.world.recall(key, by=by, more=more)
        self.raw = found
        until = found["basis"]["position"]
        at_us = parse_instant(as_of, "as_of")
        return {
            "selected": [self._selected(one["record"], at_us) for one in found["items"]],
            "excluded": self._excluded(found["excluded"]["items"]),
            "conflicts": sorted(
                [self._conflict(one, until, at_us) for one in found["conflicts"]], key=repr
            ),
        }

    def _excluded(self, found: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str | None]]:
        told: set[tuple[str, str, str | None]] = set()
        for one in found:
            name = self._said_by(one["id"], one["version"])
            if one["reason"] == "corrected" and name == self._after(one["id"], one["version"]):
                continue  # it only repeats what the next version says
            told.add((name, one["reason"], self._cause(one)))
        return sorted(told, key=repr)

    def _cause(self, one: Mapping[str, Any]) -> str | None:
        if one["by"] is None:
            return None
        memory, _, version = one["by"].rpartition("@")
        if one["reason"] in {"shadowed", "same_value"}:
            return self._said_by(memory, int(version))
        return self.streams.names[one["by"]]

    def _after(self, memory: str, version: int) -> str | None:
        row = self._row(memory, version + 1)
        return None if row is None or row.tangle else self._said_by(memory, version + 1)

    def _selected(self, record: Mapping[str, Any], at_us: int) -> str:
        """The statement that an item shows, which says what the item says."""
        name = self._shown(record["id"], record["version"], at_us)
        said = record["content"]["value"]["properties"]["object"]
        if said != self.said[name]["value"]:
            raise AssertionError(f"{name} is shown as {said}")
        return name

    def _conflict(self, one: Mapping[str, Any], until: int, at_us: int) -> dict[str, Any]:
        def name(candidate: str) -> str:
            memory, _, version = candidate.partition("@")
            if version:
                return self.streams.names[candidate]
            known = [
                placed.version
                for placed, position in zip(self.streams.placed, self.positions, strict=False)
                if placed.stream == memory and position <= until
            ]
            return self._shown(memory, known[-1], at_us)

        return {
            "winner": name(one["winner"]),
            "losers": sorted(name(loser) for loser in one["losers"]),
            "decided_by": one["decided_by"],
        }

    def _row(self, memory: str, version: int) -> Any:
        row = MEMORY_VERSION.c
        query = select(row.tangle).where(row.memory_id == memory, row.version == version)
        with reading(self.world.views) as connection:
            return connection.execute(query).one_or_none()

    def _said_by(self, memory: str, version: int) -> str:
        """The statement that an exclusion or a cause names by a version."""
        row = self._row(memory, version)
        if row is not None and row.tangle is not None:
            return self.streams.names[f"{memory}@{version}"]
        known = (self.streams.names[f"{memory}@{one}"] for one in range(version, 0, -1))
        return next(name for name in known if self.said[name]["type"] in _STATEMENTS)

    def _shown(self, memory: str, version: int, at_us: int) -> str:
        """The statement that a version says at an instant."""
        row = MEMORY_VERSION.c
        query = (
            select(MEMORY_VERSION)
            .where(row.memory_id == memory, row.version <= version)
            .order_by(row.version)
        )
        with reading(self.world.views) as connection:
            rows = connection.execute(query).all()
        if rows[-1].tangle is None:
            return self._said_by(memory, version)
        return self.streams.names[f"{memory}@{TangledView(rows).answering(at_us)}"]

    # --- what the resolver says ---------------------------------------------------------------

    def resolved(self, session: str, key: str, as_of: str, position: int | None = None) -> Any:
        """What the resolver tells of the same events, in the names of the case."""
        names = self.streams.names
        answer: Answer = resolve(
            self.policy_events(),
            Question(
                session=session,
                asked=ref(key),
                as_of_us=parse_instant(as_of, "as_of"),
                policy=NEWEST_RECORDED,
                as_known_position=position,
            ),
        )
        return {
            "selected": [names[one] for one in answer.selected],
            "excluded": sorted(
                [(names[o.id], o.reason, o.by and names[o.by]) for o in answer.excluded], key=repr
            ),
            "conflicts": sorted(
                [
                    {
                        "winner": names[one.winner or ""],
                        "losers": sorted(names[loser] for loser in one.losers),
                        "decided_by": one.decided_by,
                    }
                    for one in answer.conflicts
                ],
                key=repr,
            ),
        }

    def policy_events(self) -> list[PolicyEvent]:
        """The events of the case by the names that they have in the log, as far as they came."""
        found: dict[str, PolicyEvent] = {}
        arrived = zip(self.streams.arrived, self.positions, strict=False)
        for event_id, position in arrived:
            if event_id not in found:
                found[event_id] = self._policy_event(self.said[event_id], position)
        return [*found.values(), *self._own_expiries(list(found.values()))]

    def _policy_event(self, event: Mapping[str, Any], position: int) -> PolicyEvent:
        recorded_us = parse_instant(event["recorded_at"], "recorded_at")
        common: dict[str, Any] = {
            "id": self.streams.name(event["id"]),
            "session": event["session"],
            "position": position,
            "appended_us": position,
            "recorded_us": recorded_us,
        }
        match event["type"]:
            case "tombstone" if event.get("scope") == "key":
                return Tombstone(**common, scope="key", target=ref(event["key"]))
            case "tombstone":
                scope = event.get("scope", "lineage")
                return Tombstone(**common, scope=scope, target=self._name(event["target"]))
            case "expiry":
                until = optional_instant(event.get("expires_at"), "expires_at")
                return Expiry(**common, target=self._name(event["target"]), expires_us=until)
            case "supersession":
                targets = tuple(self._name(one) for one in event["targets"])
                return Supersession(
                    **common, targets=targets, canonical=self._name(event["canonical"])
                )
            case _:
                return self._statement(event, common)

    def _statement(self, event: Mapping[str, Any], common: dict[str, Any]) -> Statement:
        target = self._name(event["target"]) if event["type"] == "correction" else None

        def bound(name: str) -> Bound:
            if target is not None and (name not in event or name == "expires_at"):
                return INHERITED
            return optional_instant(event.get(name), name)

        return Statement(
            **common,
            slot_ref=ref(event["key"]),
            target=target,
            valid_from=bound("valid_from"),
            valid_until=bound("valid_until"),
            expires_at=bound("expires_at"),
            payload=Payload(event["key"], event["value"], None),
        )

    def _own_expiries(self, events: Sequence[PolicyEvent]) -> list[PolicyEvent]:
        """A correction that says until when it is kept is an expiry as well (ADR 0026)."""
        found: list[PolicyEvent] = []
        names = self.streams.names
        for one in events:
            if not isinstance(one, Statement) or one.target is None:
                continue
            same = {e.id: e for e in events if isinstance(e, Statement)}
            of_session = {k: e for k, e in same.items() if e.session == one.session}
            event = self.said[names[one.id]]
            place = Lineages(of_session).place(one.id)
            if "expires_at" in event and place.root is not None and not place.inert:
                found.append(
                    Expiry(
                        id=one.id,
                        session=one.session,
                        position=one.position,
                        appended_us=one.appended_us,
                        recorded_us=one.recorded_us,
                        target=one.id,
                        expires_us=optional_instant(event["expires_at"], "expires_at"),
                    )
                )
        return found

    def _name(self, event_id: str) -> str:
        if event_id in self.streams.missing:
            stream, version = self.streams.missing[event_id]
            return f"{stream}@{version}"
        return self.streams.name(event_id)
