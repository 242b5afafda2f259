"""The folder of the recall index: a folder for each workspace, in it a directory for each segment.

Names of workspaces are not in the names of files: folders are called by their hash.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from projections.lexical.fingerprint import INDEX_FORMAT

_BUILDING: Final = ".building"
_TRIES: Final = 20
_OURS: Final = re.compile("[0-9a-f]{32}")
_VERSION: Final = re.compile("v[0-9]+")


@dataclass(frozen=True, slots=True)
class IndexFolder:
    """Paths below a root, which is private to its owner (0700)."""

    root: Path

    @classmethod
    def open(cls, root: Path) -> IndexFolder:
        """Make the folder. Raises OSError where it cannot be written."""
        folder = cls(root)
        folder.make()
        if not os.access(root, os.R_OK | os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(root))
        return folder

    def make(self) -> None:
        """Make the folder where it is not there; others cannot look into it."""
        if not self.root.is_dir():
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.root.chmod(0o700)

    def workspace(self, workspace: str) -> Path:
        """Where the segments of a workspace are."""
        return self.root / f"v{INDEX_FORMAT}" / hashlib.sha256(workspace.encode()).hexdigest()[:32]

    def segment(self, workspace: str, name: str) -> Path:
        """The directory of a segment."""
        return self.workspace(workspace) / name

    def begin(self, workspace: str, name: str) -> Path:
        """Make the directory in which a segment is written before it has its name."""
        self.make()
        folder = self.workspace(workspace)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        building = folder / f"{name}{_BUILDING}"
        building.mkdir(mode=0o700)
        return building

    def finish(self, workspace: str, name: str) -> None:
        """Give a written segment its name, for good. Raises OSError where it was removed."""
        folder = self.workspace(workspace)
        (folder / f"{name}{_BUILDING}").rename(folder / name)
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def remove(self, workspace: str, name: str) -> None:
        """Remove a directory under both its names; nothing of it is left when this returns.

        Whoever is writing it finds that it is gone. First the name before it is finished, so that
        it does not slip away to the other one.
        """
        folder = self.workspace(workspace)
        for path in (folder / f"{name}{_BUILDING}", folder / name):
            _remove(path)

    def names(self, workspace: str) -> set[str]:
        """The segments of a workspace that are there, finished or not."""
        names = {path.name.removesuffix(_BUILDING) for path in _inside(self.workspace(workspace))}
        return {name for name in names if _OURS.fullmatch(name)}

    def of_other_formats(self, workspace: str) -> list[Path]:
        """The folders of a workspace that other programs made."""
        here = self.workspace(workspace)
        versions = [one for one in _inside(self.root) if _VERSION.fullmatch(one.name)]
        return [one / here.name for one in versions if one != here.parent]

    def strangers(self, workspaces: list[str]) -> Iterator[Path]:
        """Folders that belong to none of the workspaces, and those of other formats.

        What has no name that we give is somebody else's, and not told.
        """
        known = {self.workspace(workspace) for workspace in workspaces}
        for version in _inside(self.root):
            if version.name == f"v{INDEX_FORMAT}":
                for path in _inside(version):
                    if _OURS.fullmatch(path.name) and path not in known:
                        yield path
            elif _VERSION.fullmatch(version.name):
                yield version


def _inside(folder: Path) -> list[Path]:
    with suppress(FileNotFoundError, NotADirectoryError):
        return list(folder.iterdir())
    return []


def new_name() -> str:
    """A name that no segment has."""
    return uuid.uuid4().hex


def _remove(path: Path) -> None:
    """Remove a directory to which somebody may still be adding files."""
    for _ in range(_TRIES):
        try:
            shutil.rmtree(path)
        except FileNotFoundError:
            if not path.exists():
                return
        except OSError:
            if not path.exists():
                return
        else:
            return
    shutil.rmtree(path)


def remove_stranger(path: Path) -> None:
    """Remove a folder that is nobody's."""
    if path.is_dir() and not path.is_symlink():
        _remove(path)
