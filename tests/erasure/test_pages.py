"""No page keeps what a row once held, though SQLite moves rows about and leaves copies behind."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing

import pytest

from commands.clock import SystemClock
from commands.keystore import KeyStore
from projections.database import compact, open_views, truncate_wal

LETTERS = "bcdfghj"
PUT = "INSERT INTO said VALUES ('w', ?, 1, NULL, ?)"


def furnished(cursor, dice, count):
    """Rows that grow and move, as those of the read models do; a word of each."""
    words = []
    cursor.execute("CREATE TABLE said (w, id, v, p, text, PRIMARY KEY (w, id, v))")
    cursor.execute("CREATE TABLE tag (w, id, tag, PRIMARY KEY (w, id, tag)) WITHOUT ROWID")
    cursor.execute("CREATE INDEX by_tag ON tag (w, tag)")
    cursor.execute("BEGIN")
    for number in range(count):
        word = "qz" + "".join(dice.choice(LETTERS) for _ in range(8)) + f"y{number}"
        words.append(word)
        cursor.execute(PUT, (f"mem_{number:026}", word + "lorem " * dice.randrange(400)))
        cursor.execute("INSERT INTO tag VALUES ('w', ?, ?)", (f"mem_{number:026}", word))
        if dice.random() < 0.5:
            grown = (number, "x" * dice.randrange(300), f"mem_{dice.randrange(number + 1):026}")
            cursor.execute("UPDATE said SET p = ?, text = text || ? WHERE id = ?", grown)
    cursor.execute("COMMIT")
    return words


# With SQLite 3.40 a word stays in a page after each of these, if the file is not written anew.
@pytest.mark.parametrize(("seed", "count"), [(9, 250), (2, 500), (16, 500)])
def test_a_compacted_file_holds_no_word_of_a_changed_row(tmp_path, seed, count):
    # Given
    dice, path = random.Random(seed), tmp_path / "views.db"
    engine = open_views(path)
    with closing(engine.raw_connection()) as connection, closing(connection.cursor()) as cursor:
        words = furnished(cursor, dice, count)
        gone = dice.sample(range(count), count // 3)
        for number in gone:
            cursor.execute("UPDATE said SET text = 'gone' WHERE id = ?", (f"mem_{number:026}",))
            cursor.execute("DELETE FROM tag WHERE id = ?", (f"mem_{number:026}",))
    # When
    compact(engine)
    truncated = truncate_wal(engine)
    # Then
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    engine.dispose()
    there = {number for number, word in enumerate(words) if word.encode() in stored}
    assert truncated
    assert there == set(range(count)) - set(gone)


def test_a_compacted_key_store_holds_no_destroyed_key_in_any_file(tmp_path):
    # Given keys of workspaces with names of different lengths, destroyed in several goes
    dice = random.Random(1)
    keys = KeyStore.open(tmp_path / "keys.db", bytes(32), SystemClock())
    taken = []
    gone = []
    for _ in range(6):
        taken += [
            (name, keys.take(name)[0])
            for name in (dice.choice(["w", "a much longer name " * 9]) for _ in range(300))
        ]
        wrapped = wrapped_in(tmp_path)
        dice.shuffle(taken)
        doomed, taken = taken[:150], taken[150:]
        for workspace in {name for name, _ in doomed}:
            keys.destroy(workspace, [key for name, key in doomed if name == workspace])
        gone += [wrapped[key] for _, key in doomed]
    # When
    keys.compact()
    # Then
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert len(gone) == 900
    assert not [one for one in gone if one[:16] in stored or one[-16:] in stored]
    assert all(wrapped[key] in stored for _, key in taken)
    keys.close()


def wrapped_in(folder):
    """The wrapped keys by id, as another connection reads them."""
    with closing(sqlite3.connect(folder / "keys.db")) as connection:
        return dict(
            connection.execute("SELECT key_id, wrapped FROM data_key WHERE wrapped NOT NULL")
        )
