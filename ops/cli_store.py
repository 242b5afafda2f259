"""Commands on a whole store: import, rebuild, verify, demo. The work is done elsewhere."""

from __future__ import annotations

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
