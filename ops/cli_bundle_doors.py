"""Bundles behind both doors: of a store in this process, and of a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from domain.canonical import JsonObject
from ops.cli_doors import Asking, Local
from ops.cli_errors import refusing
from ops.cli_paths import query, step

if TYPE_CHECKING:
    from domain.context import Context


class BundleDoor(Protocol):
    """What commands ask; bodies are those of the routes. Raises RefusedError."""

    def concepts(self, asked: JsonObject) -> JsonObject:
        """A page of one's own concepts; `asked` are members of `ConceptFilters`."""
        ...

    def concept(self, concept_id: str) -> JsonObject:
        """A concept with its claims."""
        ...

    def claim(self, claim_id: str) -> JsonObject:
        """A claim with its history and its citations."""
        ...

    def window(self, window_id: str) -> JsonObject:
        """A window with its attempts and outcomes."""
        ...

    def completeness(self, asked: JsonObject) -> JsonObject:
        """What became of windows; `asked` are members of `CompletenessQuestion`."""
        ...

    def resolve(self, window_id: str, index: int, claim_id: str) -> JsonObject:
        """Decide about an ambiguous proposal: the window's answer."""
        ...


class LocalBundles(Local):
    """Of a store in this process."""

    def concepts(self, asked: JsonObject) -> JsonObject:
        from read_api.bundle_questions import ConceptFilters

        with refusing():
            self._followed(None)
            return self._memoranda.read.bundles.concepts(self._context, ConceptFilters(**asked))

    def concept(self, concept_id: str) -> JsonObject:
        return self._one(self._memoranda.read.bundles.concept, concept_id)

    def claim(self, claim_id: str) -> JsonObject:
        return self._one(self._memoranda.read.bundles.claim, claim_id)

    def window(self, window_id: str) -> JsonObject:
        return self._one(self._memoranda.read.bundles.window, window_id)

    def completeness(self, asked: JsonObject) -> JsonObject:
        from read_api.bundle_questions import CompletenessQuestion

        with refusing():
            self._followed(None)
            return self._memoranda.read.bundles.completeness(
                self._context, CompletenessQuestion(**asked)
            )

    def resolve(self, window_id: str, index: int, claim_id: str) -> JsonObject:
        with refusing():
            return self._memoranda.windows.resolve(self._context, window_id, index, claim_id)

    def _one(self, ask: Callable[[Context, str], JsonObject], name: str) -> JsonObject:
        with refusing():
            self._followed(None)
            return ask(self._context, name)


class UrlBundles:
    """Of a server."""

    def __init__(self, door: Asking) -> None:
        self._door = door

    def concepts(self, asked: JsonObject) -> JsonObject:
        return self._door.get(f"/v1/bundles/concepts{query(asked)}")

    def concept(self, concept_id: str) -> JsonObject:
        return self._door.get(f"/v1/bundles/concepts/{step(concept_id)}")

    def claim(self, claim_id: str) -> JsonObject:
        return self._door.get(f"/v1/bundles/claims/{step(claim_id)}")

    def window(self, window_id: str) -> JsonObject:
        return self._door.get(f"/v1/bundles/windows/{step(window_id)}")

    def completeness(self, asked: JsonObject) -> JsonObject:
        return self._door.get(f"/v1/bundles/completeness{query(asked)}")

    def resolve(self, window_id: str, index: int, claim_id: str) -> JsonObject:
        path = f"/v1/agent-sessions/windows/{step(window_id)}/resolve"
        return self._door.about_window(path, {"index": index, "claim_id": claim_id})
