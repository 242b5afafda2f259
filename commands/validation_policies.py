"""Defining, retiring and reading the validation policies of workspaces."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from commands.engine import Engine
from commands.jobs import CommandJob, Group
from commands.keystore import KeyStore
from commands.working import View
from domain.canonical import Json
from domain.context import Context
from domain.decisions import Decision, Fact
from domain.errors import MemorandaError
from domain.events import PolicyDefined, PolicyDefinition, PolicyEnd, PolicyRetired
from domain.ports import LogReader
from domain.recorded import RecordedEvent
from domain.validation.definition import Definition, check_policy_name, parse_definition
from domain.validation.policies import (
    SHIPPED_ONLY,
    PoliciesState,
    Policy,
    apply_policies,
    check_reason,
    policies_stream,
    refuse_definition,
    refuse_retirement,
)

KEPT_MAX: Final = 1000
"""Workspaces whose policies a process keeps."""
BEHIND_MAX: Final = 1000
"""Positions of the log that are looked through for newer events; else the stream is read anew."""
_TOPICS: Final = (PolicyDefined.TOPIC, PolicyRetired.TOPIC)


@dataclass(frozen=True, slots=True)
class _Change:
    """The plan of one change, decided by the engine in its turn."""

    stream: str
    event: PolicyDefined | PolicyRetired
    refuse: Callable[[PoliciesState], None]

    def needs(self, view: View) -> set[str]:
        return view.missing([self.stream])

    def decide(self, view: View, _: Decision) -> list[Fact]:
        self.refuse(view.policies(self.stream))
        return [Fact(self.stream, self.event)]

    def committed(self, facts: list[Fact], view: View) -> tuple[str, int]:
        return facts[0].stream, view.policies(self.stream).version


class _Kept(NamedTuple):
    """The events of a workspace's policies up to a position, and what they fold to."""

    seen: int
    events: tuple[RecordedEvent, ...]
    state: PoliciesState


class PolicyBook:
    """The validation policies of all workspaces. Safe to share between threads.

    What is read is what the log says at that moment, or at the position that is asked for.
    """

    def __init__(self, engine: Engine, keys: KeyStore, log: LogReader) -> None:
        self._engine = engine
        self._keys = keys
        self._log = log
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def read(self, workspace: str) -> PoliciesState:
        """The policies of a workspace, the shipped and the retired ones too."""
        return self.at(workspace, self._log.head())

    def at(self, workspace: str, position: int) -> PoliciesState:
        """The policies as they stood at a position of the log."""
        kept = self._up_to(workspace, position)
        if not kept.events or kept.events[-1].position <= position:
            return kept.state
        return _folded(one for one in kept.events if one.position <= position)

    def named(self, workspace: str, name: str, position: int | None = None) -> Definition:
        """The rules of a policy that may be used, now or as it stood at a position.

        NOT_FOUND with the reason UNKNOWN_POLICY, INVALID_REQUEST with RETIRED_POLICY.
        """
        state = self.read(workspace) if position is None else self.at(workspace, position)
        return state.in_force(name)

    def define(self, context: Context, name: str, definition: Json) -> Policy:
        """Define a policy under a new name, for good once it returns.

        The same definition again changes nothing. Needs the permission `policy`. VERSION_CONFLICT
        with the reason POLICY_IMMUTABLE for another definition under a name that is known.
        """
        context.require("policy")
        check_policy_name(name)
        said = PolicyDefinition(name=name, definition=parse_definition(definition).as_json())

        def done(state: PoliciesState) -> bool:
            known = state.named.get(name)
            return known is not None and known.said == said.definition

        self._change(
            context,
            PolicyDefined(payload=said),
            refuse=lambda state: refuse_definition(state, name),
            done=done,
        )
        return self.read(context.workspace).get(name)

    def retire(self, context: Context, name: str, reason: str) -> Policy:
        """Let nothing more be decided by a policy, for good once it returns.

        Of one that is retired already nothing changes, not the reason either. Needs the permission
        `policy`; NOT_FOUND with the reason UNKNOWN_POLICY for a name that stands for nothing.
        """
        context.require("policy")
        check_reason(reason)
        self.read(context.workspace).get(name, "name")
        self._change(
            context,
            PolicyRetired(payload=PolicyEnd(name=name, reason=reason)),
            refuse=lambda state: refuse_retirement(state, name),
            done=lambda state: state.standing(name) == "retired",
        )
        return self.read(context.workspace).get(name)

    def _change(
        self,
        context: Context,
        event: PolicyDefined | PolicyRetired,
        *,
        refuse: Callable[[PoliciesState], None],
        done: Callable[[PoliciesState], bool],
    ) -> None:
        """Record the event, unless what it says is done, by us or by somebody beside us."""
        workspace = context.workspace
        if done(self.read(workspace)):
            return
        stream = policies_stream(self._keys.ensure_workspace(workspace).ids)
        plan = _Change(stream, event, refuse)
        verdict = self._engine.submit(Group([CommandJob(context, plan, None)]))[0]
        if isinstance(verdict, MemorandaError) and not done(self.read(workspace)):
            raise verdict

    def _up_to(self, workspace: str, position: int) -> _Kept:
        """What is known of a workspace at a position or later."""
        with self._lock:
            kept = self._kept.get(workspace)
        if kept is not None and position <= kept.seen:
            return kept
        # Read before the events, so that none of them is missed.
        head = self._log.head()
        kept = self._grown(workspace, kept, head)
        with self._lock:
            self._kept[workspace] = kept
            self._kept.move_to_end(workspace)
            if len(self._kept) > KEPT_MAX:
                self._kept.popitem(last=False)
        return kept

    def _grown(self, workspace: str, kept: _Kept | None, head: int) -> _Kept:
        if kept is None or head - kept.seen > BEHIND_MAX:
            secrets = self._keys.workspace(workspace)
            stream = None if secrets is None else policies_stream(secrets.ids)
            events = [] if stream is None else self._log.stream(workspace, stream)
            kept = _Kept(0, (), SHIPPED_ONLY)
        else:
            events = self._log.after(kept.seen, BEHIND_MAX, workspace=workspace, topics=_TOPICS)
        seen = max(head, *(one.position for one in events)) if events else head
        return _Kept(seen, (*kept.events, *events), _folded(events, kept.state))


def _folded(events: Iterable[RecordedEvent], state: PoliciesState = SHIPPED_ONLY) -> PoliciesState:
    for event in events:
        state = apply_policies(state, event) or state
    return state
