"""The pages, the commands in them, and which of these the tests do not run."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted({ROOT / "README.md", *(ROOT / "docs").rglob("*.md")})
FENCE = re.compile(r"^[ ]*```(\w*)\n(.*?)^[ ]*```$", re.MULTILINE | re.DOTALL)
UNTOLD = "# The tests do not run this: "
"""How the first line of a block begins that is not run; the reason follows."""


def name_of(page):
    """As it is called in the repository."""
    return page.relative_to(ROOT).as_posix()


def fences(page):
    """Language and text of every fenced block."""
    return FENCE.findall(page.read_text("utf-8"))


def commands(page):
    """The blocks of commands that are run."""
    return [text for kind, text in fences(page) if kind == "sh" and not text.startswith(UNTOLD)]


def untold(page):
    """The reasons of those that are not."""
    return [
        text.splitlines()[0].removeprefix(UNTOLD)
        for kind, text in fences(page)
        if kind == "sh" and text.startswith(UNTOLD)
    ]
