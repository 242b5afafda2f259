"""`memoranda export`: the events of a workspace as a file that can be verified by anybody."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from domain.canonical import JsonObject
from domain.errors import invalid
from ops.cli_backup import WhichStore
from ops.cli_errors import telling
from ops.cli_shared import say, say_json
from ops.trusted_names import check_scope, check_workspace


@dataclass(frozen=True, kw_only=True)
class Export:
    """What is written, and where to."""

    out: Annotated[Path, typer.Argument(help="The new file.")]
    workspace: Annotated[str, typer.Option(help="Of which workspace.")] = "default"
    session: Annotated[
        str | None, typer.Option(help="Only what is of this session, and names nothing else.")
    ] = None
    sanitize: Annotated[
        bool,
        typer.Option(
            "--sanitize",
            help="Without any text that was forgotten, also where it was only hidden.",
        ),
    ] = False
    as_known: Annotated[
        str | None,
        typer.Option(help="Only what was known at a position, or at a time with an offset."),
    ] = None
    without_slot_secret: Annotated[
        bool,
        typer.Option(
            "--without-slot-secret",
            help="For auditors: nobody can test guesses of slots with it, nor import it.",
        ),
    ] = False


def export(what: Export, store: WhichStore) -> None:
    """Write the events of a workspace to a new file; servers may be at work."""
    from rich.console import Console

    from ops.exporting import ExportQuestion
    from ops.exporting import export as run
    from ops.progress import progress_bar

    with telling(as_json=store.as_json):
        check_workspace(what.workspace, "--workspace")
        if what.session is not None:
            check_scope(what.session, "--session")
        asked = ExportQuestion(
            workspace=what.workspace,
            session=what.session,
            as_known=what.as_known,
            sanitized=what.sanitize,
            slot_secret=not what.without_slot_secret,
        )
        try:
            with progress_bar(Console(stderr=True), "Exporting") as on_progress:
                done = run(store.where(), asked, what.out, on_progress)
        except OSError as error:
            raise invalid(
                f"{what.out} cannot be written ({error.strerror}): name another file", field="OUT"
            ) from None
    answer: JsonObject = {"export": str(what.out), **asdict(done)}
    if store.as_json:
        say_json(answer)
        return
    say(f"{done.count} events are in {what.out}, {done.left_out} of them without their text")
    say(f"head {done.head}\nstructure_sha256 {done.structure_sha256}")
    say(f"export_sha256 {done.export_sha256}")
