"""Reading slots over HTTP: what is known about one, and which there are, at any basis."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from ops.http.answers import seen_response
from ops.http.door import Caller, CurrentDoor
from ops.http.permissions import routed
from ops.http.route_docs import DOCS
from read_api.slot_questions import SlotFilters, SlotQuestion

router = APIRouter()


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
