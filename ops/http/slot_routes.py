"""Reading slots over HTTP: what is known about one, and which there are, at any basis."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope

from ops.http.answers import seen_response
from ops.http.door import Caller, CurrentDoor
from ops.http.permissions import routed
from ops.http.route_docs import DOCS
from read_api.slot_questions import HistoryQuestion, SlotFilters, SlotQuestion

router = APIRouter()
_HISTORY: Final = "/history"


class _HistoryRoute(APIRoute):
    """Takes what ends with `/history` as it was sent: `%2Fhistory` is the end of a slot's name."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        sent = scope.get("raw_path") or scope["path"].encode()
        return super().matches(scope) if sent.endswith(_HISTORY.encode()) else (Match.NONE, {})


histories = APIRouter(route_class=_HistoryRoute)
"""Goes before `router`, in which the name of a slot takes every path."""


@router.get("/v1/slots", **DOCS["slots"])
def slots(door: CurrentDoor, caller: Caller, filters: Annotated[SlotFilters, Query()]) -> Response:
    """Slots that a memory names, in an order of their own, and what is selected in each.

    A page with filters may be short, or empty, and yet have a `next_cursor`: at most 500 slots are
    looked at. All pages have the basis of the first one.
    """
    door.wait(caller, filters.min_position)
    return seen_response(door.memoranda.read.slots(caller, filters))


@router.get(routed("/v1/slots/{slot}"), **DOCS["slot"])
def slot(
    door: CurrentDoor, caller: Caller, slot: str, asked: Annotated[SlotQuestion, Query()]
) -> Response:
    """What is selected in a slot, what it disagrees with, and why other versions are no answer.

    The name is percent-encoded, slashes too. A slot that no memory names has an empty answer.
    """
    door.wait(caller, asked.min_position)
    return seen_response(door.memoranda.read.slot(caller, slot, asked))


@histories.get(routed(f"/v1/slots/{{slot}}{_HISTORY}"), **DOCS["slot_history"])
def slot_history(
    door: CurrentDoor, caller: Caller, slot: str, asked: Annotated[HistoryQuestion, Query()]
) -> Response:
    """What changed the answer about a slot, oldest first, and what it was for which instants.

    What is answered at a position is in the last entry up to it. An instant that is in none of its
    intervals has no answer. What was forgotten is in no entry but by its id.
    """
    door.wait(caller, asked.min_position)
    return seen_response(door.memoranda.read.slot_history(caller, slot, asked))
