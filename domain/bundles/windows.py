"""A window as its stream says it: each time that it was processed, and what came out of it."""

from __future__ import annotations

from typing import NamedTuple

from domain.bundle_events import Window, WindowMode, WindowRecorded, WindowResolved
from domain.canonical import JsonObject
from domain.event_bases import Target
from domain.recorded import RecordedEvent
from domain.visibility import Home


class Attempt(NamedTuple):
    """One time that a window was sent, or its words were; `said` is None where it was erased."""

    version: int
    mode: WindowMode
    recorded_at: str
    position: int
    targets: tuple[Target, ...]
    counts: dict[str, int]
    said: Window | None


class WindowState(NamedTuple):
    """A window with all attempts; `verdicts` are those that stand, resolutions included.

    The last attempt that is no repetition decides. `verdicts` is None where the words of that one
    were erased.
    """

    id: str
    home: Home
    attempts: tuple[Attempt, ...]
    verdicts: tuple[JsonObject, ...] | None
    mode: WindowMode
    resolved: dict[int, str | None]
    """By index the takeaway that an ambiguous proposal was said to be about; None: a new one."""

    version: int
    """Of its stream."""

    @property
    def decided(self) -> Attempt:
        """The last attempt that is no repetition."""
        return next(one for one in reversed(self.attempts) if one.mode != "repeated")


FAILED: frozenset[str] = frozenset({"parse_failed", "rejected_scope", "skipped_ambiguous"})
"""Outcomes of a proposal that fail its window (spec/bundle.md §4, §6)."""


def result_of(outcomes: list[str]) -> WindowMode:
    """The result of a window by the outcomes of its proposals (spec/bundle.md §2, §6)."""
    if not FAILED.isdisjoint(outcomes):
        return "failed"
    return "knowledge_patched" if "applied" in outcomes else "no_output"


def apply_window(state: WindowState | None, event: RecordedEvent) -> WindowState | None:
    """The state after one stored event of a window."""
    for fact in event.facts:
        if isinstance(fact, WindowRecorded):
            state = _recorded(state, event, fact)
        elif isinstance(fact, WindowResolved) and state is not None:
            state = _resolved(state, fact)
    return None if state is None else state._replace(version=event.version)


def _recorded(state: WindowState | None, event: RecordedEvent, fact: WindowRecorded) -> WindowState:
    one = Attempt(
        event.version,
        fact.mode,
        event.recorded_at,
        event.position,
        tuple(fact.targets),
        fact.counts,
        fact.payload,
    )
    if state is not None and fact.mode == "repeated":
        return state._replace(attempts=(*state.attempts, one))
    verdicts = None if fact.payload is None else tuple(fact.payload.verdicts)
    if state is None:
        home = Home(fact.session, fact.visibility, fact.owner)
        return WindowState(event.stream, home, (one,), verdicts, fact.mode, {}, event.version)
    attempts = (*state.attempts, one)
    return state._replace(attempts=attempts, verdicts=verdicts, mode=fact.mode)


def _resolved(state: WindowState, fact: WindowResolved) -> WindowState:
    if fact.payload is None:
        return state._replace(verdicts=None)
    index, verdict = fact.payload.index, fact.payload.verdict
    verdicts = state.verdicts
    mode = state.mode
    if verdicts is not None:
        verdicts = (*verdicts[:index], verdict, *verdicts[index + 1 :])
        mode = result_of([one["outcome"] for one in verdicts])
    resolved = {**state.resolved, index: fact.payload.claim_id}
    return state._replace(verdicts=verdicts, mode=mode, resolved=resolved)
