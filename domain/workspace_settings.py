"""The settings of a workspace: what its operators chose for everybody in it.

They stand in one stream of the workspace, in which each event says what was changed; what nobody
ever set has its default (spec/operations.md §5, spec/policy.md §2.13).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from domain.canonical import JsonObject
from domain.errors import invalid
from domain.events import Isolation, SettingsChange, WorkspaceSettingsChanged
from domain.ids import SYSTEM, derived_id, encode_id
from domain.recorded import RecordedEvent
from domain.resolver.policies import SURFACE_ALL, PolicyName


class WorkspaceSettings(NamedTuple):
    """`session_isolation`: `label` lets every session see the workspace, `strict` its own records.

    `require_source`: a memory is remembered only with a source in its provenance.
    `recall_policy`: the policy of a question that names none.
    """

    session_isolation: Isolation = "label"
    require_source: bool = False
    recall_policy: PolicyName = SURFACE_ALL

    @property
    def strict(self) -> bool:
        """Whether a session sees its own records only."""
        return self.session_isolation == "strict"


DEFAULT: Final = WorkspaceSettings()


class SettingsState(NamedTuple):
    """The settings after a version of their stream."""

    settings: WorkspaceSettings
    version: int

    def as_json(self) -> JsonObject:
        """The settings, each by its name, and `version`."""
        return {**self.settings._asdict(), "version": self.version}


UNCHANGED: Final = SettingsState(DEFAULT, 0)
"""Of a workspace in which nobody has set anything."""


def settings_stream(secret: bytes) -> str:
    """The stream of a workspace's settings; `secret` is the workspace's for ids."""
    return encode_id(SYSTEM, derived_id(secret, "workspace settings"))


def apply_settings(state: SettingsState | None, event: RecordedEvent) -> SettingsState | None:
    """The state after one event of a system stream; None for streams of other things."""
    for fact in event.facts:
        if isinstance(fact, WorkspaceSettingsChanged) and fact.payload is not None:
            settings = changed((state or UNCHANGED).settings, fact.payload)
            state = SettingsState(settings, event.version)
    return state


def changed(settings: WorkspaceSettings, change: SettingsChange) -> WorkspaceSettings:
    """The settings after a change: what it does not set is kept."""
    return settings._replace(**change.model_dump(exclude_none=True))


def refuse_late_isolation(
    before: WorkspaceSettings, after: WorkspaceSettings, *, holds_records: bool
) -> None:
    """Who may see a record is settled before the first one, and then for good.

    Else edges and identity keys would join what sessions may not see of each other.
    """
    if holds_records and after.session_isolation != before.session_isolation:
        raise invalid(
            "session_isolation cannot be changed once the workspace holds records: "
            "set it before the first one, or use another workspace",
            field="session_isolation",
            reason="ISOLATION_FIXED",
        )


def refuse_without_source(settings: WorkspaceSettings, sources: int) -> None:
    """A memory without a source is refused where one is required (spec/policy.md §2.2, V07)."""
    if settings.require_source and not sources:
        raise invalid(
            "provenance is empty, and this workspace requires a source: name one",
            field="provenance",
            reason="FIELD_REQUIRED",
        )
