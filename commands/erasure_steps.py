"""The steps of an erasure, one after the other (spec/policy.md §3.3).

Each is done for many erasures at once, may be done again, and is recorded when it is done. What is
recorded holds ids and counts, never content.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

from commands.engine import Engine
from commands.erasure_reach import Reach, Reached
from commands.jobs import Group, RecordJob
from commands.keystore import KeyStore
from commands.log_store import LogStore
from domain.context import Context
from domain.decisions import Fact
from domain.envelope import EventContext
from domain.erasure import ErasureState, apply_erasure, step_done
from domain.errors import MemorandaError
from domain.events import ErasureCompleted, ErasureStep
from domain.ports import LogReader

_PAGE: Final = 500
_RECORDED_AT_ONCE: Final = 200
_TOPICS: Final = (ErasureStep.TOPIC, ErasureCompleted.TOPIC)


class NotYetError(Exception):
    """A step has to wait for others; the message says for whom. Try it again."""


class ReadSide(Protocol):
    """What the read side does for erasures. All of it may be done again.

    Raises NotYetError where it has to wait for longer than a moment.
    """

    def clear_views(self, forgotten: Mapping[str, int]) -> None:
        """Leave no byte in the files of the read models of what was forgotten.

        By workspace the position by which it was.
        """
        ...

    def settle(self) -> None:
        """Return once every question that was asked before this call has its answer."""
        ...

    def clear_caches(self, workspace: str, position: int) -> None:
        """Keep nothing in memory of what was forgotten in a workspace by a position."""
        ...


class NoReadSide:
    """A write side alone has no read models."""

    def clear_views(self, forgotten: Mapping[str, int]) -> None:
        """Nothing is there."""

    def settle(self) -> None:
        """Nobody asks."""

    def clear_caches(self, workspace: str, position: int) -> None:
        """Nothing is there."""


class ErasureSteps:
    """Does steps of erasures, and records them. One caller at a time."""

    def __init__(
        self,
        *,
        store: LogStore,
        keys: KeyStore,
        engine: Engine,
        log: LogReader,
        read_side: ReadSide,
    ) -> None:
        self._reach = Reach(store)
        self._keys = keys
        self._engine = engine
        self._log = log
        self._read_side = read_side

    def load(self, wanted: Iterable[tuple[str, str]]) -> list[ErasureState]:
        """The erasures of (workspace, stream) pairs, as far as they have come."""
        streams: defaultdict[str, list[str]] = defaultdict(list)
        for workspace, stream in wanted:
            streams[workspace].append(stream)
        found: list[ErasureState] = []
        for workspace, ids in streams.items():
            for events in self._log.streams(workspace, ids).values():
                state: ErasureState | None = None
                for event in events:
                    state = apply_erasure(state, event)
                found.extend([] if state is None else [state])
        return found

    def unfinished(self) -> list[ErasureState]:
        """Every erasure of the log that is not completed, in the order of their requests."""
        found: dict[str, ErasureState] = {}
        position = 0
        while events := self._log.after(position, _PAGE, topics=_TOPICS):
            for event in events:
                state = apply_erasure(found.pop(event.stream, None), event)
                if state is not None and state.next is not None:
                    found[event.stream] = state
            position = events[-1].position
        return sorted(found.values(), key=lambda state: state.requested_at)

    def advance(self, erasures: Sequence[ErasureState]) -> list[ErasureState]:
        """Do the next step of erasures that have come equally far; how far they are then."""
        match erasures[0].next:
            case "keys_destroyed":
                counts = self._destroy(erasures, self._reach.versions(erasures))
            case "views_cleared":
                self._read_side.clear_views(_forgotten(erasures))
                counts = [{} for _ in erasures]
            case "caches_cleared":
                self._clear_caches(erasures)
                counts = [{} for _ in erasures]
            case "questions_destroyed":
                # One that was asked before the forget may be recorded after it, with its words.
                self._read_side.settle()
                counts = self._destroy(erasures, self._reach.quoting(erasures))
            case _:
                counts = [{} for _ in erasures]
        self._record(erasures, counts)
        return self.load((one.context.workspace, one.id) for one in erasures)

    def _destroy(
        self, erasures: Sequence[ErasureState], found: Sequence[Reached]
    ) -> list[dict[str, int]]:
        """Destroy the keys, in the key store and in memory; what was destroyed for each."""
        keys: defaultdict[str, list[str]] = defaultdict(list)
        for erasure, reached in zip(erasures, found, strict=True):
            keys[erasure.context.workspace] += reached.keys
        for workspace, doomed in keys.items():
            self._keys.destroy(workspace, doomed)
        if any(keys.values()):
            self._keys.compact()
        self._engine.forget_cached([stream for reached in found for stream in reached.streams])
        return [dict(reached.counts) for reached in found]

    def _clear_caches(self, erasures: Sequence[ErasureState]) -> None:
        for workspace, position in _forgotten(erasures).items():
            self._read_side.clear_caches(workspace, position)

    def _record(self, erasures: Sequence[ErasureState], counts: Sequence[dict[str, int]]) -> None:
        jobs = [
            RecordJob(_context(one.context), [Fact(one.id, step_done(one, counted))])
            for one, counted in zip(erasures, counts, strict=True)
        ]
        for start in range(0, len(jobs), _RECORDED_AT_ONCE):
            part = jobs[start : start + _RECORDED_AT_ONCE]
            for verdict in self._engine.submit(Group(part)):
                if isinstance(verdict, MemorandaError):
                    raise verdict


def _forgotten(erasures: Sequence[ErasureState]) -> dict[str, int]:
    """By workspace the position of the last forget."""
    forgotten: defaultdict[str, int] = defaultdict(int)
    for one in erasures:
        workspace = one.context.workspace
        forgotten[workspace] = max(forgotten[workspace], one.requested_at)
    return dict(forgotten)


def _context(said: EventContext) -> Context:
    """The erasure goes on in the name of who asked for it."""
    return Context(
        workspace=said.workspace,
        actor=said.actor,
        session=said.session,
        permissions=frozenset(),
        request_id=said.request,
        agent=said.agent,
        trace=said.trace,
    )
