"""A workspace whose log is in memory and whose index is on the disk."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from projections.index_folder import IndexFolder
from projections.index_store import IndexStore
from projections.lexical.analyzer import query_terms
from projections.lexical.eligibility import Basis, Filters
from read_api.deadlines import Deadline
from read_api.lookups import Question
from read_api.memtables import Memtables
from read_api.segment_source import SegmentSource
from tests.recall.world import World
from workers.index_builds import SegmentBuilds
from workers.index_rounds import IndexRounds
from workers.indexing import Indexer, is_of

FAR = Deadline.after(86_400)


@dataclass(frozen=True)
class Grown:
    workspace: str
    topic: str
    events: int
    position: int


@dataclass
class Site:
    """What a worker and a reader share: the log, the manifest and the folder."""

    root: Path
    store: IndexStore
    world: World = field(default_factory=World)

    def __post_init__(self):
        self.folder = IndexFolder.open(self.root / "index")
        self.builds = SegmentBuilds(self.store, self.folder, self.world.clock.now_us)
        self.indexer = Indexer(self.log, self.builds)
        self.rounds = IndexRounds(self.indexer, self.grown)

    @property
    def log(self):
        return self.world.log

    def grown(self, after, until, topics):
        found = [e for e in self.log.after(after, 10**6, topics=topics) if e.position <= until]
        counts = Counter((event.context.workspace, event.topic) for event in found)
        last = {(event.context.workspace, event.topic): event.position for event in found}
        return [Grown(*key, count, last[key]) for key, count in counts.items()]

    def source(self) -> SegmentSource:
        def mine(workspace, tip):
            return is_of(self.log, workspace, tip)

        return SegmentSource(self.store, self.folder, mine)

    def reader(self, *, segments: bool = True) -> Memtables:
        return Memtables(self.log, segments=self.source() if segments else None)

    def index(self, *, segments: bool = True, workspace: str = "w"):
        """An index that has read all."""
        index = self.reader(segments=segments).of(workspace)
        index.follow(self.log.head(), FAR)
        return index

    def live(self, workspace: str = "w"):
        return self.builds.known(workspace).live

    def files(self) -> list[Path]:
        return [path for path in self.folder.root.rglob("*") if path.is_file()]

    def directories(self, workspace: str = "w") -> set[str]:
        return self.folder.names(workspace)


def hits(index, text, position=None, actor="ann", **filters: Any):
    """(memory, version, score) of what a question finds."""
    basis = Basis(index.position if position is None else position, 2**60, actor)
    question = Question(query_terms(text), None, Filters(**filters))
    look = index.look(basis, question, FAR)
    assert not look.stopped
    return [tuple(hit) for hit in look.hits]


def found(index, text, position=None, **how: Any):
    return [memory for memory, _, _ in hits(index, text, position, **how)]
