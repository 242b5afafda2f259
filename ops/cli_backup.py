"""`memoranda backup` and `memoranda restore`: the store of a data folder, or of a database."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from domain.canonical import JsonObject
from ops.cli_errors import telling
from ops.cli_shared import DataOption, JsonOption, remark, say, say_json
from ops.settings import ServerMode, load_settings, server_mode

if TYPE_CHECKING:
    from ops.restore import Restored

_NO_MASTER_KEY = (
    "THE MASTER KEY IS NOT IN THIS BACKUP. Without it nothing in it can be read, by anybody, for "
    "ever: keep a copy of it where no backup is."
)


@dataclass(frozen=True, kw_only=True)
class WhichStore:
    """A data folder, or the database of the server mode."""

    data: DataOption = None
    as_json: JsonOption = False

    def where(self) -> Path | ServerMode:
        """The database of the server mode, unless a folder is named."""
        mode = server_mode(load_settings()) if self.data is None else None
        return self.folder() if mode is None else mode

    def folder(self) -> Path:
        """The data folder; beside a database that of this machine."""
        return load_settings(data=self.data).data


@dataclass(frozen=True, kw_only=True)
class Backup:
    """What is written, and where to."""

    out: Annotated[Path, typer.Argument(help="What is made: a new folder; a file of erasures.")]
    erasures: Annotated[
        bool,
        typer.Option(
            "--erasures",
            help="Only a small file of what was erased, to be given to a restore.",
        ),
    ] = False


def backup(what: Backup, store: WhichStore) -> None:
    """Copy log and keys as of one moment; servers may be at work. Never the master key."""
    with telling(as_json=store.as_json):
        answer = _erasures(what.out, store) if what.erasures else _backup(what.out, store)
    if store.as_json:
        say_json(answer)
    elif what.erasures:
        say(f"{answer['lines']} lines of erasures are in {answer['backup']}")
    else:
        rows = {name: count for one in answer["files"].values() for name, count in one.items()}
        say(
            f"{rows['event']} events and {rows['data_key']} keys, up to position "
            f"{answer['position']}, are in {answer['backup']}"
        )
    if not what.erasures:
        remark(_NO_MASTER_KEY)


def _erasures(out: Path, store: WhichStore) -> JsonObject:
    from ops.backup_erasures import backup_erasures

    return {"backup": str(out), "lines": backup_erasures(store.where(), out)}


def _backup(out: Path, store: WhichStore) -> JsonObject:
    from rich.console import Console

    from ops.backup import backup as run
    from ops.progress import progress_bar

    with progress_bar(Console(stderr=True), "Backing up") as on_progress:
        made = run(store.where(), out, on_progress)
    files = {name: one.rows for name, one in made.files.items()}
    return {"backup": str(out), "position": made.position, "files": files}


@dataclass(frozen=True, kw_only=True)
class Restore:
    """What is put in place, and of what."""

    backup: Annotated[Path, typer.Argument(help="The folder that `memoranda backup` has made.")]
    keys: Annotated[
        Path | None, typer.Option(help="Its keys.db, where that is kept elsewhere.")
    ] = None
    master_key: Annotated[
        Path | None,
        typer.Option(help="A file with the master key of the backup, where the store has another."),
    ] = None
    erasures: Annotated[
        list[Path],
        typer.Option(help="A file of `memoranda backup --erasures`; repeat it for more."),
    ] = field(default_factory=list)
    replace: Annotated[
        bool, typer.Option("--replace", help="Also where a store is there: all of it is replaced.")
    ] = False
    despite_damage: Annotated[
        bool,
        typer.Option(
            "--despite-damage",
            help="Also where the erasures of the store that is there cannot be read.",
        ),
    ] = False


def restore(what: Restore, store: WhichStore) -> None:
    """Put a backup in the place of a store that nobody uses; what was erased stays erased."""
    with telling(as_json=store.as_json):
        done = _restore(what, store)
    manifest, again = done.manifest, done.again
    if store.as_json:
        say_json({"made_at": manifest.made_at, "position": manifest.position, **asdict(again)})
        return
    say(
        f"restored as of {manifest.made_at}, position {manifest.position}; erased again: "
        f"{again.memories} memories, {again.keys} keys; {again.api_keys} API keys revoked again"
    )


def _restore(what: Restore, store: WhichStore) -> Restored:
    from rich.console import Console

    from ops.backup_stage import Given
    from ops.progress import progress_bar
    from ops.restore import Target, read_master_key, restore_folder
    from ops.restore_database import restore_database

    master_key = None if what.master_key is None else read_master_key(what.master_key)
    given = Given(what.backup, what.keys, master_key, what.erasures)
    target = Target(replace=what.replace, despite_damage=what.despite_damage)
    where = store.where()
    with progress_bar(Console(stderr=True), "Restoring") as on_progress:
        if isinstance(where, ServerMode):
            return restore_database(where, store.folder(), given, target, on_progress)
        return restore_folder(where, given, target, on_progress)
