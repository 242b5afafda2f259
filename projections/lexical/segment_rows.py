"""The rows of a segment in two files: numbers in an archive of numpy arrays, strings in JSON.

Neither can hold code: numpy is told to read no pickles.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from projections.lexical.columns import FrozenTexts
from projections.lexical.frozen import Frozen, FrozenColumns, FrozenTags
from projections.lexical.segment_files import SegmentError

FORMAT: Final = 1
"""Of both files. An index of another program is not looked at, see `fingerprint`."""
ROWS: Final = "rows.npz"
STRINGS: Final = "rows.json"
_NUMBERS: Final = ("from_position", "valid_from", "valid_until", "expires_at")
_FLAGS: Final = ("active", "gone")
_TEXTS: Final = ("owner", "session", "kind", "status", "slot", "repo")


def write_rows(folder: Path, frozen: Frozen) -> None:
    """Write both files into a directory."""
    columns = frozen.columns
    arrays: dict[str, NDArray[Any]] = {
        "ids": frozen.ids,
        "versions": frozen.versions,
        "lengths": frozen.lengths,
        "confidence": columns.confidence,
        "tag_starts": columns.tags.starts,
        "tag_rows": columns.tags.rows,
        **{name: getattr(columns, name) for name in (*_NUMBERS, *_FLAGS)},
        **{name: getattr(columns, name).codes for name in _TEXTS},
    }
    with (folder / ROWS).open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
    strings = {
        "format": FORMAT,
        "rows": len(frozen),
        "tags": columns.tags.labels,
        **{name: getattr(columns, name).texts for name in _TEXTS},
    }
    (folder / STRINGS).write_text(json.dumps(strings), encoding="ascii")


def read_rows(folder: Path) -> Frozen:
    """What `write_rows` wrote.

    Raises SegmentError for another format, and whatever reading damaged bytes may raise.
    """
    strings = json.loads((folder / STRINGS).read_text(encoding="ascii"))
    if strings["format"] != FORMAT:
        raise SegmentError(folder.name, f"has format {strings['format']}")
    with np.load(folder / ROWS, allow_pickle=False) as file:
        arrays = dict(file.items())
    plain: dict[str, Any] = {name: arrays[name] for name in (*_NUMBERS, *_FLAGS, "confidence")}
    columns = FrozenColumns(
        **plain | {name: FrozenTexts(arrays[name], strings[name]) for name in _TEXTS},
        tags=FrozenTags(strings["tags"], arrays["tag_starts"], arrays["tag_rows"]),
    )
    return Frozen(arrays["ids"], arrays["versions"], arrays["lengths"], columns)
