"""Which program made a segment: one that cuts a text otherwise, or stores it otherwise, is another.

Nobody has to remember to raise a number: it follows from the source of what decides.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import whoosh

_FOLDER: Final = Path(__file__).parent
_ASKING: Final = {"context.py", "counting.py", "kept_mask.py", "scoring.py", "statistics.py"}
_DECIDING: Final = (
    *sorted(path for path in _FOLDER.glob("*.py") if path.name not in _ASKING),
    _FOLDER.parent / "recall_fold.py",
)
_CUTTING: Final = tuple(
    _FOLDER / f"{name}.py"
    for name in (
        *("analyzer", "classes", "documents", "folding", "forms", "identifiers", "irregular"),
        *("parameters", "scripts", "versions"),
    )
)


def _fingerprint(paths: Iterable[Path], beside: str = "") -> int:
    found = hashlib.sha256(f"{whoosh.versionstring()}{beside}".encode())
    for path in paths:
        found.update(path.name.encode() + b"\0" + path.read_bytes())
    return int.from_bytes(found.digest()[:6], "big")


INDEX_FORMAT: Final = _fingerprint(_DECIDING)
"""Of an index: 48 bits of the source of the analyzer, the fold and the files of segments."""

ANALYZER: Final = f"{_fingerprint(_CUTTING, unicodedata.unidata_version):012x}"
"""Of an answer: the same of how texts become terms and what they count, and Unicode's version."""
