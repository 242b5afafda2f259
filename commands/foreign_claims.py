"""Identity keys of imported records: their guards are made again (design.md §2, Ids)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from commands.foreign_event import ForeignEvent, conflict, is_forgotten
from commands.keystore import KeyStore
from commands.log_store import LogStore
from commands.sealing import Sealed, Sealer
from domain.events import IdentityClaimed
from domain.guards import GuardState, apply_guard, guard_stream
from domain.ids import MEMORY


@dataclass(frozen=True, slots=True)
class IdentityClaims:
    """Of one workspace; `strict` says whether its sessions have their own identity keys."""

    store: LogStore
    keys: KeyStore
    sealer: Sealer
    workspace: str
    strict: bool

    def of(self, new: Iterable[ForeignEvent]) -> list[Sealed]:
        """The events of guards that give the records their identity keys; refused where taken."""
        secrets = self.keys.workspace(self.workspace)
        if secrets is None:
            return []
        wanted = {
            self._guard(secrets.ids, one.head.stream, *one.identity): one
            for one in new
            if one.identity is not None
        }
        stored = self.store.load(dict.fromkeys(wanted, 0))
        made: list[Sealed] = []
        for guard, one in wanted.items():
            events = self.sealer.open_many(stored.get(guard, []))
            state: GuardState | None = None
            for event in events:
                state = apply_guard(state, event)
            holder = None if state is None else state.holder
            if holder == one.head.stream:
                continue
            self._refuse_held(holder, one)
            made.append(
                self.sealer.seal(
                    stream=guard,
                    version=len(events) + 1,
                    event=IdentityClaimed(target_id=one.head.stream),
                    context=one.head.context,
                    recorded_at=one.head.recorded_at,
                    prev=events[-1].hash if events else None,
                )
            )
        return made

    def _guard(self, secret: bytes, stream: str, key: str, owner: str | None, session: str) -> str:
        kind: Literal["memory", "relationship"] = (
            "memory" if stream.startswith(MEMORY) else "relationship"
        )
        own = session if self.strict else None
        return guard_stream(secret, self.workspace, kind, key, owner, own)

    def _refuse_held(self, holder: str | None, one: ForeignEvent) -> None:
        """A claim is void when its holder is forgotten for good (docs/adr/0004)."""
        rows = [] if holder is None else self.store.load({holder: 0}).get(holder, [])
        if rows and not is_forgotten(rows):
            raise conflict("IDENTITY_TAKEN", f"the identity key of {one.name} is {holder}'s here")
