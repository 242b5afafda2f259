"""The evidence graph and reviews behind both doors: of a store in this process, and of a server."""

from __future__ import annotations

from typing import Protocol

from domain.canonical import JsonObject
from ops.cli_doors import Asking, Local
from ops.cli_errors import refusing
from ops.cli_paths import query


class EvidenceDoor(Protocol):
    """What commands ask; bodies are those of the routes. Raises RefusedError."""

    def graph(self, asked: JsonObject) -> JsonObject:
        """The evidence around a memory; `asked` are members of `GraphQuestion`."""
        ...

    def reviews(self, asked: JsonObject) -> JsonObject:
        """A page of what waits for a person; `asked` are members of `InboxFilters`."""
        ...


class LocalEvidence(Local):
    """Of a store in this process."""

    def graph(self, asked: JsonObject) -> JsonObject:
        from read_api.evidence_graph import GraphQuestion

        with refusing():
            question = GraphQuestion(**asked)
            self._followed(question.min_position)
            return self._memoranda.read.graph(self._context, question)

    def reviews(self, asked: JsonObject) -> JsonObject:
        from read_api.inbox import InboxFilters

        with refusing():
            self._followed(None)
            return self._memoranda.read.reviews(self._context, InboxFilters(**asked))


class UrlEvidence:
    """Of a server."""

    def __init__(self, door: Asking) -> None:
        self._door = door

    def graph(self, asked: JsonObject) -> JsonObject:
        return self._door.get(f"/v1/evidence/graph{query(asked)}")

    def reviews(self, asked: JsonObject) -> JsonObject:
        return self._door.get(f"/v1/reviews{query(asked)}")
