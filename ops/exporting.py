"""`memoranda export`: the events of a workspace as a file that can be verified by anybody.

Its form is `domain.exports`. The same events give the same bytes, from every store that has them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from commands.opening import Opened, Unsealed
from commands.secrets import WorkspaceSecrets
from commands.store_errors import StoreError
from commands.workspace_settings import SettingsBook
from domain.canonical import JsonObject, canonical, parse_stored
from domain.errors import Code, MemorandaError, invalid
from domain.exports import FORMAT, START, Grave, chained, graves_asked, leaf, left_out_by, row_of
from domain.instants import parse_instant, server_time
from ops.backup_format import new_file, write_all
from ops.beside import Beside, open_beside
from ops.export_source import Asked, ExportSource
from ops.export_spool import Spool
from ops.progress import OnProgress
from ops.settings import ServerMode

POSITION_DIGITS_MAX: Final = 18
_NOTHING_SAID: Final = canonical({})
PART: Final = ".part"
"""What the name of a file ends with until it is whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportQuestion:
    """What is exported.

    `session` None means all sessions, `as_known` None all that is stored; else it is a position or
    a time. `sanitized` leaves out what was forgotten in any way. Without `slot_secret` nobody can
    test guesses of slots with the file, and nobody can import it.
    """

    workspace: str
    session: str | None = None
    as_known: str | None = None
    sanitized: bool = False
    slot_secret: bool = True


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: rows, later forgets, and the hashes of the manifest, in hex."""

    count: int
    later: int
    left_out: int
    head: str
    structure_sha256: str
    export_sha256: str


def export(
    where: Path | ServerMode, asked: ExportQuestion, out: Path, on_progress: OnProgress
) -> Exported:
    """Write a new file for its owner alone; servers may be at work.

    Raises INVALID_REQUEST for a question that cannot be meant, NOT_FOUND for a workspace that
    holds nothing, OSError, StoreError, CorruptEventError. The file is there whole, or not at all.
    """
    if out.exists():
        raise invalid(f"{out} exists: name a new file", field="OUT")
    part = out.with_name(out.name + PART)
    with open_beside(where) as beside, Spool() as spool:
        secrets = beside.keys.workspace(asked.workspace)
        until = _until(beside, asked.as_known)
        source = ExportSource(
            beside.store, beside.sealer, Asked(asked.workspace, asked.session, until), spool
        )
        if secrets is None:
            raise _nothing(asked)
        source.survey(on_progress)
        part.unlink(missing_ok=True)
        try:
            with new_file(part) as descriptor:
                writing = _Writing(lambda data: write_all(descriptor, data), source, spool, asked)
                done = writing.run(_header(beside, asked, secrets, source.last), on_progress)
            if out.exists():
                raise invalid(f"{out} exists: name a new file", field="OUT")
            part.rename(out)
        finally:
            part.unlink(missing_ok=True)
    return done


def _until(beside: Beside, as_known: str | None) -> int:
    head = beside.store.head()
    if as_known is None:
        return head
    if as_known.isdecimal() and len(as_known) <= POSITION_DIGITS_MAX:
        return min(int(as_known), head)
    return beside.store.position_at(parse_instant(as_known, "as_known"))


def _header(
    beside: Beside, asked: ExportQuestion, secrets: WorkspaceSecrets, position: int
) -> JsonObject:
    settings = SettingsBook(beside.engine, beside.keys, beside.log).read(asked.workspace).settings
    return {
        "format": FORMAT,
        "workspace": asked.workspace,
        "session": asked.session,
        "sanitized": asked.sanitized,
        "settings": dict(settings._asdict()),
        "position": position,
        "slot_secret": secrets.slots.hex() if asked.slot_secret else None,
    }


def _nothing(asked: ExportQuestion) -> MemorandaError:
    of = "" if asked.session is None else f" of the session {asked.session}"
    return MemorandaError(
        Code.NOT_FOUND,
        f"the workspace {asked.workspace} holds no events{of} up to there: check the name",
        field="workspace",
    )


class _Writing:
    """One file, line after line."""

    def __init__(
        self,
        write: Callable[[bytes], None],
        source: ExportSource,
        spool: Spool,
        asked: ExportQuestion,
    ) -> None:
        self._write = write
        self._source = source
        self._spool = spool
        self._asked = asked
        self._all, self._structure = hashlib.sha256(), hashlib.sha256()
        self._chain, self._count, self._left_out, self._last = START, 0, 0, 0

    def run(self, header: JsonObject, on_progress: OnProgress) -> Exported:
        """Header, rows, later forgets, manifest."""
        self._line(header)
        for page in self._source.rows(on_progress):
            named = {stream for found, _ in page for stream in graves_asked(found.head)}
            graves = self._spool.graves(named)
            for found, opened in page:
                self._row(found, opened, self._left_out_by(found, opened, graves))
        if not self._count:
            raise _nothing(self._asked)
        later = self._later()
        done = Exported(
            count=self._count,
            later=later,
            left_out=self._left_out,
            head=self._chain.hex(),
            structure_sha256=self._structure.hexdigest(),
            export_sha256=self._all.hexdigest(),
        )
        manifest = {name: said for name, said in asdict(done).items() if name != "left_out"}
        self._write(canonical({"manifest": manifest}) + b"\n")
        return done

    def _left_out_by(
        self, found: Unsealed, opened: Opened | None, graves: Mapping[str, Sequence[Grave]]
    ) -> Grave | None:
        """What takes the payload of an event; what was only hidden and says nothing is kept.

        That it says nothing tells an expiry from a correction.
        """
        where = found.head, found.row.position, graves
        grave = left_out_by(*where, sanitized=self._asked.sanitized)
        if grave is None or opened is None or opened.payload != _NOTHING_SAID:
            return grave
        return left_out_by(*where, sanitized=False)

    def _row(self, found: Unsealed, opened: Opened | None, grave: Grave | None) -> None:
        row, head = found.row, found.head
        self._count, self._last = self._count + 1, row.position
        said = row_of(
            head, row.position, server_time(row.appended_us), found.state.body_sha256, self._count
        )
        row_leaf = leaf(row.position, row.appended_us, row.event_hash)
        self._chain = chained(self._chain, self._count, row_leaf)
        said["hash"] = self._chain.hex()
        if head.key is not None:
            said |= self._payload(found, opened, grave)
        self._structure.update(found.state.head + b"\n")
        self._line(said)

    def _payload(self, found: Unsealed, opened: Opened | None, grave: Grave | None) -> JsonObject:
        if grave is not None:
            self._left_out += 1
            self._spool.use(grave.name)
            return {"erased_by": grave.name}
        if opened is None:
            raise StoreError(
                f"the text of {found.head.stream}@{found.head.version} is gone, and no forget says "
                "why: where one was made just now, export again; else run `memoranda verify`"
            )
        return {"payload": parse_stored(opened.payload), "salt": opened.salt.hex()}

    def _later(self) -> int:
        """The forgets after the last row that took the text of one."""
        count = 0
        for stream, position in self._spool.used_after(self._last):
            found = self._source.at(stream, position)
            at = server_time(found.row.appended_us)
            self._line(row_of(found.head, position, at, found.state.body_sha256, None))
            count += 1
        return count

    def _line(self, said: JsonObject) -> None:
        data = canonical(said) + b"\n"
        self._all.update(data)
        self._write(data)
