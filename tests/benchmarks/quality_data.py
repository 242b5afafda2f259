"""The two collections of the quality benchmark, in one shape, and the peer that sees the same.

LoCoMo (Maharana et al., 2024): long talks of two people, questions, and the turns that answer
them; CC BY-NC 4.0, so it is read where it lies and never part of this repository. SciFact (Wadden
et al., 2020): claims and the abstracts that they cite, as BEIR asks them.
"""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from projections.lexical.forms import STOP_WORDS

_WORD: Final = re.compile(r"\w+")
_SESSION: Final = re.compile(r"session_(\d+)")


@dataclass(frozen=True)
class Said:
    """One memory to be: its own name in the collection, where and when it was said, its fields."""

    name: str
    session: str
    at: datetime
    text: str
    properties: dict[str, str]


@dataclass(frozen=True)
class Asked:
    """A question, the names of what answers it, and its category."""

    text: str
    relevant: frozenset[str]
    category: str


@dataclass
class Body:
    """What is stored in one workspace, and asked there."""

    name: str
    said: list[Said] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)


def locomo(folder: Path) -> list[Body] | None:
    """One body a conversation, a turn is a memory; None where the file is not there.

    Questions without evidence among the turns are left out.
    """
    files = sorted(folder.glob("locomo*.json.gz"))
    return [_talk(one) for file in files for one in _json(file)] if files else None


def scifact(folder: Path) -> Body:
    """Every abstract is a memory of its own session; a claim is a question."""
    body = Body("scifact")
    at = datetime(2020, 1, 1, tzinfo=UTC)
    for one in _lines(folder / "corpus.jsonl.gz"):
        name, text = str(one["doc_id"]), " ".join(one["abstract"])
        body.said.append(Said(name, f"abstract {name}", at, text, {"title": one["title"]}))
    for one in _lines(folder / "claims_train.jsonl"):
        relevant = frozenset({*map(str, one["cited_doc_ids"]), *one["evidence"]})
        if relevant:
            body.asked.append(Asked(one["claim"], relevant, "claims"))
    return body


def _talk(one: dict[str, Any]) -> Body:
    body, talk = Body(one["sample_id"]), one["conversation"]
    numbers = sorted(int(found[1]) for key in talk if (found := _SESSION.fullmatch(key)))
    for number in numbers:
        # As in "1:56 pm on 8 May, 2023".
        date = talk[f"session_{number}_date_time"]
        at = datetime.strptime(date, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for turn in talk[f"session_{number}"]:
            properties = {"speaker": turn["speaker"]}
            if turn.get("blip_caption"):
                properties["caption"] = turn["blip_caption"]
            text = turn["text"] or "-"  # a picture without a word
            body.said.append(Said(turn["dia_id"], f"session {number}", at, text, properties))
    names = {said.name for said in body.said}
    for question in one["qa"]:
        relevant = names.intersection(question.get("evidence", ()))
        if relevant:
            category = f"category {question['category']}"
            body.asked.append(Asked(question["question"], frozenset(relevant), category))
    return body


class Fts5:
    """SQLite's full-text index with Porter's stems and BM25, over the same fields."""

    def __init__(self, body: Body, *, stop_words: bool) -> None:
        self._drop = STOP_WORDS if stop_words else frozenset()
        self._database = sqlite3.connect(":memory:")
        self._database.execute(
            "CREATE VIRTUAL TABLE memory USING fts5(name UNINDEXED, words, tokenize='porter')"
        )
        rows = [
            (said.name, "\n".join([said.text, *said.properties.values()])) for said in body.said
        ]
        self._database.executemany("INSERT INTO memory VALUES (?, ?)", rows)

    def find(self, question: str, count: int) -> list[str]:
        """The best memories, by any word of a question."""
        words = [word.lower() for word in _WORD.findall(question)]
        kept = [word for word in words if word not in self._drop] or words
        query = " OR ".join(f'"{word}"' for word in dict.fromkeys(kept))
        found = self._database.execute(
            "SELECT name FROM memory WHERE memory MATCH ? ORDER BY rank, name LIMIT ?",
            (query, count),
        )
        return [str(row[0]) for row in found]


def _json(file: Path) -> Any:
    with gzip.open(file, "rt", encoding="utf-8") as opened:
        return json.load(opened)


def _lines(file: Path) -> Iterator[Any]:
    whole = file.read_bytes()
    if file.suffix == ".gz":
        whole = gzip.decompress(whole)
    yield from map(json.loads, whole.splitlines())
