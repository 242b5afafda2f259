"""The names inside Whoosh 2.7.4 that segments stand on do what they did when they were chosen."""

from __future__ import annotations

from array import array

import pytest
from whoosh import versionstring
from whoosh.codec.whoosh3 import W3Codec, W3LeafMatcher, W3Segment
from whoosh.fields import TEXT, Schema
from whoosh.filedb.filestore import FileStorage, RamStorage
from whoosh.index import TOC, open_dir
from whoosh.query import Term

from projections.lexical.memtable import Memtable
from projections.lexical.segment import Segment
from projections.lexical.segment_writer import write_segment
from tests.lexical.builders import document

POSTINGS = {b"a": [(0, 1.0), (1, 1.0)], b"b": [(0, 0.5), (7, 0.5), (9, 0.5)], b"c": [(9, 2.125)]}


class InMemoryColumns(FileStorage):
    def temp_storage(self, name=None):
        return RamStorage()


@pytest.fixture
def storage(tmp_path):
    """A directory that was written through the codec, two postings a block."""
    storage = InMemoryColumns(str(tmp_path), supports_mmap=False)
    schema = Schema(text=TEXT(phrase=False))
    codec = W3Codec(blocklimit=2)
    segment = W3Segment(codec, "MAIN", doccount=10)
    documents = codec.per_document_writer(storage, segment)
    for row in range(10):
        documents.start_doc(row)
        documents.add_field("text", schema["text"], None, 3)
        documents.finish_doc()
    documents.close()
    words = codec.field_writer(storage, segment)
    words.start_field("text", schema["text"])
    for term, postings in POSTINGS.items():
        words.start_term(term)
        for row, weight in postings:
            words.add(row, weight, b"", None)
        words.finish_term()
    words.finish_field()
    words.close()
    TOC(schema, [segment], 1).write(storage, "MAIN")
    return storage


def terms_of(storage):
    toc = TOC.read(storage, "MAIN")
    [segment] = toc.segments
    return segment.codec().terms_reader(storage, segment), toc.schema["text"].format


def test_the_version_is_the_pinned_one():
    assert versionstring() == "2.7.4"


def test_the_codec_writes_a_directory_that_whoosh_searches(storage):
    index = open_dir(storage.folder)
    with index.searcher() as searcher:
        assert sorted(hit.docnum for hit in searcher.search(Term("text", "b"))) == [0, 7, 9]
        assert searcher.doc_count_all() == 10
    index.close()


def test_a_segment_that_was_removed_is_not_written_after_all(tmp_path):
    index = Memtable()
    index.add(document("m1", "a grey heron"))

    with pytest.raises(FileNotFoundError):
        write_segment(tmp_path / "removed", index)

    assert not (tmp_path / "removed").exists()


@pytest.mark.parametrize("in_memory", [False, True])
def test_blocks_hold_differences_of_rows_and_weights_of_which_equal_ones_are_one(
    storage, in_memory
):
    if in_memory:
        held = RamStorage()
        for name in storage.list():
            with storage.open_file(name) as file:
                held.files[name] = file.read()
        storage = held
    terms, format_ = terms_of(storage)
    blocks = []
    for term in (b"a", b"b", b"c"):
        matcher = terms.matcher("text", term, format_)
        assert isinstance(matcher, W3LeafMatcher)
        while matcher.is_active():
            matcher._read_data()
            blocks.append((term, *(matcher._data[:2])))
            matcher._next_block()
    terms.close()

    assert blocks == [
        (b"a", (0, 1), None),
        (b"b", (0, 7), 0.5),
        (b"b", (9,), 0.5),
        (b"c", (9,), 2.125),
    ]


def test_the_dictionary_is_in_the_order_of_the_bytes_and_knows_what_it_has(storage):
    terms, _ = terms_of(storage)

    assert list(terms.terms()) == [("text", term) for term in (b"a", b"b", b"c")]
    assert [info.doc_frequency() for _, info in terms.items()] == [2, 3, 1]
    assert ("text", b"b") in terms
    assert ("text", b"bb") not in terms
    terms.close()


def test_single_precision_holds_every_multiple_of_an_eighth_that_a_text_can_reach():
    assert list(array("f", [2**20 + 0.125])) == [2**20 + 0.125]


def test_a_segment_is_a_directory_that_whoosh_itself_can_search(tmp_path):
    index = Memtable()
    index.add(document("m1", "a grey heron"))
    index.add(document("m2", "a red fox"))
    write_segment(tmp_path, index)

    opened = open_dir(str(tmp_path))
    with opened.searcher() as searcher:
        assert [hit.docnum for hit in searcher.search(Term("text", "fox"))] == [1]
    opened.close()


def test_nothing_is_unpickled_before_the_bytes_are_those_that_were_written(tmp_path, monkeypatch):
    index = Memtable()
    index.add(document("m1", "a grey heron"))
    digest = write_segment(tmp_path, index)
    [toc] = tmp_path.glob("*.toc")
    toc.write_bytes(toc.read_bytes() + b"\0")
    monkeypatch.setattr(TOC, "read", lambda *_: pytest.fail("a foreign file was read"))

    with pytest.raises(Exception, match="is not what was written"):
        Segment.open(tmp_path, digest)
