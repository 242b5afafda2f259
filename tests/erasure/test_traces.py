"""The search itself: it finds what it is told to look for, and nothing else."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import sqlite3
import unicodedata
import zlib
from contextlib import closing
from urllib.parse import quote

import pytest

from tests.erasure.traces import Words

PLAIN, ACCENTED = "xqzywarble", "ẅxénophœbe"
WORDS = Words(PLAIN, ACCENTED)


def around(data: bytes) -> bytes:
    return os.urandom(1001) + data + os.urandom(1000)


WRITTEN = {
    "utf-8": str.encode,
    "utf-16": lambda word: word.encode("utf-16"),
    "utf-16-be": lambda word: word.encode("utf-16-be"),
    "utf-32": lambda word: word.encode("utf-32"),
    "decomposed": lambda word: unicodedata.normalize("NFD", word).encode(),
    "json": lambda word: json.dumps([word]).encode(),
    "json, hex in capitals": lambda word: re.sub(
        r"(?<=\\u)....", lambda one: one[0].upper(), json.dumps([word])
    ).encode(),
    "base64": lambda word: base64.b64encode(word.encode()),
    "base64, one further": lambda word: base64.b64encode(b"." + word.encode() + b"..."),
    "base64, two further": lambda word: base64.urlsafe_b64encode(b".." + word.encode() + b"."),
    "deflated": lambda word: zlib.compress(b"before " + word.encode() * 3, 1),
    "deflated json": lambda word: zlib.compress(json.dumps(word).encode(), 9),
    "deflated, small window": lambda word: deflated(word.encode(), 9),
    "gzipped": lambda word: gzip.compress(word.encode()),
    "hex": lambda word: word.encode().hex().encode(),
    "percent": lambda word: quote(word).encode(),
}


def deflated(data: bytes, window: int) -> bytes:
    made = zlib.compressobj(wbits=window)
    return made.compress(data) + made.flush()


@pytest.mark.parametrize("word", [PLAIN, ACCENTED])
@pytest.mark.parametrize("way", WRITTEN)
def test_a_word_is_found_however_it_was_written(word, way):
    assert WORDS.found_in(around(WRITTEN[way](word)))


def test_a_word_is_found_as_the_index_folds_it():
    assert WORDS.found_in(b"...wxenophoebe...")


def test_nothing_is_found_where_nothing_is():
    assert WORDS.found_in(around(b"warble and xenophobe")) == set()


def test_a_word_is_found_in_a_table_its_free_pages_and_its_write_ahead_log(tmp_path):
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE said (text)")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("INSERT INTO said VALUES (?)", ("x" * 9000 + PLAIN,))
        assert set(WORDS.found_under(tmp_path)) == {"a.db-wal"}
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert set(WORDS.found_under(tmp_path)) == {"a.db"}
        connection.execute("DELETE FROM said")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert set(WORDS.found_under(tmp_path)) == {"a.db"}


def test_a_word_is_found_in_the_name_of_a_file(tmp_path):
    (tmp_path / f"{PLAIN}.json").write_bytes(b"")

    assert set(WORDS.found_under(tmp_path)) == {f"{PLAIN}.json"}
