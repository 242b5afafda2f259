"""Commands on a whole store: import, rebuild, verify, demo. The work is done elsewhere."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from domain.canonical import JsonObject
from ops.cli_shared import DataOption, JsonOption, opened, opened_log, remark, say, say_json
from ops.import_ledger import ImportReport
from ops.settings import load_settings, local_actor
from ops.trusted_names import check_scope, check_workspace


def import_lines(
    file: Annotated[Path, typer.Argument(help="JSON Lines, plain or gzipped.")],
    workspace: Annotated[str, typer.Option(help="For lines that name none.")] = "default",
    actor: Annotated[str | None, typer.Option(help="Default: cli:<user>.")] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import a file of operations; start it again to go on after an interruption."""
    from rich.console import Console

    from ops.importer import import_file
    from ops.progress import progress_bar

    check_workspace(workspace, "--workspace")
    actor = check_scope(actor, "--actor") if actor is not None else local_actor()
    bar = progress_bar(Console(stderr=True), f"Importing {file.name}")
    with opened(data) as memoranda, bar as on_progress:
        report = import_file(
            memoranda, file, workspace=workspace, actor=actor, on_progress=on_progress
        )
    if as_json:
        say_json(_plain(report))
    else:
        _tell(report)
    if report.refused:
        raise typer.Exit(1)


def rebuild(data: DataOption = None) -> None:
    """Build the read models anew from the log."""
    from rich.console import Console

    from ops.progress import progress_bar
    from ops.rebuild import rebuild as build

    bar = progress_bar(Console(stderr=True), "Rebuilding the read models")
    with opened_log(data) as (folder, log), bar as on_progress:
        position = build(log, folder.views, on_progress)
    say(f"the read models stand at position {position}")


def verify(data: DataOption = None, as_json: JsonOption = False) -> None:
    """Recompute every hash and commitment of the log; it may be in use.

    Exit status 0: nothing wrong; 1: something wrong; 2: the check could not be made.
    """
    from ops.verification import verify_store

    folder = load_settings(data=data).data
    try:
        report = verify_store(folder, _master_key(folder))
    except (OSError, ValueError, sqlite3.Error) as error:
        remark(f"error: {folder} cannot be verified: {error}")
        raise typer.Exit(2) from None
    if as_json:
        say_json(asdict(report))
    else:
        for finding in report.findings:
            say("position {position}, {event}, column {column}: {rule}".format_map(finding))
        say(
            f"{report.events} events verified, {report.wrong} wrong; payloads: "
            f"{report.decrypted} opened, {report.erased} erased, {report.not_decrypted} not opened"
        )
    if report.wrong:
        raise typer.Exit(1)


def _master_key(folder: Path) -> bytes | None:
    """The key that opens payloads; a copy of a store may come without it."""
    file = folder / "master.key"
    return bytes.fromhex(file.read_text("ascii")) if file.exists() else None


def demo(data: DataOption = None, as_json: JsonOption = False) -> None:
    """Load real data, then ask and answer."""
    from rich.console import Console

    from ops.demo import run

    run(load_settings(data=data).data, as_json=as_json, console=Console(highlight=False))


def _tell(report: ImportReport) -> None:
    say(
        f"{report.lines} lines: {report.accepted} accepted ({report.replayed} of them known "
        f"before), {report.refused} refused"
    )
    for refused in report.refusals:
        where = f" {refused.field}" if refused.field is not None else ""
        remark(f"line {refused.line}: {refused.code}{where}: {refused.message}")
    if report.refused > len(report.refusals):
        remark(f"… and {report.refused - len(report.refusals)} more")
    if report.refused_file is not None:
        remark(f"all refused lines, with the reason: {report.refused_file}")


def _plain(report: ImportReport) -> JsonObject:
    file = report.refused_file
    return {**asdict(report), "refused_file": None if file is None else str(file)}
