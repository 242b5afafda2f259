"""What the speed of recall is measured on: texts, questions, and stores that hold them.

Texts are chains of the word pairs of SciFact's abstracts (Wadden et al., 2020), so that words are
as long and as unequally frequent as in a language, for any number of memories. Questions are its
claims. Where there is no SciFact the words are made up, and the run says so.
"""

from __future__ import annotations

import itertools
import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from commands.erasure import Eraser
from commands.service import CommandService
from domain.context import Context
from domain.errors import MemorandaError
from domain.requests import parse_request
from ops.beside import open_beside
from ops.memoranda import Memoranda
from tests.benchmarks.common import TextMaker, content, context, envelope
from tests.benchmarks.quality_data import scifact

DATA: Final = Path(__file__).resolve().parents[2].parent / "shared" / "data"
BATCH: Final = 500
SESSION_MEMORIES: Final = 20
EDGE_EVERY: Final = 5
"""Every fifth memory supports two earlier ones of its workspace."""


class Texts:
    """Sentences of 20 to 40 words, questions, and the words of both, most frequent first."""

    def __init__(self, folder: Path = DATA) -> None:
        self._random = random.Random(5)
        self._follow: dict[str, list[str]] = defaultdict(list)
        counts: dict[str, int] = defaultdict(int)
        if (folder / "scifact").is_dir():
            print("texts: chains of SciFact's word pairs; questions: its claims")
            body = scifact(folder / "scifact")
            said = [one.text.split() for one in body.said]
            self.questions = [one.text for one in body.asked]
        else:
            print(f"texts and questions: MADE-UP WORDS, there is no SciFact in {folder}")
            maker = TextMaker(5)
            said = [maker.sentence().split() for _ in range(20_000)]
            self.questions = [maker.question() for _ in range(800)]
        for words in said:
            for first, then in itertools.pairwise(words):
                self._follow[first].append(then)
                counts[first] += 1
        self.words = sorted(counts, key=lambda word: (-counts[word], word))
        self._random.shuffle(self.questions)

    def sentence(self) -> str:
        """20 to 40 words."""
        word = self._random.choice(self.words)
        chain = [word]
        for _ in range(self._random.randint(19, 39)):
            word = self._random.choice(self._follow.get(word) or self.words)
            chain.append(word)
        return " ".join(chain)


@dataclass
class Stored:
    """Memories of a store: their texts by id, in the order of the log, and who has them."""

    workspaces: list[str]
    texts: dict[str, str] = field(default_factory=dict)
    relationships: int = 0

    def keep(self, file: Path) -> None:
        """Write it down, for a run that goes on with the same store."""
        file.write_text(json.dumps(vars(self)), "utf-8")

    @classmethod
    def kept(cls, file: Path) -> Stored | None:
        """What an earlier run has written down."""
        return cls(**json.loads(file.read_text("utf-8"))) if file.exists() else None

    def asking(self, number: int = 0) -> Context:
        """Who asks in one of the workspaces."""
        return within(self.workspaces[number % len(self.workspaces)])


def within(workspace: str, session: str = "bench") -> Context:
    return replace(context(), workspace=workspace, session=session)


Execute: TypeAlias = Callable[[list[tuple[Context, Any]]], list[Any]]
"""A batch of (context, envelope) in, answers out."""


@contextmanager
def written(data: Path) -> Iterator[Execute]:
    """The write side of a data folder alone: read models and segments are made later."""
    with open_beside(data) as beside:
        eraser = Eraser(store=beside.store, keys=beside.keys, engine=beside.engine, log=beside.log)
        commands = CommandService(beside.engine, beside.keys, beside.log, eraser, beside.clock)

        def execute(items: list[tuple[Context, Any]]) -> list[Any]:
            said = [(who, parse_request(value)) for who, value in items]
            done = commands.execute_many(said, atomic=False)
            refused = [one for one in done if isinstance(one, MemorandaError)]
            assert not refused, refused[0]
            return [{"result": {"result": one[1]}} for one in done]

        yield execute


def load(execute: Execute, texts: Texts, memories: int, workspaces: int) -> Stored:
    """Remember so many, in batches, in turn in each workspace, with relationships among them.

    Twenty neighbours of a workspace are a session.
    """
    names = [f"bench-{number}" for number in range(workspaces)]
    stored = Stored(names)
    known: dict[str, list[str]] = {name: [] for name in names}
    for start in range(0, memories, BATCH):
        numbers = range(start, min(start + BATCH, memories))
        said = [texts.sentence() for _ in numbers]
        items: list[tuple[Context, Any]] = []
        for number, text in zip(numbers, said, strict=True):
            session = f"session-{number // workspaces // SESSION_MEMORIES}"
            items.append((within(names[number % workspaces], session), envelope(text)))
        edges: list[tuple[Context, Any]] = []
        for number, text, answer in zip(numbers, said, execute(items), strict=True):
            found = answer["result"]["result"]["record"]["id"]
            there = known[names[number % workspaces]]
            if number % EDGE_EVERY == 0 and there:
                edges += [
                    (within(names[number % workspaces]), _relate(found, there[at]))
                    for at in {len(there) // 2, len(there) // 3}
                ]
            there.append(found)
            stored.texts[found] = text
        for at in range(0, len(edges), BATCH):
            execute(edges[at : at + BATCH])
        stored.relationships += len(edges)
    return stored


def settle(memoranda: Memoranda, workspaces: list[str]) -> None:
    """Wait for the read models; make and merge the segments that are due, the last ones too."""
    head = memoranda.log.head()
    memoranda.runner.wait_for("", head, 3600)
    rounds = memoranda.index.rounds
    assert rounds is not None
    for workspace in workspaces:
        # The threads of the store work on it too: whoever is quicker wins.
        while rounds.indexer.builds.known(workspace).position < head:
            rounds.work(workspace)
            if not memoranda.log.after(
                rounds.indexer.builds.known(workspace).position, 1, workspace=workspace
            ):
                break
        while rounds.compact(workspace):
            pass


def _relate(source: str, target: str) -> dict[str, Any]:
    said = {
        "source_id": source,
        "target_id": target,
        "kind": "supports",
        "properties": {},
        "provenance": [],
        "lifecycle": "active",
    }
    return envelope_of("relate", said)


def envelope_of(operation: str, said: dict[str, Any]) -> dict[str, Any]:
    """An envelope with a key of its own."""
    return {**envelope(""), "operation": operation, "input": said}


def remembering(text: str, **changes: Any) -> dict[str, Any]:
    """A `remember` whose input differs from the plain one."""
    said = envelope(text)
    said["input"] = {**said["input"], "content": content(text), **changes}
    return said
