"""Where everything is put together and run: settings, wiring, server, command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ops.memoranda import Memoranda


def open(data: str | Path) -> Memoranda:  # noqa: A001 - read as `ops.open`, beside `os.open`
    """Open a store in this process: `.execute(context, request)`, `.read`, `.close()`.

    `data` is the path of a data folder, or the address of a database, `postgresql://…`; with an
    address MEMORANDA_REDIS_URL and MEMORANDA_MASTER_KEY are needed, too. Raises DataFolderError,
    SettingsError or StoreError for what cannot be used.
    """
    # Imported on use: the command line must not load everything to print its help.
    from ops.settings import load_settings
    from ops.wiring import open_memoranda, open_settings

    if isinstance(data, str) and "://" in data:
        return open_settings(load_settings(database_url=data))
    return open_memoranda(Path(data))
