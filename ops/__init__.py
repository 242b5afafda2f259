"""Where everything is put together and run: settings, wiring, server, command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ops.memoranda import Memoranda


def open(data: str | Path) -> Memoranda:  # noqa: A001 - read as `ops.open`, beside `os.open`
    """Open a data folder in this process: `.execute(context, request)`, `.read`, `.close()`.

    Raises DataFolderError for a folder that cannot be used, and for an address: this release
    keeps its store in a folder.
    """
    # Imported on use: the command line must not load everything to print its help.
    from ops.data_folder import DataFolderError
    from ops.wiring import open_memoranda

    if isinstance(data, str) and "://" in data:
        raise DataFolderError("an address is no data folder: give the path of one")
    return open_memoranda(Path(data))
