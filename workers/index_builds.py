"""Directories of segments: named in the manifest before they are made, and until they are gone.

So whoever dies leaves nothing that nobody knows of. Nobody is waited for: who builds finds out at
the end whether what it built is still wanted. No lock is held while files are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from projections import index_changes as changes
from projections import index_manifest as manifest
from projections.index_folder import IndexFolder, new_name, remove_stranger
from projections.index_manifest import Live, Manifest
from projections.index_store import IndexStore
from projections.lexical.memtable import Memtable
from projections.lexical.segment import Segment
from projections.lexical.segment_files import SegmentError, size_of
from projections.lexical.segment_writer import write_segment


class GivenUpError(Exception):
    """What was being built is not wanted any more: somebody else did it, or removed it."""


def never() -> bool:
    """Do not stop."""
    return False


@dataclass(frozen=True, slots=True)
class SegmentBuilds:
    """Makes, opens and removes directories. Safe to share between threads and processes."""

    store: IndexStore
    folder: IndexFolder
    now_us: Callable[[], int]

    def sweep(self, workspace: str, *, builds: bool = False) -> None:
        """Remove every directory that has to go, and those that the manifest does not name.

        With `builds` also what somebody is building now, who finds that out and begins again.
        """
        with self.store.writing() as connection:
            if builds:
                changes.condemn(connection, changes.unfinished(connection, workspace))
        there = self.folder.names(workspace)
        with self.store.reading() as connection:
            # In this order: a directory is named in the manifest before it is there.
            named = {one.name for one in manifest.read(connection, workspace).live}
            named.update(changes.unfinished(connection, workspace))
            doomed = set(changes.condemned(connection, workspace))
        for name in doomed | (there - named):
            self.folder.remove(workspace, name)
        if doomed:
            with self.store.writing() as connection:
                changes.removed(connection, doomed)

    def sweep_all(self, workspace: str) -> None:
        """`sweep` with what is being built, and what other programs made of a workspace."""
        self.sweep(workspace, builds=True)
        for path in self.folder.of_other_formats(workspace):
            remove_stranger(path)

    def known(self, workspace: str) -> Manifest:
        """What the index of a workspace consists of now."""
        with self.store.reading() as connection:
            return manifest.read(connection, workspace)

    @contextmanager
    def opened(self, workspace: str, wanted: Sequence[Live]) -> Iterator[list[Segment]]:
        segments: list[Segment] = []
        try:
            for one in wanted:
                path = self.folder.segment(workspace, one.name)
                segments.append(Segment.open(path, one.digest))
            yield segments
        finally:
            for segment in segments:
                segment.close()

    @contextmanager
    def building(self, workspace: str, stop: Callable[[], bool] = never) -> Iterator[Build]:
        """A directory that becomes a segment; it is removed unless it is kept.

        It is named, made, and looked up again before anything is read that is written into it: so
        who removes it after a forget removes it with all that was read before.
        """
        name = new_name()
        with self.store.writing() as connection:
            changes.begin_build(connection, workspace, name, self.now_us())
        build = Build(self, workspace, name, stop)
        try:
            build.path = self.folder.begin(workspace, name)
            with self.store.reading() as connection:
                if not changes.is_building(connection, name):
                    raise GivenUpError
            yield build
        finally:
            if not build.kept:
                with self.store.writing() as connection:
                    changes.condemn(connection, [name])
                self.remove(workspace, [name])

    def remove(self, workspace: str, names: Sequence[str]) -> None:
        for name in names:
            self.folder.remove(workspace, name)
        with self.store.writing() as connection:
            changes.removed(connection, names)


@dataclass(slots=True)
class Build:
    """A segment that is being written."""

    builds: SegmentBuilds
    workspace: str
    name: str
    stop: Callable[[], bool]
    path: Path = Path()
    kept: bool = False

    def finished(self, index: Memtable, after: int, until: int) -> Live:
        """Write it and give it its name; what the manifest is told of it."""
        folder = self.builds.folder
        try:
            digest = write_segment(self.path, index, self.stop)
            folder.finish(self.workspace, self.name)
            size = size_of(folder.segment(self.workspace, self.name))
        except FileNotFoundError:
            raise GivenUpError from None
        except SegmentError:
            # Of what it was made from, or of itself where somebody has removed it meanwhile.
            if self.path.exists():
                raise
            raise GivenUpError from None
        return Live(self.name, after, until, len(index.places), size, digest, 0)
