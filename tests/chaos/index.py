"""The recall index under SIGKILL: `make chaos-index ROUNDS=60`.

One process makes segments of what is new, another one merges them, a third one writes, changes and
forgets. The first two are killed at random moments and started again. After each kill an index that
stands on the segments must say what one says that has read the log alone; no row may be there
twice, and nothing of what was erased in any file.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random

from projections.index_folder import IndexFolder
from projections.index_store import IndexStore, open_manifest
from projections.lexical.analyzer import query_terms
from projections.lexical.eligibility import Basis, Filters
from read_api.deadlines import Deadline
from read_api.lookups import Question
from read_api.memtables import Memtables
from read_api.segment_source import SegmentSource
from tests.projections.commands import forget, remember, update
from tests.projections.histories import World
from tests.projections.store_log import StoreLog
from tests.services import fork_server
from workers import tiers
from workers.index_builds import SegmentBuilds
from workers.index_rounds import IndexRounds
from workers.indexing import Indexer, is_of

ROOT = Path(__file__).parents[2]
WORKSPACE = "acme"
WORDS = ("otter", "heron", "lake", "boat", "pump")
CHILD = "import sys; from tests.chaos.index import child; child(sys.argv[1], sys.argv[2])"
MERGED_MIN = 3


@dataclass
class Figures:
    """What a run did, and what it found."""

    rounds: int = 0
    kills: int = 0
    memories: int = 0
    erased: int = 0
    segments_seen: int = 0
    left_behind: int = 0
    wrong: list[str] = field(default_factory=list)

    def line(self) -> str:
        """All of them on one line."""
        said = {name: value for name, value in asdict(self).items() if name != "wrong"}
        figures = ", ".join(f"{name} {value}" for name, value in said.items())
        return f"chaos-index: {figures}, wrong {len(self.wrong)}"


class Open:
    """The log and the index of a folder."""

    def __init__(self, folder: Path) -> None:
        self.log = StoreLog(folder)
        self.engine = open_manifest(folder / "index.db")
        self.store = IndexStore(self.engine)
        self.folder = IndexFolder.open(folder / "index")
        self.builds = SegmentBuilds(self.store, self.folder, lambda: 0)
        indexer = Indexer(self.log, self.builds)
        grown = self.log._recorder.grown
        self.rounds = IndexRounds(indexer, grown, flush_events=12, idle_seconds=0)

    def close(self) -> None:
        self.engine.dispose()
        self.log.close()

    def index(self, *, segments: bool):
        """An index that has read all."""

        def mine(workspace, tip):
            return is_of(self.log, workspace, tip)

        source = SegmentSource(self.store, self.folder, mine) if segments else None
        index = Memtables(self.log, segments=source).of(WORKSPACE)
        index.follow(self.log.head(), Deadline.after(600))
        return index


def child(folder: str, work: str) -> None:
    """Make or merge segments for ever, and tell of each time."""
    tiers.MERGED_MIN = MERGED_MIN
    with closing(Open(Path(folder))) as site:
        do = site.rounds.work_off if work == "make" else site.rounds.compact_all
        while True:
            print(int(do()), flush=True)


def answers(index) -> list:
    """What every question finds, at the head and in the past."""
    found = []
    for position in (index.position, index.position // 2):
        basis = Basis(position, 2**60, "ann")
        for word in WORDS:
            question = Question(query_terms(word), None, Filters())
            look = index.look(basis, question, Deadline.after(600))
            found.append([tuple(hit) for hit in look.hits])
    return found


@dataclass
class Chaos:
    """One run over a folder of its own."""

    folder: Path
    chance: Random
    figures: Figures = field(default_factory=Figures)
    erased: set[str] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)

    def run(self, rounds: int) -> Figures:
        """Kill so often."""
        with closing(Open(self.folder)) as site:
            world = World(log=site.log)
            for number in range(rounds):
                self._round(site, world, number)
        return self.figures

    def _round(self, site: Open, world: World, number: int) -> None:
        children = [
            fork_server.Started(
                [sys.executable, "-c", CHILD, str(self.folder), work],
                cwd=ROOT, stdout=subprocess.PIPE, text=True,
            )
            for work in ("make", "merge")
        ]  # fmt: skip
        try:
            for one in children:
                one.stdout.readline()
            for _ in range(self.chance.randrange(10, 40)):
                self._write(world)
            waiting = self.chance.randrange(3)
            for _ in range(waiting):
                children[0].stdout.readline()
        finally:
            for one in children:
                one.kill()
                self.figures.kills += 1
            for one in children:
                one.communicate()
        self.figures.rounds += 1
        self._check(site, number)

    def _write(self, world: World) -> None:
        alive = [at for at in range(len(world.memories)) if at not in self.gone]
        step = self.chance.random()
        text = " ".join(self.chance.choices(WORDS, k=3))
        if step < 0.6 or not alive:
            canary = f"canary{len(world.memories):06d}x"
            world.given([remember(f"{text} {canary}")])
            self.figures.memories += 1
        elif step < 0.85:
            content = {"format": "text", "value": text}
            world.given([update(self.chance.choice(alive), content=content)])
        else:
            memory = self.chance.choice(alive)
            world.given([forget(memory, "application_delete")])
            workspace, stream = world.memories[memory]
            for event in world.log.stream(workspace, stream):
                world.log.destroy_key(workspace, stream, event.version)
            self.gone.add(memory)
            self.erased.add(f"canary{memory:06d}x")
            self.figures.erased += 1

    def _check(self, site: Open, number: int) -> None:
        wrong = self.figures.wrong
        live = site.builds.known(WORKSPACE).live
        self.figures.segments_seen += len(live)
        self.figures.left_behind += len(site.folder.names(WORKSPACE) - {one.name for one in live})
        on_disk, in_memory = site.index(segments=True), site.index(segments=False)
        if on_disk._base.rows != sum(one.documents for one in live):
            wrong.append(f"{number}: a segment cannot be used")
        counts = [index._fold.index.counts() for index in (on_disk, in_memory)]
        if (counts[0].documents, counts[0].memories) != (counts[1].documents, counts[1].memories):
            wrong.append(f"{number}: {counts[0]} on disk, {counts[1]} in the log")
        if answers(on_disk) != answers(in_memory):
            wrong.append(f"{number}: the answers differ")
        if not site.rounds.indexer.clear(WORKSPACE, site.log.head()):
            wrong.append(f"{number}: it cannot be cleared")
        if answers(site.index(segments=True)) != answers(in_memory):
            wrong.append(f"{number}: the answers differ after the purge")
        there = site.folder.names(WORKSPACE)
        if there != {one.name for one in site.builds.known(WORKSPACE).live}:
            wrong.append(f"{number}: a directory is left over")
        for path in site.folder.root.rglob("*"):
            if path.is_file():
                data = path.read_bytes()
                wrong += [f"{number}: {one}" for one in self.erased if one.encode() in data]


def main() -> int:
    """0 where nothing is wrong."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=60)
    options.add_argument("--seed", type=int, default=1)
    said = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="chaos-index-") as folder:
        figures = Chaos(Path(folder), Random(said.seed)).run(said.rounds)
    print(figures.line())
    for one in figures.wrong:
        print(one)
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
