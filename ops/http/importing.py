"""Whose lines an import over HTTP may hold: what the key says, of a host key what they name."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from domain.context import CONTRACT_PERMISSIONS, Context
from domain.errors import Code, MemorandaError, invalid
from ops.http.authentication import HOST, Operator
from ops.import_entries import Reader
from ops.trusted_names import check_scope, check_workspace

_NAMES: Final = ("workspace", "actor", "agent")


def reader_for(operator: Operator, seed: str, workspace: str | None, actor: str | None) -> Reader:
    """The reader of the lines; INVALID_REQUEST where nobody says in whose name they are."""
    given = {"workspace": workspace, "actor": actor}
    named: dict[str, str] = {}
    for name, said in given.items():
        found = getattr(operator, name) if said is None else said
        if found is None:
            raise invalid(f"{name} is required: the key is bound to none", field=name)
        named[name] = check_scope(found, name)
    check_workspace(named["workspace"], "workspace")

    def admit(context: Context) -> Context:
        return _admitted(operator, context)

    return Reader(named["workspace"], named["actor"], seed, admit)


def _admitted(operator: Operator, context: Context) -> Context:
    """The context of a line with the permissions of the key; PERMISSION_DENIED for another's."""
    host = HOST in operator.key.permissions
    for name in _NAMES:
        own, said = getattr(operator, name), getattr(context, name)
        if said != own and (own is not None or not host):
            if name == "agent" and said is None:
                context = replace(context, agent=own)
                continue
            field = f"context.{name}"
            raise _denied(f"{field} contradicts the key: leave it out", field)
    if context.recorded_at is not None and not host:
        field = "context.recorded_at"
        raise _denied(f"{field} is for host keys: leave it out", field)
    granted = CONTRACT_PERMISSIONS if host else operator.key.permissions & CONTRACT_PERMISSIONS
    return replace(context, permissions=granted)


def _denied(message: str, field: str) -> MemorandaError:
    return MemorandaError(Code.PERMISSION_DENIED, message, field=field)
