"""The trusted context of a request: it comes from the key and the host, never from the body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from domain.envelope import EventContext
from domain.errors import Code, MemorandaError
from domain.instants import Micros
from domain.visibility import Viewer
from domain.workspace_settings import DEFAULT, WorkspaceSettings

CONTRACT_PERMISSIONS: Final = frozenset({"read", "write", "trace", "forget", "consolidate"})
"""The five that a host may name in X-Permissions (spec/operations.md §1)."""

PERMISSIONS: Final = CONTRACT_PERMISSIONS | {"host", "policy", "review", "operate"}

SYSTEM_WORKSPACE: Final = "system"
"""Holds the events of API keys; no request can be made in it."""


@dataclass(frozen=True, slots=True)
class Context:
    """Who asks, in which workspace and session, with which permissions.

    `recorded_at` is the recording time that a trusted host gives to a late or imported fact, as
    sent and in microseconds; None means the store's own clock.
    """

    workspace: str
    actor: str
    session: str
    permissions: frozenset[str]
    request_id: str
    agent: str | None = None
    trace: str | None = None
    recorded_at: tuple[str, Micros] | None = None
    settings: WorkspaceSettings = DEFAULT
    """What holds in the workspace; the store puts it in."""

    @property
    def viewer(self) -> Viewer:
        """Whose eyes the records of the workspace are seen with."""
        return Viewer(self.actor, self.session if self.settings.strict else None)

    def require(self, permission: str) -> None:
        """Raise PERMISSION_DENIED unless the permission was granted."""
        if permission not in self.permissions:
            raise MemorandaError(
                Code.PERMISSION_DENIED,
                f"the permission {permission!r} is not granted: use a key that has it",
            )

    def require_any(self, *permissions: str) -> None:
        """Raise PERMISSION_DENIED unless one of them was granted."""
        if self.permissions.isdisjoint(permissions):
            named = " or ".join(map(repr, permissions))
            raise MemorandaError(
                Code.PERMISSION_DENIED,
                f"neither permission {named} is granted: use a key that has one",
            )

    def for_event(self) -> EventContext:
        """The `ctx` of the events that this request causes."""
        return EventContext(
            workspace=self.workspace,
            actor=self.actor,
            agent=self.agent,
            session=self.session,
            request=self.request_id,
            correlation=self.request_id,
            trace=self.trace,
        )
