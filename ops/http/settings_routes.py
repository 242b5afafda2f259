"""The settings of the caller's workspace over HTTP: what holds, and changing it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from domain.canonical import parse_json
from domain.errors import MemorandaError, invalid
from domain.events import SettingsChange
from domain.workspace_settings import SettingsState
from ops.http.answers import json_response
from ops.http.door import Body, Caller, CurrentDoor
from ops.http.etags import etag
from ops.http.operator_models import NewSettings, checked
from ops.http.preconditions import IDEMPOTENCY_KEY, IF_NONE_MATCH, Preconditions
from ops.http.route_docs import DOCS

router = APIRouter()


@router.get("/v1/settings", **DOCS["settings"])
def settings(door: CurrentDoor, caller: Caller) -> Response:
    """What holds in the workspace."""
    return _told(door.memoranda.settings.read(caller.workspace))


@router.patch("/v1/settings", **DOCS["change_settings"])
def change_settings(request: Request, door: CurrentDoor, caller: Caller, body: Body) -> Response:
    """Change what the body names, for everybody in the workspace, and keep the rest.

    Sent again it changes nothing, so it takes no `Idempotency-Key`. With `If-Match` it is done only
    on the version that is named.
    """
    wanted = checked(NewSettings, parse_json(body))
    conditions = Preconditions.of(request.headers)
    for header, given in (
        (IDEMPOTENCY_KEY, conditions.key is not None),
        (IF_NONE_MATCH, conditions.only_new),
    ):
        if given:
            raise invalid(f"{header} does not go with settings: leave it out", field=header)
    change = SettingsChange(**wanted.model_dump(exclude_none=True))
    try:
        return _told(door.memoranda.settings.change(caller, change, conditions.if_match))
    except MemorandaError as error:
        raise conditions.translated(error) from None


def _told(state: SettingsState) -> Response:
    response = json_response(state.as_json())
    response.headers["ETag"] = etag(state.version, erased=False, review=False)
    return response
