"""`memoranda import` of an export: the events of a workspace as they are, or nothing of them.

The file is verified, then compared with the store, and only then written, page by page; a run that
was killed is started again and goes on, since what is there is known by its hash.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from commands.foreign_events import ForeignEvents
from commands.workspace_settings import SettingsBook
from domain.context import Context
from domain.errors import invalid
from domain.events import MemoryRemembered, RelationshipRelated, SettingsChange
from domain.workspace_settings import settings_stream
from ops.beside import Beside, open_beside
from ops.export_file import ExportFile, Header
from ops.export_spool import Spool
from ops.progress import OnProgress
from ops.settings import ServerMode, local_actor
from ops.standalone_verifier import verify_export

_RECORDS: Final = (MemoryRemembered.TOPIC, RelationshipRelated.TOPIC)


AHEAD_US: Final = 24 * 3600 * 1_000_000
"""How far ahead of this clock another one may be. No log goes back behind its last append."""


@dataclass(slots=True)
class EventReport:
    """Rows of the file: appended, known before, and passed over.

    `tombstoned` are of memories that were forgotten here, `unplaced` recorded recalls whose basis
    would mean another one, since the store had other events at those positions.
    """

    events: int
    appended: int = 0
    known: int = 0
    tombstoned: int = 0
    unplaced: int = 0


def import_events(where: Path | ServerMode, file: Path, on_progress: OnProgress) -> EventReport:
    """Import an export into an empty store, or into the workspace that it came from.

    Raises INVALID_REQUEST for a file that does not verify, or that cannot be meant for this store;
    VERSION_CONFLICT as `ForeignEvents.check`; OSError, StoreError.
    """
    with Spool() as spool:
        export = ExportFile(file)
        rows, later = export.survey(spool)
        if later:
            raise invalid(
                "the file leaves out texts because of forgets that came after its basis, and those "
                "are not in it: export without --as-known, or at a later one",
                field="FILE",
            )
        if export.header.slots is None:
            raise invalid("the file was made without the slot secret: export it with", field="FILE")
        export.check(spool)  # each event by itself, with the reasons of policy.md
        _verify(file)
        with open_beside(where) as beside:
            if export.last_us > beside.clock.now_us() + AHEAD_US:
                raise invalid(
                    "the file says that its events were appended later than now, by more than a "
                    "day: set the clock of this machine, or of the one that it came from",
                    field="appended_at",
                )
            return _imported(beside, export, export.header.slots, spool, rows, on_progress)


def _verify(file: Path) -> None:
    try:
        report = verify_export(file)
    except ValueError as error:
        raise invalid(f"{file} {error}", field="FILE") from None
    if report.wrong:
        first = report.findings[0]
        raise invalid(
            f"{file} does not verify: row {first['row']}, {first['event']}, {first['column']} "
            f"{first['rule']}; {report.wrong} rows are wrong. `memoranda verify {file}` lists them",
            field="FILE",
            reason="NOT_VERIFIED",
        )


def _imported(
    beside: Beside,
    export: ExportFile,
    slots: bytes,
    spool: Spool,
    rows: int,
    on_progress: OnProgress,
) -> EventReport:
    header = export.header
    known = beside.keys.workspace(header.workspace)
    if known is not None and known.slots != slots:
        raise _another_workspace(header)
    settings = SettingsBook(beside.engine, beside.keys, beside.log)
    _refuse_other_isolation(beside, settings, header)
    events = ForeignEvents(
        beside.store,
        beside.keys,
        beside.sealer,
        header.workspace,
        strict=header.settings.strict,
        last=export.last,
    )
    done = 0
    for page in export.pages(spool):
        events.check(page)
        done += len(page)
        on_progress(done, 2 * rows)
    if not beside.keys.import_workspace(header.workspace, slots):
        raise _another_workspace(header)
    said = SettingsChange(**header.settings._asdict())
    if header.settings.strict and not settings.read(header.workspace).settings.strict:
        stream = settings_stream(beside.keys.ensure_workspace(header.workspace).ids)
        if not events.isolate(stream, said):
            _change(settings, header, said)
    report = EventReport(rows)
    for page in export.pages(spool):
        found = events.append(page)
        report.appended += len(found.new)
        report.known += found.known
        report.tombstoned += found.forgotten
        report.unplaced += found.unplaced
        done += len(page)
        on_progress(done, 2 * rows)
    # Behind all of them, since they are no events of the other log.
    for page in export.pages(spool):
        events.claim(page)
    if not settings.read(header.workspace).version:
        _change(settings, header, said)
    return report


def _another_workspace(header: Header) -> Exception:
    return invalid(
        f"the workspace {header.workspace} of this store is not the one that the file is of: "
        "import into an empty store",
        field="workspace",
        reason="ANOTHER_WORKSPACE",
    )


def _refuse_other_isolation(beside: Beside, settings: SettingsBook, header: Header) -> None:
    here = settings.read(header.workspace).settings
    held = beside.log.after(0, 1, workspace=header.workspace, topics=_RECORDS)
    if held and here.session_isolation != header.settings.session_isolation:
        raise invalid(
            f"session_isolation is {here.session_isolation} here and "
            f"{header.settings.session_isolation} in the file: import into an empty store",
            field="session_isolation",
            reason="ISOLATION_FIXED",
        )


def _change(settings: SettingsBook, header: Header, said: SettingsChange) -> None:
    """Settings that the workspace had elsewhere, where nobody has set any here."""
    context = Context(
        workspace=header.workspace,
        actor=local_actor(),
        session="import",
        permissions=frozenset({"policy"}),
        request_id="import",
    )
    settings.change(context, said)
