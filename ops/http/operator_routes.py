"""What operators ask over HTTP: counts, imports, and long work on the whole store."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from domain.canonical import parse_json
from domain.errors import Code, MemorandaError
from domain.limits import SCOPE_BYTES_MAX
from ops.counting import measured
from ops.counting_database import measured_database
from ops.data_folder import DataFolderError
from ops.http.answers import json_response
from ops.http.door import Body, CurrentDoor, CurrentOperator, Lines
from ops.http.importing import reader_for
from ops.http.operator_models import NewJob, checked
from ops.http.route_docs import DOCS
from ops.import_parts import import_part
from ops.settings import server_mode
from read_api.list_filters import POSITION_MAX

router = APIRouter()


class ImportedPart(BaseModel):
    """Which part of which file the lines are."""

    model_config = ConfigDict(extra="forbid")

    seed: Annotated[
        str,
        Field(
            pattern="^[0-9a-f]{64}$",
            description="SHA-256 of the unpacked file: it tells one import from another.",
        ),
    ]
    first: Annotated[
        int, Field(ge=1, le=POSITION_MAX, description="Number of the first line in its file.")
    ] = 1
    workspace: Annotated[
        str | None,
        Field(max_length=SCOPE_BYTES_MAX, description="For lines that name none."),
    ] = None
    actor: Annotated[
        str | None, Field(max_length=SCOPE_BYTES_MAX, description="For lines that name none.")
    ] = None


@router.get("/v1/stats", **DOCS["stats"])
def stats(door: CurrentDoor, operator: CurrentOperator) -> Response:
    """How much is recorded: in the workspace, or in the whole store and what that takes."""
    with door.counting():
        try:
            mode = server_mode(door.settings)
            if mode is not None:
                return json_response(measured_database(mode, operator.workspace))
            return json_response(measured(door.memoranda.folder.path, operator.workspace))
        except DataFolderError:
            raise MemorandaError(
                Code.DURABILITY_FAILED,
                "the store cannot be counted at the moment: `memoranda doctor` says what is wrong",
                retry_after=1,
            ) from None


@router.post("/v1/import", **DOCS["import"])
def import_lines(
    door: CurrentDoor,
    operator: CurrentOperator,
    part: Annotated[ImportedPart, Query()],
    body: Lines,
) -> Response:
    """Execute lines of an import file, at most 500, in order, each with a verdict of its own.

    A line has the form of those of `memoranda import`, without a byte order mark. The same lines
    again are replays. A host key may name workspace, actor, agent and recording time in a line's
    `context`; of other keys the lines are in their own name.
    """
    reader = reader_for(operator, part.seed, part.workspace, part.actor)
    return json_response(import_part(door.memoranda, reader, body, part.first))


@router.post("/v1/jobs", **DOCS["new_job"])
def new_job(door: CurrentDoor, operator: CurrentOperator, body: Body) -> Response:
    """Start `doctor`, `verify`, `rebuild` or `parked …` on the whole store; one at a time."""
    operator.require_whole()
    wanted = checked(NewJob, parse_json(body))
    wanted.check()
    return json_response(door.jobs.start(wanted.command, wanted.stream, wanted.projection))


@router.get("/v1/jobs/{job_id}", **DOCS["job"])
def job(door: CurrentDoor, operator: CurrentOperator, job_id: str) -> Response:
    """How a job stands, and what it answered; the last 16 are remembered."""
    operator.require_whole()
    return json_response(door.jobs.get(job_id))
