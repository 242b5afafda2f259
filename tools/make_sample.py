"""Choose the advisory histories of the shipped sample: `python -m tools.make_sample FULL [OUT]`.

FULL is the whole history (gzipped JSON Lines, one row a commit and path, in commit order), OUT the
sample, by default the shipped one. The same FULL gives the same rows, unchanged and in their order.

What is chosen is families: an advisory with all others of its package that share an alias with it,
so that a history is whole even where an advisory was filed under a provisional id first, or twice.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ops.advisories import SAMPLE, import_lines

ENOUGH: Final = 690
MOST: Final = 750
WELL_KNOWN: Final = ("flask", "jinja2", "requests", "urllib3", "werkzeug")

Row = dict[str, Any]
Families = dict[str, list[str]]


def families(rows: Iterable[Row]) -> Families:
    """The paths of each family in order of their coming, under the family's first path."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    paths: dict[str, None] = {}
    for row in rows:
        paths[row["path"]] = None
        for alias in row.get("aliases", ()):
            parent[root(f"{_package(row['path'])} {alias}")] = root(row["path"])
    grouped: Families = {}
    for path in paths:
        grouped.setdefault(root(path), []).append(path)
    return {members[0]: members for members in grouped.values()}


def withdrawn(rows: list[Row]) -> Iterator[str]:
    """The paths of advisories that were withdrawn."""
    return (row["path"] for row in rows if row.get("withdrawn"))


def often_corrected(rows: list[Row]) -> Iterator[str]:
    """The paths of advisories with a range that was corrected twice or more."""
    times: Counter[str] = Counter()
    for line in import_lines(rows):
        times[_corrected(line)] += 1
    for key, count in times.items():
        if key.startswith("claim:") and count > 1:
            yield f"vulns/{key.split(':')[1]}.yaml"


def _corrected(line: Mapping[str, Any]) -> str:
    if line["operation"] != "update" or line["input"]["target"]["kind"] != "memory":
        return ""
    return str(line["input"]["target"]["id"]["identity_key"])


def merged(rows: list[Row]) -> Iterator[str]:
    """The paths of advisories that were removed as duplicates, provisional ids left out."""
    for line in import_lines(rows):
        given: Any = line["input"]
        if line["operation"] == "relate" and given["kind"] == "merged_into":
            key = given["source_id"]["identity_key"]
            if "PYSEC-0000" not in key:
                yield f"vulns/{key.removeprefix('advisory:')}.yaml"


def twice_grown(rows: list[Row]) -> Iterator[str]:
    """The paths of advisories whose list of aliases grew twice or more."""
    last: dict[str, int] = {}
    times: Counter[str] = Counter()
    for row in rows:
        path, size = row["path"], len(row.get("aliases", ()))
        times[path] += size > last.get(path, size)
        last[path] = size
    return (path for path, count in times.items() if count > 1)


def choose(rows: list[Row]) -> set[str]:
    """The paths of the sample: each rule in turn, then others in order of their hash."""
    grouped = families(rows)
    family_of = {path: first for first, members in grouped.items() for path in members}
    sizes = Counter(row["path"] for row in rows)
    shuffled = sorted(grouped, key=lambda first: hashlib.sha256(first.encode()).hexdigest())
    chosen: set[str] = set()
    rules: list[tuple[Iterable[str], int, int]] = [
        (withdrawn(rows), 99, 99),
        (often_corrected(rows), 3, 99),
        (merged(rows), 2, 14),
        (twice_grown(rows), 2, 14),
        ([first for first in shuffled if _package(first) in WELL_KNOWN], 4, 16),
        (shuffled, 2, len(shuffled)),
    ]
    for paths, most_a_package, most in rules:
        taken: Counter[str] = Counter()
        for first in dict.fromkeys(family_of[path] for path in paths):
            revisions = sum(sizes[path] for path in chosen)
            adds = sum(sizes[path] for path in grouped[first])
            full = revisions >= ENOUGH or revisions + adds > MOST or taken.total() >= most
            if first in chosen or full or taken[_package(first)] >= most_a_package:
                continue
            taken[_package(first)] += 1
            chosen.update(grouped[first])
    return chosen


def _package(path: str) -> str:
    return path.split("/")[1]


def main(full: Path, out: Path) -> None:
    """Write the sample; the same rows give the same bytes, since no name or time goes in."""
    raw = gzip.decompress(full.read_bytes()).splitlines(keepends=True)
    rows = [json.loads(line) for line in raw]
    chosen = choose(rows)
    kept = [line for line, row in zip(raw, rows, strict=True) if row["path"] in chosen]
    out.write_bytes(gzip.compress(b"".join(kept), mtime=0))
    sys.stdout.write(f"{len(kept)} revisions of {len(chosen)} advisories\n")


if __name__ == "__main__":
    shipped = Path(__file__).parents[1] / "ops" / "samples" / SAMPLE
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else shipped)
