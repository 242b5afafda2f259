"""A store of either kind, what is said in it, and what it answers."""

from __future__ import annotations

import contextlib
import itertools
import time
from pathlib import Path

from domain.canonical import canonical
from ops.backup import backup
from ops.backup_stage import Given
from ops.restore import Target, restore_folder
from ops.restore_database import restore_database
from ops.settings import ServerMode
from ops.verification import verify_store
from ops.wiring import open_memoranda, open_server
from tests.erasure.world import Talk
from tests.inputs import envelope

MASTER = bytes(range(32))


def quiet(_done, _total):
    """Nobody looks at the progress."""


class World:
    """A store in a folder, or in a database with a folder of this machine beside it."""

    def __init__(self, folder: Path, database_url=None, redis_url=None, master_key=MASTER) -> None:
        self.folder = folder
        self.mode = database_url and ServerMode(database_url, redis_url, master_key)

    @property
    def where(self):
        return self.mode or self.folder

    @contextlib.contextmanager
    def open(self):
        """Somebody to talk to the running store."""
        opened = open_server(self.mode, self.folder) if self.mode else open_memoranda(self.folder)
        with contextlib.closing(opened):
            yield Talk(opened, numbers=itertools.count(time.time_ns()))

    def backup(self, out: Path):
        return backup(self.where, out, quiet)

    def restore(self, given, **target):
        given = given if isinstance(given, Given) else Given(given)
        if self.mode:
            return restore_database(self.mode, self.folder, given, Target(**target), quiet)
        return restore_folder(self.folder, given, Target(**target), quiet)

    def master_key(self) -> bytes:
        if self.mode:
            return self.mode.master_key
        return bytes.fromhex((self.folder / "master.key").read_text())

    def verified(self, scratch: Path):
        """The report of the verifier; a database is judged by its backup, which is of its rows."""
        if not self.mode:
            return verify_store(self.folder, self.master_key())
        backup(self.mode, scratch, quiet)
        return verify_store(scratch, self.master_key())


def traces(talk: Talk, *records) -> list[bytes]:
    """The answers of trace, byte by byte."""
    return [
        canonical(
            talk.memoranda.execute(
                talk.who, envelope("trace", target={"kind": "memory", "id": record})
            )
        )
        for record in records
    ]


def texts(talk: Talk, words: str) -> set[str]:
    """What a recall finds."""
    items = talk.recall(words)["items"]
    return {item["record"]["id"] for item in items}


def said(text: str):
    """The content of a memory."""
    return {"content": {"format": "text", "value": text}}


def state_of(folder: Path):
    """Log and keys of a folder: rows of both files, for comparing."""
    import sqlite3

    found = []
    for name, tables in (
        ("log.db", ("event", "event_ref", "api_key")),
        ("keys.db", ("workspace_key", "data_key")),
    ):
        with contextlib.closing(sqlite3.connect(folder / name)) as opened:
            found += [
                sorted(map(repr, opened.execute(f"SELECT * FROM {table}"))) for table in tables
            ]
    return found
