"""Commands on a whole store: rebuild, verify, demo. The work is done elsewhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from domain.canonical import JsonObject
from domain.errors import invalid
from ops.cli_errors import EndedError, failed, telling
from ops.cli_shared import DataOption, JsonOption, opened_log, place, say, say_json
from ops.cli_where import Server
from ops.settings import ServerMode, load_settings

UNCHECKED: Final = 2
"""Exit status of a verify that could not be made."""


@dataclass(frozen=True, kw_only=True)
class WholeStore(Server):
    """A data folder, or the whole store of a server."""

    data: DataOption = None
    as_json: JsonOption = False

    def job(self, url: str, command: str, **more: str | None) -> tuple[Any, int]:
        """What the command answers on a server, and its exit status."""
        from ops.cli_remote import operator_door, run_job

        return run_job(operator_door(url, self.api_key, data=self.data), command, **more)


@dataclass(frozen=True, kw_only=True)
class Replacing:
    """How read models in PostgreSQL are replaced."""

    without_comparing: Annotated[
        bool,
        typer.Option(
            "--without-comparing",
            help="In PostgreSQL: also where the new read models are not as the live ones.",
        ),
    ] = False
    drop_older: Annotated[
        bool,
        typer.Option(
            "--drop-older",
            help="In PostgreSQL: drop those of other versions of the program.",
        ),
    ] = False

    def refuse(self) -> None:
        """INVALID_REQUEST where one is given: a server replaces its read models in one way."""
        for option, given in (
            ("--without-comparing", self.without_comparing),
            ("--drop-older", self.drop_older),
        ):
            if given:
                raise invalid(
                    f"{option} is not for --url: give it beside the database", field=option
                )


def rebuild(store: WholeStore, how: Replacing) -> None:
    """Build the read models anew from the log; servers may have them open meanwhile.

    Of a data folder the recall index is thrown away with them, and made again by the server.
    """
    with telling(as_json=store.as_json):
        if store.url is None:
            answer: JsonObject = {"position": _rebuilt(store.data, how)}
        else:
            how.refuse()
            answer, _ = store.job(store.url, "rebuild")
    if store.as_json:
        say_json(answer)
    else:
        say(f"the read models stand at position {answer['position']}")


def _rebuilt(data: Path | None, how: Replacing) -> int | None:
    from rich.console import Console

    from ops.collector import calm_collector
    from ops.progress import progress_bar
    from ops.rebuild import rebuild as build
    from ops.recall_index import begin_anew
    from projections.index_store import IndexStore, open_manifest

    calm_collector()
    bar = progress_bar(Console(stderr=True), "Rebuilding the read models")
    where = place(data)
    if isinstance(where, ServerMode):
        return _rebuilt_in_postgres(where, how, bar)
    with opened_log(data) as (folder, log, shared), bar as on_progress:
        position = build(log, folder.views, on_progress, beside=shared)
        engine = open_manifest(folder.manifest)
        begin_anew(IndexStore(engine))
        engine.dispose()
        return position


def _rebuilt_in_postgres(
    mode: ServerMode, how: Replacing, bar: AbstractContextManager[Callable[[int, int], None]]
) -> int | None:
    from ops.rebuild_postgres import rebuild_beside
    from ops.server_site import open_site

    with open_site(mode) as site, bar as on_progress:
        return rebuild_beside(
            site.log,
            mode.database_url,
            on_progress,
            compare=not how.without_comparing,
            drop_older=how.drop_older,
        )


@dataclass(frozen=True, kw_only=True)
class Verified:
    """What is verified, if not the store."""

    file: Annotated[
        Path | None, typer.Argument(help="A file of `memoranda export`; default: the store.")
    ] = None


def verify(what: Verified, store: WholeStore) -> None:
    """Recompute every hash and commitment of the log, which may be in use, or of an export.

    Exit status 0: nothing wrong; 1: something wrong; 2: the check could not be made.
    """
    if what.file is not None:
        _verify_file(what.file, store)
        return
    with telling(as_json=store.as_json):
        if store.url is None:
            report = _verified(place(store.data))
        else:
            report, _ = store.job(store.url, "verify")
    if store.as_json:
        say_json(report)
    else:
        for finding in report["findings"]:
            say("position {position}, {event}, column {column}: {rule}".format_map(finding))
        say(
            "{events} events verified, {wrong} wrong; payloads: {decrypted} opened, {erased} "
            "erased, {left_out} left out of imports, {not_decrypted} not opened".format_map(report)
        )
    if report["wrong"]:
        raise typer.Exit(1)


def _verify_file(file: Path, store: WholeStore) -> None:
    from ops.standalone_verifier import tell_export, verify_export

    with telling(as_json=store.as_json):
        for option, given in (("--url", store.url), ("--data", store.data)):
            if given is not None:
                raise invalid(f"{option} is not for a file: a file needs no store", field=option)
        try:
            report = verify_export(file)
        except (OSError, ValueError) as error:
            wire = failed("INVALID_REQUEST", f"{file} cannot be verified: {error}")
            raise EndedError(wire, UNCHECKED) from None
    if tell_export(report, as_json=store.as_json):
        raise typer.Exit(1)


def _verified(where: Path | ServerMode) -> JsonObject:
    from commands.store_errors import StoreError
    from ops.verification import verify_store

    try:
        if isinstance(where, ServerMode):
            from ops.verification_database import verify_database

            return asdict(verify_database(where.database_url, where.master_key))
        return asdict(verify_store(where, _master_key(where)))
    except (OSError, ValueError, sqlite3.Error, StoreError) as error:
        named = "the database" if isinstance(where, ServerMode) else where
        wire = failed("STORE_UNAVAILABLE", f"{named} cannot be verified: {error}")
        raise EndedError(wire, UNCHECKED) from None


def _master_key(folder: Path) -> bytes | None:
    """The key that opens payloads; a copy of a store may come without it."""
    file = folder / "master.key"
    return bytes.fromhex(file.read_text("ascii")) if file.exists() else None


def demo(data: DataOption = None, as_json: JsonOption = False) -> None:
    """Load real data, then ask and answer."""
    from rich.console import Console

    from ops.demo import run

    run(load_settings(data=data).data, as_json=as_json, console=Console(highlight=False))
