"""`memoranda policy`: the rules by which claims are validated."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from domain.canonical import Json, JsonObject, parse_json
from domain.errors import MemorandaError, invalid
from domain.limits import BODY_BYTES_MAX
from domain.validation.definition import check_policy_name
from ops.cli_arguments import flattened
from ops.cli_errors import telling
from ops.cli_inputs import STDIN
from ops.cli_shared import say_json
from ops.cli_where import Where, show

policy_app: Final = typer.Typer(
    no_args_is_help=True, help="Define, list, show and retire the policies that validate claims."
)
NameArgument = Annotated[str, typer.Argument(help="With its version, as in two-labs/v1.")]


@dataclass(frozen=True, kw_only=True)
class Defined:
    """What `policy define` takes."""

    file: Annotated[
        Path, typer.Argument(help='JSON, {"name": …, "definition": …}; - reads standard input.')
    ]

    def said(self) -> JsonObject:
        """The object in the file; INVALID_REQUEST for what is none."""
        value = _parsed(self.file)
        if not isinstance(value, dict) or value.keys() != {"name", "definition"}:
            raise invalid("FILE must hold an object of name and definition", field="FILE")
        if not isinstance(value["name"], str):
            raise invalid("name must be a string", field="name")
        return value


@dataclass(frozen=True, kw_only=True)
class Named:
    """What `policy show` takes."""

    name: NameArgument


@dataclass(frozen=True, kw_only=True)
class Retired:
    """What `policy retire` takes."""

    name: NameArgument
    reason: Annotated[str, typer.Option(help="Why it is not to be used any more.")]


def define(defined: Defined, where: Where) -> None:
    """Define a policy, for good: its name is never given other rules."""
    with telling(as_json=where.as_json):
        said = defined.said()
        with where.door(create=True) as door:
            found = door.define_policy(said["name"], said["definition"])
    _tell_one(where, found)


def list_policies(where: Where) -> None:
    """List the policies of a workspace, the shipped and the retired ones too."""
    from ops.cli_views_policies import many

    with telling(as_json=where.as_json), where.door() as door:
        found = door.policies()
    if where.as_json:
        say_json(found)
    else:
        show(many(found))


def show_policy(named: Named, where: Where) -> None:
    """Show the rules of a policy."""
    with telling(as_json=where.as_json):
        name = check_policy_name(named.name, "NAME")
        with where.door() as door:
            found = door.policy(name)
    _tell_one(where, found)


def retire(retired: Retired, where: Where) -> None:
    """Let nothing more be decided by a policy; what was decided by it stays."""
    with telling(as_json=where.as_json):
        name = check_policy_name(retired.name, "NAME")
        with where.door() as door:
            found = door.retire_policy(name, retired.reason)
    _tell_one(where, found)


def _tell_one(where: Where, found: JsonObject) -> None:
    from ops.cli_views_policies import one

    if where.as_json:
        say_json(found)
    else:
        show(one(found))


def _parsed(file: Path) -> Json:
    try:
        if file == Path(STDIN):
            data = sys.stdin.buffer.read(BODY_BYTES_MAX + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(BODY_BYTES_MAX + 1)
    except OSError as error:
        raise invalid(f"FILE cannot be read: {error.strerror}", field="FILE") from None
    if len(data) > BODY_BYTES_MAX:
        raise invalid(f"FILE is too large: at most {BODY_BYTES_MAX} bytes", field="FILE")
    try:
        return parse_json(data)
    except MemorandaError as error:
        message = error.message.replace("the body", "FILE")
        raise invalid(message, field="FILE", reason=error.reason) from None


policy_app.command()(flattened(define))
policy_app.command("list")(flattened(list_policies))
policy_app.command("show")(flattened(show_policy))
policy_app.command()(flattened(retire))
