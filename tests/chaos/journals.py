"""What a caller was told, on the disk before it asks again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from domain.canonical import JsonObject


@dataclass(frozen=True)
class Told:
    """One command and its final answer: a result, or the error that refused it."""

    workspace: str
    actor: str
    envelope: JsonObject
    answer: JsonObject

    @property
    def key(self) -> tuple[str, str, str]:
        return self.workspace, self.actor, self.envelope["idempotency_key"]

    @property
    def result(self) -> JsonObject | None:
        return self.answer.get("result", {}).get("result")

    @property
    def receipt(self) -> Any:
        return (self.result or {}).get("receipt")

    @property
    def committed_without_receipt(self) -> str | None:
        """The recall, or the proposal that was not applied, that the answer names."""
        result = self.result or {}
        unapplied = result["proposal_id"] if result.get("applied") is False else None
        return result.get("recall_id") or unapplied


class Journal:
    """Lines that are synced one by one; a folder has one for each caller."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=0)

    def keep(self, told: Told) -> None:
        line = json.dumps([told.workspace, told.actor, told.envelope, told.answer])
        self._file.write(line.encode() + b"\n")
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


def read_all(folder: Path) -> Iterator[Told]:
    """Everything that anybody was told."""
    for path in sorted(folder.iterdir()):
        for line in path.read_bytes().splitlines():
            yield Told(*json.loads(line))
