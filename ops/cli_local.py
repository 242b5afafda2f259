"""The store of this machine, opened for the time of one command; and who acts on it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from domain.context import PERMISSIONS, Context
from ops.cli_client import LocalDoor
from ops.data_folder import DataFolderError
from ops.settings import ServerMode

if TYPE_CHECKING:
    from ops.memoranda import Memoranda

HOST: Final = "host"


@contextmanager
def local_door(where: Path | ServerMode, context: Context, *, create: bool) -> Iterator[LocalDoor]:
    """The door of a data folder, which no other process may have open, or of a database.

    Raises DataFolderError where it is in use, and, unless `create`, where there is no store: a
    question asked in the wrong folder must not be answered by a new, empty one.
    """
    memoranda = _opened(where, create=create)
    try:
        yield LocalDoor(memoranda, context)
    finally:
        memoranda.close()


def _opened(where: Path | ServerMode, *, create: bool) -> Memoranda:
    from ops.extraction.model_settings import model_of
    from ops.extraction.places import by_workers, later
    from ops.settings import load_settings
    from ops.wiring import open_memoranda, open_server

    if isinstance(where, ServerMode):
        return open_server(where, None, extraction=by_workers(model_of(load_settings())))
    if not create and not (where / "log.db").exists():
        raise DataFolderError(
            f"there is no store in {where}: name one with --data, reach a server with --url, or "
            "make one with `memoranda remember`"
        )
    # A command is over before a model has answered: the next server asks it.
    return open_memoranda(where, extraction=later(model_of(load_settings())))


def local_context(workspace: str, actor: str, session: str) -> Context:
    """Who acts on the local store, with all rights (spec/operations.md §10)."""
    return Context(
        workspace=workspace,
        actor=actor,
        session=session,
        permissions=PERMISSIONS - {HOST},
        request_id=str(uuid.uuid4()),
    )
