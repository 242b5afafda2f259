"""A memory at each version of a stream that holds what no command makes (spec/policy.md §2.2).

What a version shows is what the resolver would choose of the events up to it, whatever the time:
the best of what nothing corrects. A version that has no effect shows what was shown before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from domain.canonical import JsonObject, canonical, parse_stored
from domain.events import Patch, Remembered
from domain.memory import ERASED_KIND, UNKNOWN, MemoryState
from domain.memory_events import Stamp, evolve_memory
from domain.recorded import RecordedEvent
from domain.registry import Event
from domain.steps import Step, said_value, step_of
from domain.tangled import Meaning
from domain.visibility import Bounds, Home


def tangled_versions(events: Sequence[RecordedEvent]) -> list[MemoryState]:
    """The state at each version of one whole stream, in order; of the events up to it alone.

    But for the texts that are forgotten by the last one: these are in no state. Takes quadratic
    time.
    """
    stream = events[0].stream
    forgotten = Meaning(stream, [step_of(event) for event in events]).forgotten_versions()
    hidden = [one.without_payload() if one.version in forgotten else one for one in events]
    steps = [step_of(event) for event in hidden]
    telling = _Telling(hidden, Meaning(stream, steps))
    return [
        telling.state(event, step, Meaning(stream, steps[:at]))
        for at, (event, step) in enumerate(zip(hidden, steps, strict=True), 1)
    ]


def forgotten_texts(events: Sequence[RecordedEvent]) -> frozenset[int]:
    """The statements of one whole stream whose text is forgotten, or in part made from one that is.

    By structure alone: the same whether or not the texts can still be read.
    """
    meaning = Meaning(events[0].stream, [step_of(event) for event in events])
    gone = meaning.forgotten_versions()
    return frozenset(one for one in meaning.steps if not gone.isdisjoint(meaning.path(one)))


class _Telling:
    """Makes states of one stream; each statement is told once."""

    def __init__(self, events: Sequence[RecordedEvent], whole: Meaning) -> None:
        self._facts = {event.version: event.facts[-1] for event in events}
        self._stamps = {
            event.version: Stamp(event.version, event.recorded_at, event.recorded_us)
            for event in events
        }
        self._stream = events[0].stream
        self._whole = whole
        self._told: dict[int, MemoryState] = {}

    def state(self, event: RecordedEvent, step: Step, meaning: Meaning) -> MemoryState:
        """The memory after an event, given what the events up to it mean."""
        shown = meaning.shown()
        stamp = self._stamps[event.version]
        if shown is None:
            state = self._unborn(event.facts[-1], stamp, meaning)
        else:
            state = self._shown(shown, stamp, meaning)
        dead = shown is not None and meaning.grave(shown) is not None
        tangle = {
            "said": step.said,
            "says": step.says,
            "shows": shown,
            "tips": len(meaning.tips()),
            "dead": dead,
            "value": self._value(step, meaning),
            "stand_ins": self._stand_ins(meaning, shown, stamp),
        }
        return state._replace(tangle=parse_stored(canonical(tangle)))  # as a row gives it back

    def _stand_ins(self, meaning: Meaning, shown: int | None, stamp: Stamp) -> list[JsonObject]:
        return [
            {
                "shows": turn.version,
                "from_us": turn.from_us,
                "until_us": turn.until_us,
                "record": self._shown(turn.version, stamp, meaning).as_record(),
            }
            for turn in meaning.turns()
            if turn.version != shown
        ]

    def _value(self, step: Step, meaning: Meaning) -> str | None:
        """What a statement says, which a fork that lost shows in no version."""
        if step.version not in meaning.steps:
            return None
        said = self._facts[step.version].payload
        if isinstance(said, Remembered | Patch) and said.content is not None:
            return said_value(said.content)
        inherits = said is not None and meaning.counts(step.version)
        return said_value(self._statement(step.version).content) if inherits else None

    def _shown(self, shown: int, stamp: Stamp, meaning: Meaning) -> MemoryState:
        said, kept = self._statement(shown), self._kept(meaning)
        forgotten = meaning.buried_whole()
        bounds = said.bounds._replace(
            expires_at=kept.bounds.expires_at, expired_us=kept.bounds.expired_us
        )
        return said._replace(
            version=stamp.version,
            recorded_at=stamp.recorded_at,
            recorded_us=stamp.recorded_us,
            bounds=bounds,
            lifecycle=kept.lifecycle if forgotten is None else "tombstoned",
            retained=kept.retained,
            forgotten=forgotten,
            dead_versions=meaning.forgotten_versions()
            if forgotten is None
            else meaning.dead_versions(),
            slot_forgotten_us=meaning.slot_forgotten_us(),
        )

    def _statement(self, version: int) -> MemoryState:
        """What a statement of the root's lineage says: what it changes of what it corrects."""
        state: MemoryState | None = None
        for one in reversed(self._whole.path(version)):
            if one not in self._told:
                self._told[one] = evolve_memory(
                    state, self._stream, self._facts[one], self._stamps[one]
                )
            state = self._told[one]
        return self._told[version]

    def _kept(self, meaning: Meaning) -> MemoryState:
        """Lifecycle and retention, which are the lineage's; of the statements no text is read."""
        state: MemoryState | None = None
        for step in meaning.own:
            fact = self._facts[step.version]
            first = step is meaning.root
            if first or (not step.is_first and self._keeps(step, meaning)):
                bare = fact.model_copy(update={"payload": None})
                state = evolve_memory(state, self._stream, bare, self._stamps[step.version])
        if state is None:
            raise ValueError(f"{self._stream} was never remembered")
        return state

    def _keeps(self, step: Step, meaning: Meaning) -> bool:
        if step.consolidates:
            return bool(step.said["target_id"] != self._stream)
        told = step.lifts or step.expires or step.moves_retention
        return told and meaning.moves(step)

    def _unborn(self, fact: Event, stamp: Stamp, meaning: Meaning) -> MemoryState:
        """Of a memory that was not remembered yet: nothing to address or to answer with.

        Each version is of the session that its event says: nobody knows whose the memory will be.
        """
        said = fact.structure()
        return MemoryState(
            id=self._stream,
            version=stamp.version,
            kind=ERASED_KIND,
            schema_version=ERASED_KIND,
            content=None,
            provenance=(),
            confidence=None,
            bounds=Bounds(None, None, None, stamp.recorded_us),
            recorded_at=stamp.recorded_at,
            recorded_us=stamp.recorded_us,
            lifecycle="tombstoned",
            tags=(),
            identity_key=None,
            home=Home(said["session"], said["visibility"], said["owner"]),
            slot=None,
            slot_ref=said["slot_ref"],
            forgotten=UNKNOWN,
            dead_versions=meaning.dead_versions(),
            slot_forgotten_us=meaning.slot_forgotten_us(),
            root_us=stamp.recorded_us,
        )
