"""`memoranda import`: a file of operations, or of events of another store."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from domain.canonical import JsonObject
from domain.errors import invalid
from ops.cli_errors import telling
from ops.cli_shared import DataOption, JsonOption, opened, place, remark, say, say_json
from ops.cli_where import Server
from ops.settings import local_actor
from ops.trusted_names import check_scope, check_workspace

if TYPE_CHECKING:
    from ops.event_import import EventReport
    from ops.import_ledger import ImportReport
    from ops.progress import OnProgress


@dataclass(frozen=True, kw_only=True)
class Import(Server):
    """What is imported, and where to."""

    file: Annotated[
        Path, typer.Argument(help="JSON Lines, plain or gzipped, or a file of `memoranda export`.")
    ]
    workspace: Annotated[
        str | None,
        typer.Option(help="For lines that name none. Default: default; with --url the key's."),
    ] = None
    actor: Annotated[
        str | None, typer.Option(help="The same. Default: cli:<user>; with --url the key's.")
    ] = None
    data: DataOption = None
    as_json: JsonOption = False

    @property
    def is_export(self) -> bool:
        """Whether the file holds events; one that cannot be read holds none."""
        from ops.export_file import is_export

        try:
            return is_export(self.file)
        except OSError:
            return False

    def events(self, on_progress: OnProgress) -> EventReport:
        """Import the events of an export."""
        from ops.event_import import import_events

        for option, given in (
            ("--url", self.url), ("--workspace", self.workspace), ("--actor", self.actor)
        ):  # fmt: skip
            if given is not None:
                raise invalid(
                    f"{option} is not for an export, whose events say it themselves: import it "
                    "beside the store, with --data or the database of the settings",
                    field=option,
                )
        return import_events(place(self.data), self.file, on_progress)

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
    """Import a file of operations, or of events; start it again after an interruption."""
    from rich.console import Console

    from ops.progress import progress_bar

    bar = progress_bar(Console(stderr=True), f"Importing {asked.file.name}")
    with telling(as_json=asked.as_json), bar as on_progress:
        if asked.is_export:
            _tell_events(asked.events(on_progress), as_json=asked.as_json)
            return
        report = asked.run(on_progress)
    if asked.as_json:
        say_json(_plain(report))
    else:
        _tell(report)
    if report.refused:
        raise typer.Exit(1)


def _tell_events(report: EventReport, *, as_json: bool) -> None:
    if as_json:
        say_json(asdict(report))
        return
    say(
        f"{report.events} events: {report.appended} imported, {report.known} known before, "
        f"{report.tombstoned} skipped: tombstoned, {report.unplaced} skipped: unplaced recalls"
    )


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
