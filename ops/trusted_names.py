"""Names that hosts and operators give: workspaces, actors, agents, sessions (operations.md §10)."""

from __future__ import annotations

from domain import checks
from domain.context import SYSTEM_WORKSPACE
from domain.errors import Code, MemorandaError, invalid
from domain.limits import SCOPE_BYTES_MAX


def check_scope(text: str, field: str) -> str:
    """A workspace, actor, agent or session: not blank, at most 256 bytes of UTF-8, without NUL.

    PostgreSQL has no text with NUL, and these stand in columns of the log.
    """
    if not text.strip() or len(text.encode()) > SCOPE_BYTES_MAX or "\0" in text:
        raise invalid(
            f"{field} must be 1 to {SCOPE_BYTES_MAX} bytes of UTF-8, not blank, and without the "
            "character U+0000",
            field=field,
        )
    return text


def check_workspace(text: str, field: str) -> str:
    """Any workspace but the one that holds the events of keys."""
    if text == SYSTEM_WORKSPACE:
        raise MemorandaError(
            Code.PERMISSION_DENIED,
            f"the workspace {SYSTEM_WORKSPACE!r} takes no requests: use another",
            field=field,
        )
    return check_scope(text, field)


def check_session(text: str, field: str) -> str:
    """Only one spelling of each is let in (spec/policy.md §2.2)."""
    return check_scope(checks.session(text, field), field)
