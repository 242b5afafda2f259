"""What a seeded fault is: one place of the source made wrong, and the tests that must notice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Fault:
    """A fault that the suite must notice.

    `find` is source text that occurs exactly once in `file`, and `replace` stands there instead.
    `says` tells in a sentence what the product then does. `tests` are the arguments of pytest that
    name the narrowest tests that fail with it; without it they pass.
    """

    number: int
    file: str
    find: str
    replace: str
    says: str
    tests: tuple[str, ...]

    def occurrences(self, tree: Path) -> int:
        """How often the text stands in its file below `tree`; 0 where there is no such file."""
        path = tree / self.file
        return path.read_text(encoding="utf-8").count(self.find) if path.is_file() else 0

    def made_wrong(self, source: str) -> str:
        """The source of the file with the fault in it."""
        return source.replace(self.find, self.replace)
