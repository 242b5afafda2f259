"""`memoranda revert`: a memory says again what it said at an earlier version."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Annotated, Final

import typer

from domain.canonical import JsonObject
from domain.errors import MemorandaError, invalid
from ops.cli_arguments import Repeatable
from ops.cli_client import Door
from ops.cli_errors import telling
from ops.cli_shared import remark, say_json
from ops.cli_where import Where, show

_OPEN: Final = ("confidence", "valid_from", "valid_until")
"""What a version may leave open, and the new one then leaves open too."""


@dataclass(frozen=True, kw_only=True)
class Revert(Repeatable):
    """What `revert` takes."""

    memory_id: Annotated[str, typer.Argument(help="mem_…")]
    to: Annotated[int, typer.Option("--to", min=1, help="The version that counts again.")]
    expected_version: Annotated[
        int | None,
        typer.Option(help="Refuse it if the memory has another version by now. Default: it has."),
    ] = None


def revert(said: Revert, where: Where) -> None:
    """Make a new version with what a memory said at an earlier one; nothing is taken out.

    Content, confidence, tags and validity are those of that version. Tags and sources that came
    since stay, as with every update.
    """
    from ops.cli_views import mutation

    given = said.idempotency_key
    key = f"cli-{uuid.uuid4()}" if given is None else given
    with telling(as_json=where.as_json, key=key), where.door() as door:
        wanted = {
            "contract_version": "v1",
            "operation": "update",
            "idempotency_key": key,
            "input": _input(door, said),
        }
        answer = door.execute(wanted)
    if not where.as_json:
        show(mutation(answer["result"]["result"], key))
        return
    if given is None:
        remark(f"idempotency key: {key}")
    say_json(answer)


def _input(door: Door, said: Revert) -> JsonObject:
    """The update. It depends on the two versions alone, so that it can be sent again."""
    expected = said.expected_version
    if expected is None:
        expected = int(door.memory(said.memory_id)["version"])
    if said.to >= expected:
        raise invalid(
            f"--to must be below version {expected}: revert goes back to an earlier one",
            field="--to",
            reason="NOT_EARLIER",
        )
    return {
        "target": {"kind": "memory", "id": said.memory_id},
        "expected_version": expected,
        "patch": _patch(door.memory(said.memory_id, said.to), said.to),
    }


def _patch(record: JsonObject, version: int) -> JsonObject:
    if record["content"] is None:
        raise _erased(version)
    return {
        "content": record["content"],
        **{name: record[name] for name in _OPEN if record[name] is not None},
        "add_tags": record["tags"],
        "add_provenance": [],
        "clear": [name for name in _OPEN if record[name] is None],
    }


def _erased(version: int) -> MemorandaError:
    return invalid(
        f"the content of version {version} was forgotten: name another version",
        field="--to",
        reason="VERSION_FORGOTTEN",
    )
