"""`memoranda import`: a file of operations, into a data folder or to a server."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from domain.canonical import JsonObject
from ops.cli_errors import telling
from ops.cli_shared import DataOption, JsonOption, opened, remark, say, say_json
from ops.cli_where import Server
from ops.settings import local_actor
from ops.trusted_names import check_scope, check_workspace

if TYPE_CHECKING:
    from ops.import_ledger import ImportReport
    from ops.progress import OnProgress


@dataclass(frozen=True, kw_only=True)
class Import(Server):
    """What is imported, and where to."""

    file: Annotated[Path, typer.Argument(help="JSON Lines, plain or gzipped.")]
    workspace: Annotated[
        str | None,
        typer.Option(help="For lines that name none. Default: default; with --url the key's."),
    ] = None
    actor: Annotated[
        str | None, typer.Option(help="The same. Default: cli:<user>; with --url the key's.")
    ] = None
    data: DataOption = None
    as_json: JsonOption = False

    def run(self, on_progress: OnProgress) -> ImportReport:
        """Import the file."""
        if self.workspace is not None:
            check_workspace(self.workspace, "--workspace")
        if self.actor is not None:
            check_scope(self.actor, "--actor")
        if self.url is not None:
            from ops.cli_remote import operator_door
            from ops.import_remote import import_to

            door = operator_door(self.url, self.api_key, data=self.data)
            return import_to(
                door, self.file, workspace=self.workspace, actor=self.actor, on_progress=on_progress
            )
        from ops.importer import import_file

        with opened(self.data) as memoranda:
            return import_file(
                memoranda,
                self.file,
                workspace=self.workspace or "default",
                actor=self.actor or local_actor(),
                on_progress=on_progress,
            )


def import_lines(asked: Import) -> None:
    """Import a file of operations; start it again to go on after an interruption."""
    from rich.console import Console

    from ops.progress import progress_bar

    bar = progress_bar(Console(stderr=True), f"Importing {asked.file.name}")
    with telling(as_json=asked.as_json), bar as on_progress:
        report = asked.run(on_progress)
    if asked.as_json:
        say_json(_plain(report))
    else:
        _tell(report)
    if report.refused:
        raise typer.Exit(1)


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
