"""The lines of an import file, one at a time: plain or gzipped, of any length of file."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import Final

from domain.limits import BODY_BYTES_MAX

LINE_BYTES_MAX: Final = BODY_BYTES_MAX
"""A line is a request, and has its limit."""
_BOM: Final = b"\xef\xbb\xbf"
_GZIP: Final = b"\x1f\x8b"
_BLOCK: Final = 1 << 20


class UnreadableFileError(Exception):
    """The file cannot be read; the message names it and the remedy."""


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line without its end. `text` is cut where it is longer than `LINE_BYTES_MAX`."""

    number: int
    text: bytes
    too_long: bool


@dataclass(frozen=True, slots=True)
class ImportSource:
    """A file, what it holds (`digest` is SHA-256 of the unpacked bytes), and how many lines."""

    path: Path
    digest: str
    lines: int

    @classmethod
    def scan(cls, path: Path) -> ImportSource:
        """Read the file once, to know it again; raises UnreadableFileError."""
        digest = hashlib.sha256()
        lines, last = 0, b"\n"
        with _opened(path) as file:
            while block := file.read(_BLOCK):
                digest.update(block)
                lines += block.count(b"\n")
                last = block[-1:]
        return cls(path, digest.hexdigest(), lines + (last != b"\n"))

    def read(self, after: int) -> Iterator[RawLine]:
        """The lines after a line number that hold anything; line numbers count from 1."""
        with _opened(self.path) as file:
            number = 0
            while line := file.readline(LINE_BYTES_MAX + 2):
                number += 1
                ended = line.endswith(b"\n")
                text = line.rstrip(b"\r\n")
                if not ended:
                    _skip_rest(file)
                if number == 1:
                    text = text.removeprefix(_BOM)
                if number > after and text.strip():
                    yield RawLine(number, text[:LINE_BYTES_MAX], len(text) > LINE_BYTES_MAX)


def _skip_rest(file: BufferedIOBase) -> None:
    """To the end of a line of which the beginning was read."""
    while (part := file.readline(_BLOCK)) and not part.endswith(b"\n"):
        pass


@contextmanager
def _opened(path: Path) -> Iterator[BufferedIOBase]:
    """A file for reading, unpacked where its first bytes say gzip."""
    try:
        with path.open("rb") as raw:
            if raw.peek(2).startswith(_GZIP):
                with gzip.open(raw, "rb") as unpacked:
                    yield unpacked
            else:
                yield raw
    except (OSError, EOFError, zlib.error) as error:
        said = getattr(error, "strerror", None) or "it is damaged: fetch it again"
        raise UnreadableFileError(f"{path} cannot be read: {said}") from None
