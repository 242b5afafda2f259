"""Concepts as a tree of Markdown files, by their paths (spec/bundle.md §5). Never read back.

The tree depends on the concepts alone: the same ones give the same names and bytes.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from domain.canonical import JsonObject
from domain.errors import invalid
from read_api.bundle_markdown import concept_markdown

SUFFIX: Final = ".md"
_STEP_BYTES_MAX: Final = 120
"""Of one name, so that an id fits behind it: file systems take 255."""
_UNFIT: Final = re.compile(r"[^\w.-]+")
_ID_CHARACTERS: Final = 6


def write_tree(out: Path, concepts: Iterable[JsonObject], *, into: bool) -> list[Path]:
    """Write a file for each concept, as `Bundles.concept` tells it; their paths within `out`.

    Each file is there whole or not at all. Raises INVALID_REQUEST for a directory that is not
    empty, unless `into`, and for a link within it that would lead out of it.
    """
    if not into and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise invalid(
            f"{out} is no empty directory: name another one, or write into it with --into",
            field="OUT_DIR",
        )
    told = {one["id"]: one for one in concepts}
    paths = paths_of(told)
    out.mkdir(mode=0o700, parents=True, exist_ok=True)
    for concept_id, path in sorted(paths.items()):
        _write(out, path, concept_markdown(told[concept_id]).encode())
    return sorted(paths.values())


def paths_of(concepts: Mapping[str, JsonObject]) -> dict[str, Path]:
    """By id the path of each concept within a directory; no two have the same one.

    Those that would share a path have the end of their id in it, or all of it.
    """
    plain = {name: _path(one) for name, one in concepts.items()}
    shared = Counter(_key(path) for path in plain.values())
    paths = {
        name: path if shared[_key(path)] == 1 else _with(path, name[-_ID_CHARACTERS:])
        for name, path in plain.items()
    }
    taken = Counter(_key(path) for path in paths.values())
    return {
        name: path if taken[_key(path)] == 1 else _with(plain[name], name)
        for name, path in paths.items()
    }


def _key(path: Path) -> str:
    """Names that some file systems take for one."""
    return str(path).casefold()


def _path(concept: JsonObject) -> Path:
    said = concept["concept_path"]
    if said is None:
        return Path("erased") / (_step(concept["id"]) + SUFFIX)
    *folders, name = said.split("/")
    steps = [step for folder in folders if (step := _step(folder))]
    return Path(*steps, (_step(name.removesuffix(SUFFIX)) or "concept") + SUFFIX)


def _step(name: str) -> str:
    """A name that is one step of a path, whatever was said: no separator, no dots alone."""
    fit = _UNFIT.sub("-", name).strip(".-")
    return fit.encode()[:_STEP_BYTES_MAX].decode(errors="ignore")


def _with(path: Path, more: str) -> Path:
    return path.with_name(f"{path.name.removesuffix(SUFFIX)}-{more}{SUFFIX}")


def _write(out: Path, path: Path, data: bytes) -> None:
    folder = out
    for step in path.parent.parts:
        folder = folder / step
        if folder.is_symlink():
            raise invalid(
                f"{folder} is a link, which may lead out of the directory: remove it",
                field="OUT_DIR",
            )
        folder.mkdir(mode=0o700, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".bundle-", dir=folder)
    partial = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        partial.replace(folder / path.name)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
