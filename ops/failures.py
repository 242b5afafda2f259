"""What can go wrong before or beside a request, in one place, said with its remedy."""

from __future__ import annotations

from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from commands.store_errors import StoreError
from domain.envelope import CorruptEventError
from domain.errors import MemorandaError
from ops.backup_format import BackupError
from ops.data_folder import DataFolderError
from ops.import_ledger import LedgerError
from ops.import_run import ImportStoppedError
from ops.import_source import UnreadableFileError
from ops.rebuild import ViewsInUseError
from ops.rebuild_beside import ViewsNotReplacedError
from ops.serve import CannotListenError
from ops.settings import SettingsError
from projections.checkpoints import ViewsAheadError
from projections.database import ViewsDamagedError, ViewsFormatError
from projections.unusable import ViewsDifferError, is_away

_SAYS_IT_ALL: Final = (
    BackupError,
    CannotListenError,
    DataFolderError,
    ImportStoppedError,
    LedgerError,
    SettingsError,
    StoreError,
    UnreadableFileError,
    ViewsDifferError,
    ViewsInUseError,
    ViewsNotReplacedError,
)
_REBUILD: Final = "run `memoranda rebuild`"


def said(error: Exception) -> str | None:
    """What to tell an operator; None for a failure that nobody foresaw."""
    match error:
        case MemorandaError():
            where = f" ({error.field})" if error.field is not None else ""
            return f"{error.message}{where}"
        case CorruptEventError():
            return f"the log is damaged: {error}. Run `memoranda verify` and restore a backup"
        case ViewsAheadError() | ViewsDamagedError() | ViewsFormatError():
            return f"{error} ({_REBUILD})"
        case SQLAlchemyError() if is_away(error):
            return "the database does not answer: check that the server runs, then try again"
        case SQLAlchemyError():
            return f"the read models cannot be used: {_REBUILD}"
        case _ if isinstance(error, _SAYS_IT_ALL):
            return str(error)
        case OSError():
            where = "" if error.filename is None else f" ({error.filename})"
            return f"{error.strerror or type(error).__name__}{where}"
        case _:
            return None
