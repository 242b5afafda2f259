"""The same memories and questions by others: Whoosh's own scorer, tantivy, SQLite FTS5."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
from whoosh.filedb.filestore import FileStorage
from whoosh.index import TOC
from whoosh.query import Or, Term
from whoosh.reading import MultiReader, SegmentReader
from whoosh.scoring import BM25F
from whoosh.searching import Searcher

from ops.memoranda import Memoranda
from projections.lexical.analyzer import query_terms
from projections.lexical.eligibility import Basis, Filters
from projections.lexical.forms import STOP_WORDS
from projections.lexical.parameters import K1, B
from projections.lexical.scoring import Text, _Search, best, inverse_document_frequency
from projections.lexical.segment_words import FIELD, INDEX
from read_api.deadlines import Deadline
from read_api.memtables import Memtables
from tests.benchmarks.speed_asking import LATER, Times, bytes_of, in_turn, look, recall
from tests.benchmarks.speed_data import Stored, Texts

WHOOSH_QUESTIONS: Final = 20
LIMIT: Final = 10
_WORD: Final = re.compile(r"\w+")


def tantivy_module() -> ModuleType | None:
    """Only `make bench-recall-speed` installs it."""
    try:
        import tantivy
    except ImportError:
        return None
    return tantivy


def bench_peers(
    memoranda: Memoranda, stored: Stored, texts: Texts, folder: Path, asks: int
) -> None:
    """The same questions in turn; nobody else's answer is checked, recorded or expanded."""
    index = memoranda.memtables.of(stored.workspaces[0])
    who, questions = stored.asking(), texts.questions[:asks]
    fts5, works = Fts5(folder / "fts5.db", stored), {}
    tantivy = tantivy_module()
    works["memoranda: whole recall, depth 1, recorded"] = lambda at: recall(
        memoranda, who, questions[at]
    )
    works["memoranda: the index alone"] = lambda at: look(index, questions[at])
    works["SQLite FTS5, Porter, BM25"] = lambda at: fts5.find(questions[at])
    print(f" peers, {len(questions)} claims without stop words, any word, limit {LIMIT}, in turn")
    if tantivy is None:
        print("  tantivy SKIPPED, NOT MEASURED: make bench-recall-speed installs it")
    else:
        peer = Tantivy(tantivy, folder / "tantivy", stored)
        works["tantivy, en_stem"] = lambda at: peer.find(questions[at])
    for work in works.values():
        for at in range(len(questions)):
            work(at)
    found = in_turn(works, len(questions))
    for name, times in found.items():
        times.line(name)
    whole, alone = (found.pop(name).at(0.5) for name in list(found)[:2])
    for name, times in found.items():
        theirs = times.at(0.5)
        print(f"    against {name}: index {alone / theirs:.2f} x, recall {whole / theirs:.2f} x")
    memories = len(stored.texts)
    for name, path in (("fts5.db", folder / "fts5.db"), ("tantivy", folder / "tantivy")):
        if path.exists():
            size = bytes_of(path) if path.is_dir() else path.stat().st_size
            print(f"    {name}: {size / memories:,.0f} bytes a memory")


def _kept(question: str) -> list[str]:
    words = [word.lower() for word in _WORD.findall(question)]
    return list(dict.fromkeys([word for word in words if word not in STOP_WORDS] or words))


class Fts5:
    """In a file, one table, the text in it."""

    def __init__(self, path: Path, stored: Stored) -> None:
        self._database = sqlite3.connect(path)
        self._database.execute(
            "CREATE VIRTUAL TABLE memory USING fts5(name UNINDEXED, words, tokenize='porter')"
        )
        made = Times()
        made.take(lambda: self._fill(stored))
        print(f"  SQLite FTS5 took {len(stored.texts) / made.wall[0]:,.0f} memories a second")

    def _fill(self, stored: Stored) -> None:
        self._database.executemany("INSERT INTO memory VALUES (?, ?)", stored.texts.items())
        self._database.commit()

    def find(self, question: str) -> list[Any]:
        query = " OR ".join(f'"{word}"' for word in _kept(question))
        return self._database.execute(
            "SELECT name FROM memory WHERE memory MATCH ? ORDER BY rank LIMIT ?", (query, LIMIT)
        ).fetchall()


class Tantivy:
    """On disk, one field, the names stored."""

    def __init__(self, module: ModuleType, path: Path, stored: Stored) -> None:
        path.mkdir()
        schema = module.SchemaBuilder()
        schema.add_text_field("name", stored=True, tokenizer_name="raw")
        schema.add_text_field("words", tokenizer_name="en_stem")
        self._index = module.Index(schema.build(), path=str(path))
        self._document = module.Document
        made = Times()
        made.take(lambda: self._fill(stored))
        print(f"  tantivy took {len(stored.texts) / made.wall[0]:,.0f} memories a second")
        self._searcher = self._index.searcher()

    def _fill(self, stored: Stored) -> None:
        writer = self._index.writer(num_threads=1)
        for name, text in stored.texts.items():
            writer.add_document(self._document(name=[name], words=[text]))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def find(self, question: str) -> list[Any]:
        query = self._index.parse_query(" ".join(_kept(question)), ["words"])
        found = self._searcher.search(query, LIMIT).hits
        return [self._searcher.doc(place)["name"] for _, place in found]


class _Ours(BM25F):
    """Whoosh's scorer with Lucene's idf, as ours has it."""

    def idf(self, searcher: Any, fieldname: str, text: bytes) -> float:
        having = searcher.reader().doc_frequency(fieldname, text)
        return inverse_document_frequency(searcher.doc_count_all(), having)


def bench_whoosh(memoranda: Memoranda, stored: Stored, texts: Texts) -> None:
    """How many of the first ten Whoosh's own BM25F has too, over the same segments."""
    workspace = stored.workspaces[0]
    index = Memtables(memoranda.log, segments=memoranda.index.source()).of(workspace)
    index.follow(memoranda.log.head(), Deadline.after(3600))
    memtable = index._fold.index
    assert not memtable.tail, "what is behind the segments Whoosh does not see"
    mask = memtable.eligible(Basis(index.position, LATER, "bench"), Filters())
    assert mask.all(), "Whoosh has no mask"
    rounds = memoranda.index.rounds
    assert rounds is not None
    folders = [rounds.indexer.builds.folder.segment(workspace, one.name) for one in _live(index)]
    reader = _reader(folders)
    print(f" Whoosh's own scorer over the same {len(folders)} segments, {WHOOSH_QUESTIONS} claims")
    own_times, questions = Times(), texts.questions[:WHOOSH_QUESTIONS]
    own = [own_times.take(lambda q=q: _own(memtable._text(), q, mask)) for q in questions]
    filled = [_rows(memtable, look(index, question), mask) for question in questions]
    own_times.line("ours, without words of neighbours")
    for name, weighting in (("its BM25F, our idf", _Ours), ("its BM25F, its idf", BM25F)):
        searcher, times = Searcher(reader, weighting=weighting(B=B, K1=K1)), Times()
        theirs = [
            times.take(lambda q=question, s=searcher: _whoosh(s, q)) for question in questions
        ]
        times.line(name)
        print(
            f"    overlap@10 with ours: {_overlap(own, theirs):.3f}, "
            f"with neighbours {_overlap(filled, theirs):.3f}; "
            f"ours takes {own_times.at(0.5) / times.at(0.5):.3f} x"
        )


def _live(index: Any) -> Any:
    return index._base.segments


def _reader(folders: list[Path]) -> MultiReader:
    readers = []
    for folder in folders:
        storage = FileStorage(str(folder), supports_mmap=False, readonly=True)
        toc = TOC.read(storage, INDEX)
        readers.append(SegmentReader(storage, toc.schema, toc.segments[0]))
    return MultiReader(readers)


def _own(text: Text, question: str, mask: Any) -> set[int]:
    scores = _Search(query_terms(question), text, mask, lambda: False).own_scores()
    rows = best(scores, LIMIT)
    return set(rows[np.lexsort((rows, -scores[rows]))][:LIMIT].tolist())


def _rows(memtable: Any, hits: Any, mask: Any) -> set[int]:
    return {memtable._row(hit.memory_id, hit.version, mask) for hit in hits}


def _whoosh(searcher: Searcher, question: str) -> set[int]:
    terms = [Term(FIELD, term.text, boost=term.weight) for term in query_terms(question)]
    return {hit.docnum for hit in searcher.search(Or(terms), limit=LIMIT)}


def _overlap(first: list[set[int]], second: list[set[int]]) -> float:
    shares = [len(a & b) / max(1, len(b)) for a, b in zip(first, second, strict=True)]
    return sum(shares) / len(shares)
