"""Parts: the units in which the log is followed (design.md §3)."""

from __future__ import annotations

from zlib import crc32


def part_of_workspace(workspace: str, parts: int) -> int:
    """The part of all events of a workspace that projections fold: one of 0 to `parts` - 1."""
    return crc32(workspace.encode()) % parts
