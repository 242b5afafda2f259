"""Writing a segment: the documents of an index become a directory that is never changed again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import numpy as np
from whoosh.codec.whoosh3 import W3Codec, W3Segment
from whoosh.fields import TEXT, Schema
from whoosh.filedb.filestore import FileStorage, RamStorage
from whoosh.filedb.structfile import StructFile
from whoosh.index import TOC

from projections.lexical.memtable import Memtable
from projections.lexical.parameters import POSTINGS_IN_BLOCK
from projections.lexical.scoring import SearchStopped
from projections.lexical.segment_files import digest_of, sync_directory
from projections.lexical.segment_rows import write_rows
from projections.lexical.segment_words import FIELD, INDEX, encoded

_GENERATION: Final = 1
_TERMS_AT_ONCE: Final = 256
"""Terms written between two looks whether to go on."""


class _Storage(FileStorage):  # type: ignore[misc]  # Whoosh has no types
    """A directory that Whoosh makes none in: one that was removed stays removed.

    Whoosh's writers close their files at their end only: of one that is given up, this does.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path, supports_mmap=False)
        self._made: list[StructFile] = []

    def create_file(self, name: str, **how: Any) -> StructFile:
        """A new file, which is closed by `close` at the latest."""
        made = super().create_file(name, **how)
        self._made.append(made)
        return made

    def close(self) -> None:
        """Close what is open; called again it does nothing."""
        for file in self._made:
            if not file.is_closed:
                file.close()

    def temp_storage(self, name: str | None = None) -> RamStorage:
        """Where the columns are put together: a byte or two for each document."""
        return RamStorage()


def write_segment(
    folder: Path, index: Memtable, should_stop: Callable[[], bool] = lambda: False
) -> str:
    """Write all documents of an index into a directory, which is empty; its digest.

    What is gone is a row without words. Everything is on the disk when this returns. Raises
    SearchStopped soon after `should_stop` says so, OSError where the disk or the directory is gone.
    """
    frozen = index.frozen()
    schema = Schema(**{FIELD: TEXT(phrase=False)})
    codec = W3Codec(blocklimit=POSTINGS_IN_BLOCK)
    segment = W3Segment(codec, INDEX, doccount=len(frozen))
    with closing(_Storage(str(folder))) as storage:
        _write_documents(codec, storage, segment, schema[FIELD], frozen.lengths.tolist())
        _write_words(codec, storage, segment, schema[FIELD], index, should_stop)
        TOC(schema, [segment], _GENERATION).write(storage, INDEX)
    write_rows(folder, frozen)
    sync_directory(folder)
    return digest_of(folder)


def _write_documents(
    codec: W3Codec, storage: FileStorage, segment: W3Segment, field: Any, lengths: list[float]
) -> None:
    """What Whoosh itself wants to know of a document: that it is there, and about how long."""
    writer = codec.per_document_writer(storage, segment)
    for row, length in enumerate(lengths):
        writer.start_doc(row)
        writer.add_field(FIELD, field, None, round(length))
        writer.finish_doc()
    writer.close()


def _write_words(
    codec: W3Codec,
    storage: FileStorage,
    segment: W3Segment,
    field: Any,
    index: Memtable,
    should_stop: Callable[[], bool],
) -> None:
    kept = ~index.gone
    writer = codec.field_writer(storage, segment)
    writer.start_field(FIELD, field)
    for number, (term, found) in enumerate(index.words()):
        if number % _TERMS_AT_ONCE == 0 and should_stop():
            raise SearchStopped
        here = kept[found.rows]
        if not np.any(here):
            continue
        writer.start_term(encoded(term))
        rows, often = found.rows[here].tolist(), found.frequencies[here].tolist()
        for row, frequency in zip(rows, often, strict=True):
            writer.add(row, frequency, b"", None)
        writer.finish_term()
    writer.finish_field()
    writer.close()
