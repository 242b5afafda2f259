"""API keys over HTTP, for those who operate: made, listed, revoked; never more than one has."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Final

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from commands.api_keys import ApiKeys, KeyInfo
from domain.canonical import JsonObject, parse_json
from domain.context import CONTRACT_PERMISSIONS, PERMISSIONS
from domain.errors import Code, MemorandaError, invalid, not_found
from domain.instants import optional_instant
from ops.http.answers import json_response
from ops.http.authentication import HOST, Operator
from ops.http.door import Body, CurrentDoor, CurrentOperator
from ops.http.operator_models import NewKey, checked
from ops.http.route_docs import DOCS
from ops.trusted_names import check_scope, check_workspace

router = APIRouter()
KEYS_MAX: Final = 500
_BOUND: Final = ("workspace", "actor", "agent")


class KeyWindow(BaseModel):
    """Which part of the list."""

    model_config = ConfigDict(extra="forbid")

    after: Annotated[
        str | None, Field(max_length=64, description="`next_after` of the page before.")
    ] = None
    limit: Annotated[int, Field(ge=1, le=KEYS_MAX)] = KEYS_MAX


@router.get("/v1/keys", **DOCS["keys"])
def keys(
    door: CurrentDoor, operator: CurrentOperator, window: Annotated[KeyWindow, Query()]
) -> Response:
    """Keys, oldest first: those of the workspace, or all of them."""
    known = _seen(door.memoranda.keys, operator)
    begin = 0
    if window.after is not None:
        found = [at for at, info in enumerate(known) if info.key_id == window.after]
        if not found:
            raise invalid("after is no key of this list: begin without it", field="after")
        begin = found[0] + 1
    page = known[begin : begin + window.limit]
    more = begin + window.limit < len(known)
    return json_response(
        {"items": [_plain(info) for info in page], "next_after": page[-1].key_id if more else None}
    )


@router.post("/v1/keys", **DOCS["new_key"])
def new_key(door: CurrentDoor, operator: CurrentOperator, body: Body) -> Response:
    """Make a key. Its token is in this answer and nowhere else."""
    wanted = checked(NewKey, parse_json(body))
    token, info = door.memoranda.keys.create(
        name=wanted.name,
        permissions=_granted(operator, wanted),
        expires_at=_ending(operator, wanted),
        **_bound(operator, wanted),
    )
    response = json_response({"token": token, **_plain(info)})
    response.headers["Cache-Control"] = "no-store"
    return response


@router.post("/v1/keys/{key_id}/revoke", **DOCS["revoke_key"])
def revoke(door: CurrentDoor, operator: CurrentOperator, key_id: str) -> Response:
    """Refuse a key from now on; a second time it changes nothing."""
    if all(info.key_id != key_id for info in _seen(door.memoranda.keys, operator)):
        raise not_found("the key", field="key_id")
    return json_response(_plain(door.memoranda.keys.revoke(key_id)))


def _seen(known: ApiKeys, operator: Operator) -> list[KeyInfo]:
    whole = operator.workspace is None
    return [info for info in known.list() if whole or info.workspace == operator.workspace]


def _plain(info: KeyInfo) -> JsonObject:
    return {**asdict(info), "permissions": sorted(info.permissions)}


def _bound(operator: Operator, wanted: NewKey) -> dict[str, str | None]:
    """What the new key is bound to: what the old one is, else what is asked for."""
    names: dict[str, str | None] = {}
    for name in _BOUND:
        own, said = getattr(operator, name), getattr(wanted, name)
        if own is not None and said is not None and said != own:
            raise _denied(f"{name} is not that of the key that asks: leave it out", name)
        names[name] = own if said is None else check_scope(said, name)
    if names["workspace"] is not None:
        check_workspace(names["workspace"], "workspace")
    return names


def _granted(operator: Operator, wanted: NewKey) -> list[str]:
    own = operator.key.permissions
    grantable = own | (CONTRACT_PERMISSIONS if HOST in own else frozenset())
    beyond = sorted((set(wanted.permissions) & PERMISSIONS) - grantable)
    if beyond:
        raise _denied(
            f"the key that asks does not hold {beyond[0]!r}, so it cannot give it", "permissions"
        )
    return wanted.permissions


def _ending(operator: Operator, wanted: NewKey) -> str | None:
    own = optional_instant(operator.key.expires_at, "expires_at")
    end = optional_instant(wanted.expires_at, "expires_at")
    if own is not None and (end is None or end > own):
        raise _denied("the new key must not outlast the key that asks", "expires_at")
    return wanted.expires_at


def _denied(message: str, field: str) -> MemorandaError:
    return MemorandaError(Code.PERMISSION_DENIED, message, field=field)
