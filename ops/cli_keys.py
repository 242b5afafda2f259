"""`memoranda keys`: who may do what. A key is shown once and stored nowhere."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from domain.canonical import JsonObject
from domain.context import CONTRACT_PERMISSIONS, PERMISSIONS
from domain.errors import invalid
from ops.cli_arguments import STORE, flattened
from ops.cli_errors import telling
from ops.cli_shared import DataOption, JsonOption, opened_keys, place, remark, say, say_json
from ops.cli_where import Server
from ops.settings import ServerMode, load_settings, local_actor
from ops.trusted_names import check_scope, check_workspace

if TYPE_CHECKING:
    from commands.api_keys import KeyInfo
    from ops.cli_http import UrlDoor

HOST: Final = "host"
keys_app = typer.Typer(
    no_args_is_help=True, help="API keys: create, list, revoke. The master key: rotate."
)


@dataclass(frozen=True, kw_only=True)
class KeyRing(Server):
    """Whose keys: those of a data folder, which may be in use, or of a server."""

    data: Annotated[
        Path | None,
        typer.Option(
            help="Data folder (MEMORANDA_DATA, else .memoranda).",
            show_default=False,
            rich_help_panel=STORE,
        ),
    ] = None
    as_json: JsonOption = False

    def server(self) -> UrlDoor | None:
        """The door of the server, where one is meant."""
        if self.url is None:
            return None
        from ops.cli_remote import operator_door

        return operator_door(self.url, self.api_key, data=self.data)


@dataclass(frozen=True, kw_only=True)
class NewKey:
    """What the new key is for."""

    name: Annotated[str, typer.Option(help="What the key is for.")]
    permissions: Annotated[
        str, typer.Option(help=f"Comma list of {', '.join(sorted(PERMISSIONS))}.")
    ] = ",".join(sorted(CONTRACT_PERMISSIONS))
    workspace: Annotated[
        str | None, typer.Option(help="Default: default; with --url the key's.")
    ] = None
    actor: Annotated[
        str | None, typer.Option(help="Default: cli:<user>; with --url the key's.")
    ] = None
    agent: Annotated[str | None, typer.Option(help="Default: none.")] = None
    expires_at: Annotated[str | None, typer.Option(help="RFC 3339; default: never.")] = None

    def checked(self) -> JsonObject:
        """What is asked for; INVALID_REQUEST for names that cannot be."""
        granted = [one.strip() for one in self.permissions.split(",") if one.strip()]
        if not granted:
            raise invalid(
                "--permissions names nothing: a key needs at least one", field="permissions"
            )
        for value, option in ((self.actor, "--actor"), (self.agent, "--agent")):
            if value is not None:
                check_scope(value, option)
        if self.workspace is not None:
            check_workspace(self.workspace, "--workspace")
        names = {name: getattr(self, name) for name in ("workspace", "actor", "agent")}
        return {"name": self.name, "permissions": granted, "expires_at": self.expires_at, **names}


def create(new: NewKey, ring: KeyRing) -> None:
    """Create a key and print it; a host key is bound to no workspace unless it is given one."""
    with telling(as_json=ring.as_json):
        made = _made(new.checked(), ring)
    if ring.as_json:
        say_json(made)
    else:
        remark(f"{made['key_id']} ({_bound(made)}); the key is shown this once:")
        say(made["token"])


def _made(wanted: JsonObject, ring: KeyRing) -> JsonObject:
    server = ring.server()
    if server is not None:
        return server.post("/v1/keys", wanted)
    if HOST not in wanted["permissions"]:
        wanted["workspace"] = wanted["workspace"] or "default"
        wanted["actor"] = wanted["actor"] or local_actor()
    with opened_keys(ring.data) as keys:
        token, info = keys.create(**wanted)
    return {"token": token, **_plain(info)}


def list_keys(ring: KeyRing) -> None:
    """List all keys, the revoked ones too, oldest first; with --url those that the key may see."""
    with telling(as_json=ring.as_json):
        known = _known(ring)
    if ring.as_json:
        say_json(known)
        return
    if not known:
        remark("no keys: make one with `memoranda keys create --name NAME`")
    for info in known:
        state = f"revoked {info['revoked_at']}" if info["revoked_at"] else "in force"
        until = f", until {info['expires_at']}" if info["expires_at"] else ""
        granted = ",".join(info["permissions"])
        say(f"{info['key_id']}  {state}{until}  {info['name']}  ({_bound(info)})  {granted}")


def _known(ring: KeyRing) -> list[JsonObject]:
    server = ring.server()
    if server is not None:
        from ops.cli_remote import keys_of

        return list(keys_of(server))
    with opened_keys(ring.data) as keys:
        return [_plain(info) for info in keys.list()]


@dataclass(frozen=True, kw_only=True)
class OneKey:
    """Which key."""

    key_id: Annotated[str, typer.Argument(help="key_…, as `memoranda keys list` shows it.")]


def revoke(one: OneKey, ring: KeyRing) -> None:
    """Refuse a key from now on."""
    with telling(as_json=ring.as_json):
        info = _revoked(one.key_id, ring)
    if ring.as_json:
        say_json(info)
    else:
        say(f"{info['key_id']} is revoked since {info['revoked_at']}")


def _revoked(key_id: str, ring: KeyRing) -> JsonObject:
    server = ring.server()
    if server is not None:
        from ops.cli_remote import revoked_by

        return revoked_by(server, key_id)
    with opened_keys(ring.data) as keys:
        return _plain(keys.revoke(key_id))


@dataclass(frozen=True, kw_only=True)
class NewMaster:
    """Where the new master key is, and of which store."""

    new_key_file: Annotated[
        Path | None,
        typer.Option(
            help="64 hexadecimal digits, readable by you alone. Default: MEMORANDA_NEW_MASTER_KEY; "
            "without it a data folder gets a fresh key."
        ),
    ] = None
    data: DataOption = None
    as_json: JsonOption = False


def rotate_master(new: NewMaster) -> None:
    """Give a store that is not in use another master key: without it no data can be read."""
    with telling(as_json=new.as_json):
        where, workspaces = _rotated(new)
    file = where / "master.key" if isinstance(where, Path) else None
    if new.as_json:
        named = None if file is None else str(file)
        say_json({"workspaces": workspaces, "master_key": named})
        return
    say(f"{workspaces} workspaces are under the new master key")
    if file is None:
        remark(
            "All servers and workers must be restarted with the new key in MEMORANDA_MASTER_KEY: "
            "where any was running meanwhile, stop them, and repeat this first."
        )
    remark(
        f"KEEP A COPY of {file or 'the new key'} where no backup of the store is: WITHOUT THE "
        "MASTER KEY NO DATA CAN BE READ, for ever. Backups from before need the old key: keep it "
        "for as long as them."
    )


def _rotated(new: NewMaster) -> tuple[Path | ServerMode, int]:
    from ops.rotating import key_in, rotate_database, rotate_folder

    said, where = load_settings().new_master_key, place(new.data)
    if new.new_key_file is not None:
        key: bytes | None = key_in(new.new_key_file)
    else:
        key = None if said is None else bytes.fromhex(said.get_secret_value())
    if isinstance(where, ServerMode):
        return where, rotate_database(where, key)
    return where, rotate_folder(where, key)


keys_app.command()(flattened(create))
keys_app.command("list")(flattened(list_keys))
keys_app.command()(flattened(revoke))
keys_app.command("rotate-master")(flattened(rotate_master))


def _bound(info: JsonObject) -> str:
    if HOST in info["permissions"] and info["workspace"] is None:
        return "host key: names workspace and actor per request"
    agent = "" if info["agent"] is None else f", agent {info['agent']}"
    return f"workspace {info['workspace']}, actor {info['actor']}{agent}"


def _plain(info: KeyInfo) -> JsonObject:
    return {**asdict(info), "permissions": sorted(info.permissions)}
