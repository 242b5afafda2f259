"""What the commands share: where they write, and what they open.

What a command needs it imports when it runs, so that help is quick.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from domain.canonical import Json
from ops.settings import ServerMode, load_settings, server_mode

if TYPE_CHECKING:
    from commands.api_keys import ApiKeys
    from domain.ports import LogReader
    from ops.data_folder import DataFolder
    from ops.memoranda import Memoranda

DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data", help="Data folder (MEMORANDA_DATA, else .memoranda).", show_default=False
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="For machines.")]


def place(data: Path | None) -> Path | ServerMode:
    """The store that is meant: the folder that is named, else the database of the settings.

    Without either it is the folder of the settings. Raises SettingsError.
    """
    mode = server_mode(load_settings()) if data is None else None
    return load_settings(data=data).data if mode is None else mode


@contextmanager
def opened(data: Path | None) -> Iterator[Memoranda]:
    """The store of a data folder or a database, for the time of one command.

    With a database the data folder of the settings is for what this machine keeps of an import.
    """
    from ops.wiring import open_memoranda, open_server

    where = place(data)
    if isinstance(where, ServerMode):
        memoranda = open_server(where, load_settings().data)
    else:
        memoranda = open_memoranda(where)
    try:
        yield memoranda
    finally:
        memoranda.close()


@contextmanager
def opened_keys(data: Path | None) -> Iterator[ApiKeys]:
    """The API keys of a data folder or a database, which servers may have open."""
    from ops.wiring import open_api_keys

    with open_api_keys(place(data)) as keys:
        yield keys


@contextmanager
def opened_log(data: Path | None) -> Iterator[tuple[DataFolder, LogReader, bool]]:
    """The log alone; and whether another process is at work on its read models."""
    from commands.clock import SystemClock
    from commands.keystore import KeyStore
    from commands.log_reader import StoreLogReader
    from commands.sealing import Sealer
    from commands.store_sqlite import SqliteRecorder
    from domain.events import REGISTRY
    from ops.data_folder import DataFolder, FolderInUseError

    path, shared = load_settings(data=data).data, False
    try:
        held = DataFolder.open(path)
    except FolderInUseError:
        held, shared = DataFolder.open(path, alone=False), True
    with closing(held) as folder:
        clock = SystemClock()
        with (
            closing(KeyStore.open(folder.keys, folder.master_key, clock)) as keys,
            closing(SqliteRecorder(folder.log, clock)) as store,
        ):
            yield folder, StoreLogReader(store, Sealer(keys, REGISTRY)), shared


def say(text: str) -> None:
    """One line of an answer."""
    print(text, flush=True)


def say_json(value: Json) -> None:
    """An answer for machines."""
    say(json.dumps(value, ensure_ascii=False, indent=2))


def remark(text: str) -> None:
    """One line beside the answer."""
    print(text, file=sys.stderr, flush=True)
