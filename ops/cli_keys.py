"""`memoranda keys`: who may do what. A key is shown once and stored nowhere."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from domain.canonical import JsonObject
from domain.context import CONTRACT_PERMISSIONS, PERMISSIONS
from domain.errors import invalid
from ops.cli_shared import DataOption, JsonOption, opened_keys, remark, say, say_json
from ops.settings import local_actor
from ops.trusted_names import check_scope, check_workspace

if TYPE_CHECKING:
    from commands.api_keys import KeyInfo

HOST: Final = "host"
keys_app = typer.Typer(no_args_is_help=True, help="Create, list and revoke API keys.")


@keys_app.command()
def create(
    *,
    name: Annotated[str, typer.Option(help="What the key is for.")],
    permissions: Annotated[
        str, typer.Option(help=f"Comma list of {', '.join(sorted(PERMISSIONS))}.")
    ] = ",".join(sorted(CONTRACT_PERMISSIONS)),
    workspace: Annotated[str | None, typer.Option(help="Default: default.")] = None,
    actor: Annotated[str | None, typer.Option(help="Default: cli:<user>.")] = None,
    agent: Annotated[str | None, typer.Option(help="Default: none.")] = None,
    expires_at: Annotated[str | None, typer.Option(help="RFC 3339; default: never.")] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a key and print it; a host key is bound to no workspace unless it is given one."""
    granted = [one.strip() for one in permissions.split(",") if one.strip()]
    if not granted:
        raise invalid("--permissions names nothing: a key needs at least one", field="permissions")
    if HOST not in granted:
        workspace = workspace or "default"
        actor = actor or local_actor()
    for value, option in ((actor, "--actor"), (agent, "--agent")):
        if value is not None:
            check_scope(value, option)
    if workspace is not None:
        check_workspace(workspace, "--workspace")
    with opened_keys(data) as keys:
        token, info = keys.create(
            name=name,
            workspace=workspace,
            actor=actor,
            agent=agent,
            permissions=granted,
            expires_at=expires_at,
        )
    if as_json:
        say_json({"token": token, **_plain(info)})
    else:
        remark(f"{info.key_id} ({_bound(info)}); the key is shown this once:")
        say(token)


@keys_app.command("list")
def list_keys(data: DataOption = None, as_json: JsonOption = False) -> None:
    """List all keys, the revoked ones too, oldest first."""
    with opened_keys(data) as keys:
        known = keys.list()
    if as_json:
        say_json([_plain(info) for info in known])
        return
    if not known:
        remark("no keys: make one with `memoranda keys create --name NAME`")
    for info in known:
        state = f"revoked {info.revoked_at}" if info.revoked_at else "in force"
        until = f", until {info.expires_at}" if info.expires_at else ""
        granted = ",".join(sorted(info.permissions))
        say(f"{info.key_id}  {state}{until}  {info.name}  ({_bound(info)})  {granted}")


@keys_app.command()
def revoke(
    key_id: Annotated[str, typer.Argument(help="key_…, as `memoranda keys list` shows it.")],
    data: DataOption = None,
) -> None:
    """Refuse a key from now on."""
    with opened_keys(data) as keys:
        info = keys.revoke(key_id)
    say(f"{info.key_id} is revoked since {info.revoked_at}")


def _bound(info: KeyInfo) -> str:
    if HOST in info.permissions and info.workspace is None:
        return "host key: names workspace and actor per request"
    return f"workspace {info.workspace}, actor {info.actor}" + (
        f", agent {info.agent}" if info.agent is not None else ""
    )


def _plain(info: KeyInfo) -> JsonObject:
    return {**asdict(info), "permissions": sorted(info.permissions)}
