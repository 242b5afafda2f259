"""Proposals behind both doors: of a store in this process, and of a server."""

from __future__ import annotations

from typing import Protocol

from domain.canonical import JsonObject
from ops.cli_doors import Asking, Local
from ops.cli_errors import refusing
from ops.cli_paths import query, step


class ProposalDoor(Protocol):
    """What commands ask; bodies are those of the routes. Raises RefusedError."""

    def page(self, asked: JsonObject) -> JsonObject:
        """A page of proposals; `asked` are members of `ProposalFilters`."""
        ...

    def suggestions(self, asked: JsonObject) -> JsonObject:
        """A page of duplicates; `asked` are members of `SuggestionFilters`."""
        ...

    def replay(self, proposal_id: str) -> JsonObject:
        """A proposal held against itself: `read_api.proposal_replay.ProposalReplay.replay`."""
        ...

    def reject(self, proposal_id: str, reason: str, key: str) -> JsonObject:
        """Decide against a proposal, once under an idempotency key."""
        ...


class LocalProposals(Local):
    """Of a store in this process."""

    def page(self, asked: JsonObject) -> JsonObject:
        from read_api.proposals import ProposalFilters

        with refusing():
            self._followed(None)
            return self._memoranda.read.proposals(self._context, ProposalFilters(**asked))

    def suggestions(self, asked: JsonObject) -> JsonObject:
        from read_api.duplicates import SuggestionFilters

        with refusing():
            self._followed(None)
            return self._memoranda.read.suggestions(self._context, SuggestionFilters(**asked))

    def replay(self, proposal_id: str) -> JsonObject:
        with refusing():
            return self._memoranda.read.proposal_replay(self._context, proposal_id)

    def reject(self, proposal_id: str, reason: str, key: str) -> JsonObject:
        with refusing():
            return self._memoranda.reject_proposal(self._context, proposal_id, reason, key)


class UrlProposals:
    """Of a server."""

    def __init__(self, door: Asking) -> None:
        self._door = door

    def page(self, asked: JsonObject) -> JsonObject:
        return self._door.get(f"/v1/proposals{query(asked)}")

    def suggestions(self, asked: JsonObject) -> JsonObject:
        return self._door.get(f"/v1/proposals/suggestions{query(asked)}")

    def replay(self, proposal_id: str) -> JsonObject:
        return self._door.get(f"/v1/proposals/{step(proposal_id)}/replay")

    def reject(self, proposal_id: str, reason: str, key: str) -> JsonObject:
        path = f"/v1/proposals/{step(proposal_id)}/reject"
        return self._door.post(path, {"reason": reason}, key)
