"""The lines of an import file, one at a time: plain or gzipped, of any length of file."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BufferedIOBase
from pathlib import Path
from typing import Final

from domain.errors import MemorandaError, invalid
from domain.limits import BODY_BYTES_MAX

LINE_BYTES_MAX: Final = BODY_BYTES_MAX
"""A line is a request, and has its limit."""
_BOM: Final = b"\xef\xbb\xbf"
_GZIP: Final = b"\x1f\x8b"
_BLOCK: Final = 1 << 20


class UnreadableFileError(Exception):
    """The file cannot be read; the message names it and the remedy."""


def too_long() -> MemorandaError:
    """The refusal of a line that is longer than `LINE_BYTES_MAX`."""
    return invalid(f"the line is too long: at most {LINE_BYTES_MAX} bytes, split it")


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
            for line in lines_of(file):
                if line.number == 1 and line.text.startswith(_BOM):
                    line = replace(line, text=line.text.removeprefix(_BOM))  # noqa: PLW2901
                if line.number > after and line.text.strip():
                    yield line


def lines_of(file: BufferedIOBase, first: int = 1) -> Iterator[RawLine]:
    """The lines of an open file that hold anything; `first` is the number of the first one."""
    number = first - 1
    while line := file.readline(LINE_BYTES_MAX + 2):
        number += 1
        text = line.rstrip(b"\r\n")
        if not line.endswith(b"\n"):
            _skip_rest(file)
        if text.strip():
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
