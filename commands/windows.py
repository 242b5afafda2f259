"""Windows of sessions come in here: decided one after the other for each owner and repository.

The window is its own receipt: who sends the same content again, after a lost answer or from
another client, is told what came out of it (docs/spec/bundle.md §4, Idempotency).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from commands.engine import Engine
from commands.jobs import CommandJob, Group
from commands.keystore import KeyStore
from commands.plans import Plan
from commands.waiting_plans import WaitPlan
from commands.window_plans import OVERTAKEN, ProcessPlan, RepeatPlan, ResolvePlan
from commands.window_shelf import SimilarMemories
from domain.bundles.extracting import by_model
from domain.bundles.sending import Sent, restored, sent
from domain.bundles.verdicts import window_answer
from domain.bundles.windows import WindowState, apply_window
from domain.canonical import Json, JsonObject
from domain.context import Context
from domain.errors import Code, MemorandaError, invalid, not_found
from domain.ids import WINDOW, decode_id
from domain.ports import Clock, LogReader

TRIES_MAX: Final = 4
NEW: Final = "new"
"""What `resolve` is told where an ambiguous proposal is about no known takeaway."""


class Turns:
    """One window at a time for each owner and repository of a workspace, in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Wait for the turn, and have it."""
        with self._lock:
            turn, waiting = self._held.get(name, (threading.Lock(), 0))
            self._held[name] = (turn, waiting + 1)
        try:
            with turn:
                yield
        finally:
            with self._lock:
                turn, waiting = self._held.pop(name)
                if waiting > 1:
                    self._held[name] = (turn, waiting - 1)


@dataclass(frozen=True, slots=True)
class Windows:
    """Takes windows in, and resolves what was ambiguous. Callers run on their own threads."""

    engine: Engine
    keys: KeyStore
    log: LogReader
    clock: Clock
    similar: SimilarMemories
    trusted: Callable[[Context], Context]
    wake: Callable[[str, str], None] | None = None
    """Told the workspace and the id of a window that waits for its extractor; None without one."""
    turns: Turns = field(default_factory=Turns)

    def submit(self, context: Context, body: Json) -> JsonObject:
        """Process a window: `domain.bundles.verdicts.window_answer`.

        The answer says `failed` where a proposal failed; the others stand then. A window without
        proposals waits for the extractor, if there is one: `accepted`. INVALID_REQUEST
        for a body that is no window, OVERLOADED where the recall index is behind for too long.
        """
        context.require("write")
        context = self.trusted(context)
        secrets = self.keys.ensure_workspace(context.workspace)
        window = sent(body, context.viewer, secrets.ids, self.clock.now_us())
        answer = self.process(context, window)
        if self.wake is not None and answer["status"] == "accepted":
            self.wake(context.workspace, window.id)
        return answer

    def process(self, context: Context, window: Sent) -> JsonObject:
        """A window with the proposals of its caller, or without."""
        self.similar.prepare(context.workspace)
        with self.turns.of(window.shelf.turn()):
            for _ in range(TRIES_MAX):
                state = self.state(context, window.id)
                plan = self._plan(window, state)
                if plan is None and state is not None:
                    return window_answer(state, idempotent=True)
                if plan is None or not self.done(context, plan):
                    continue
                state = self.state(context, window.id)
                if state is not None:
                    return window_answer(state, idempotent=isinstance(plan, RepeatPlan))
        raise too_many()

    def resolve(self, context: Context, window_id: str, index: int, claim_id: str) -> JsonObject:
        """Say which takeaway an ambiguous proposal is about, or that it is a new one.

        The same word again gives the same answer; another one is a VERSION_CONFLICT. NOT_FOUND
        for a window or a claim that is not the caller's own.
        """
        context.require("write")
        context = self.trusted(context)
        takeaway = None if claim_id == NEW else claim_id
        state = self._own(context, window_id)
        said = state.decided.said
        if said is None:
            raise not_found("the window", reason="TARGET_DELETED")
        secrets = self.keys.ensure_workspace(context.workspace)
        window = restored(state.id, said, context.viewer, secrets.ids)
        self.similar.prepare(context.workspace)
        with self.turns.of(window.shelf.turn()):
            for _ in range(TRIES_MAX):
                state = self._own(context, window_id)
                if _resolved_so(state, index, takeaway):
                    return window_answer(state, idempotent=True)
                version = state.version
                plan = ResolvePlan(window, self.similar, version, index, takeaway)
                if self.done(context, plan):
                    return window_answer(self._own(context, window_id), idempotent=False)
        raise too_many()

    def state(self, context: Context, window_id: str) -> WindowState | None:
        """A window as the log says it; None where the caller has none such."""
        if decode_id(window_id, WINDOW) is None:
            return None
        state: WindowState | None = None
        for event in self.log.stream(context.workspace, window_id):
            state = apply_window(state, event)
        if state is None or not state.home.visible_to(context.viewer):
            return None
        return state

    def _own(self, context: Context, window_id: str) -> WindowState:
        state = self.state(context, window_id)
        if state is None:
            raise not_found("the window")
        return state

    def _plan(self, window: Sent, state: WindowState | None) -> Plan | None:
        """What is to be done; nothing for a window that was recorded as this part already.

        What a model proposed is not asked for again: it is decided again, or repeated.
        """
        window = window if state is None else _as_extracted(window, state)
        waits = self.wake is not None and not window.proposals and bool(window.authority)
        if state is None or (state.mode in {"failed", "accepted"} and state.verdicts is not None):
            seen = 0 if state is None else state.version
            if not waits:
                return ProcessPlan(window, self.similar, seen)
            if state is None or state.mode != "accepted":
                return WaitPlan(window, seen)
        known = [one.said.history_window for one in state.attempts if one.said is not None]
        if not known or window.range in known:
            return None
        return RepeatPlan(window, state.version)

    def done(self, context: Context, plan: Plan) -> bool:
        """Carry out a plan; False where another process was faster."""
        verdict = self.engine.submit(Group([CommandJob(context, plan, None)]))[0]
        if isinstance(verdict, MemorandaError):
            if verdict.reason == OVERTAKEN:
                return False
            raise verdict
        return True


def _resolved_so(state: WindowState, index: int, takeaway: str | None) -> bool:
    """Whether this was said before; refuses what is no open question."""
    if state.verdicts is None or not 0 <= index < len(state.verdicts):
        raise invalid("index names no proposal of the window", field="index")
    if index in state.resolved:
        if state.resolved[index] == takeaway:
            return True
        raise MemorandaError(
            Code.VERSION_CONFLICT,
            "the proposal was resolved otherwise: send a new window to change the claim",
            field="index",
            reason="ALREADY_RESOLVED",
        )
    if state.verdicts[index]["outcome"] != "skipped_ambiguous":
        raise invalid("the proposal at index is not ambiguous: it is decided", field="index")
    return False


def _as_extracted(window: Sent, state: WindowState) -> Sent:
    """The window with what a model proposed on it before, where that could be read."""
    said = state.decided.said
    if said is None or not by_model(said.author) or not said.proposals:
        return window
    before = restored(state.id, said, window.shelf.viewer, window.shelf.secret)
    return window.with_proposals(before.proposals, before.author)


def too_many() -> MemorandaError:
    """Other processes were faster too often."""
    return MemorandaError(
        Code.OVERLOADED, "other windows of this repository came in between: again", retry_after=1
    )
