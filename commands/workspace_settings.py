"""Reading and changing the settings of workspaces (spec/operations.md §5, sessions)."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from commands.engine import Engine
from commands.jobs import CommandJob, Group
from commands.keystore import KeyStore
from commands.working import View
from domain import checks
from domain.context import Context
from domain.decisions import Decision, Fact
from domain.errors import MemorandaError
from domain.events import (
    MemoryRemembered,
    RelationshipRelated,
    SettingsChange,
    WorkspaceSettingsChanged,
)
from domain.memory_decisions import expect_version
from domain.ports import LogReader
from domain.workspace_settings import (
    UNCHANGED,
    SettingsState,
    apply_settings,
    changed,
    refuse_late_isolation,
    settings_stream,
)

FRESH_SECONDS: Final = 1.0
"""How long another process may go on with the settings from before a change."""
KEPT_MAX: Final = 10_000
"""Workspaces whose settings a process keeps."""
_RECORDS: Final = (MemoryRemembered.TOPIC, RelationshipRelated.TOPIC)


@dataclass(frozen=True, slots=True)
class _Change:
    """The plan of one change, decided by the engine in its turn."""

    stream: str
    change: SettingsChange
    expected_version: int | None
    holds_records: Callable[[], bool]

    def needs(self, view: View) -> set[str]:
        return view.missing([self.stream])

    def decide(self, view: View, _: Decision) -> list[Fact]:
        known = view.settings(self.stream)
        expect_version(known.version, self.expected_version)
        after = changed(known.settings, self.change)
        refuse_late_isolation(known.settings, after, holds_records=self.holds_records())
        return [Fact(self.stream, WorkspaceSettingsChanged(payload=self.change))]

    def committed(self, facts: list[Fact], view: View) -> tuple[str, int]:
        return facts[0].stream, view.settings(self.stream).version


class SettingsBook:
    """The settings of all workspaces. Safe to share between threads.

    What is read is at most `FRESH_SECONDS` old; what this process changes is seen at once.
    """

    def __init__(
        self,
        engine: Engine,
        keys: KeyStore,
        log: LogReader,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine = engine
        self._keys = keys
        self._log = log
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, SettingsState]] = OrderedDict()

    def read(self, workspace: str) -> SettingsState:
        """The settings of a workspace, and the version of the stream that holds them."""
        now = self._monotonic()
        with self._lock:
            kept = self._kept.get(workspace)
        if kept is not None and now < kept[0] + FRESH_SECONDS:
            return kept[1]
        state = self._stored(workspace)
        with self._lock:
            self._kept[workspace] = (now, state)
            self._kept.move_to_end(workspace)
            if len(self._kept) > KEPT_MAX:
                self._kept.popitem(last=False)
        return state

    def trusted(self, context: Context) -> Context:
        """The context with what holds in its workspace.

        INVALID_REQUEST where sessions are strict and its session is not in NFC (policy.md, V19).
        """
        settings = self.read(context.workspace).settings
        if settings.strict:
            checks.strict_session(context.session)
        return replace(context, settings=settings)

    def change(
        self, context: Context, change: SettingsChange, expected_version: int | None = None
    ) -> SettingsState:
        """Set what `change` sets, for good once it returns; nothing is recorded for no change.

        Needs the permission `policy`. VERSION_CONFLICT where another version is expected,
        INVALID_REQUEST for another session_isolation in a workspace that holds records.
        """
        context.require("policy")
        workspace = context.workspace
        known = self._stored(workspace)
        if changed(known.settings, change) == known.settings:
            expect_version(known.version, expected_version)
            return known
        stream = settings_stream(self._keys.ensure_workspace(workspace).ids)
        plan = _Change(stream, change, expected_version, lambda: self._holds_records(workspace))
        verdict = self._engine.submit(Group([CommandJob(context, plan, None)]))[0]
        with self._lock:
            self._kept.pop(workspace, None)
        if isinstance(verdict, MemorandaError):
            raise verdict
        return self.read(workspace)

    def _stored(self, workspace: str) -> SettingsState:
        secrets = self._keys.workspace(workspace)
        if secrets is None:
            return UNCHANGED
        state: SettingsState | None = None
        for event in self._log.stream(workspace, settings_stream(secrets.ids)):
            state = apply_settings(state, event)
        return state or UNCHANGED

    def _holds_records(self, workspace: str) -> bool:
        return bool(self._log.after(0, 1, workspace=workspace, topics=_RECORDS))
