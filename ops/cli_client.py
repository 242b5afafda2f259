"""Two doors to a memory: a store that is opened in this process, and a server by its URL.

Behind both is the same contract, so a command does not know which one it has.
"""

from __future__ import annotations

from typing import Protocol

from domain.canonical import Json, JsonObject
from domain.events import SettingsChange
from ops.cli_bundle_doors import BundleDoor, LocalBundles
from ops.cli_claim_doors import ClaimDoor, LocalClaims
from ops.cli_doors import Local
from ops.cli_errors import refusing
from ops.cli_evidence_doors import EvidenceDoor, LocalEvidence
from ops.cli_proposal_doors import LocalProposals, ProposalDoor


class Door(Protocol):
    """What commands ask of a memory. Both raise RefusedError for what is refused."""

    @property
    def claims(self) -> ClaimDoor:
        """Claims and what is decided about them."""
        ...

    @property
    def bundles(self) -> BundleDoor:
        """What windows of agents' sessions came to."""
        ...

    @property
    def evidence(self) -> EvidenceDoor:
        """What is around a memory, and what waits for a person."""
        ...

    @property
    def proposals(self) -> ProposalDoor:
        """Proposals to consolidate, and duplicates."""
        ...

    def execute(self, envelope: JsonObject) -> JsonObject:
        """One operation of the contract: the envelope in, the whole body of the answer out."""
        ...

    def events(self, after: int, limit: int) -> JsonObject:
        """Stored events after a position: `{events, next_after, position}`."""
        ...

    def why_not(self, recall_id: str, memory_id: str) -> JsonObject:
        """Why a memory was no item of a recall: `read_api.verdicts.Verdict.wire`."""
        ...

    def slot(self, name: str, asked: JsonObject) -> JsonObject:
        """What is known about a slot; `asked` are members of `SlotQuestion`."""
        ...

    def slot_history(self, name: str, asked: JsonObject) -> JsonObject:
        """What changed the answer about a slot; `asked` are members of `HistoryQuestion`."""
        ...

    def slots(self, asked: JsonObject) -> JsonObject:
        """A page of slots; `asked` are members of `SlotFilters`."""
        ...

    def replay(self, recall_id: str) -> JsonObject:
        """A recall held against itself: `read_api.replay.Replay.answer`."""
        ...

    def memory(self, memory_id: str, version: int | None = None) -> JsonObject:
        """A memory as it stands, or at a version."""
        ...

    def window(self, body: JsonObject) -> JsonObject:
        """The answer to a window of a session that is recorded, also where a proposal failed."""
        ...

    def settings(self, change: JsonObject | None = None) -> JsonObject:
        """The settings of the workspace, after what is to be changed of them."""
        ...

    def policies(self) -> JsonObject:
        """The validation policies of the workspace, without their definitions."""
        ...

    def policy(self, name: str) -> JsonObject:
        """A validation policy."""
        ...

    def define_policy(self, name: str, definition: Json) -> JsonObject:
        """A validation policy, after it was defined."""
        ...

    def retire_policy(self, name: str, reason: str) -> JsonObject:
        """A validation policy, after it was retired."""
        ...


class LocalDoor(Local):
    """The store of a data folder or a database, opened in this process."""

    @property
    def claims(self) -> ClaimDoor:
        return LocalClaims(self._memoranda, self._context)

    @property
    def bundles(self) -> BundleDoor:
        return LocalBundles(self._memoranda, self._context)

    @property
    def evidence(self) -> EvidenceDoor:
        return LocalEvidence(self._memoranda, self._context)

    @property
    def proposals(self) -> ProposalDoor:
        return LocalProposals(self._memoranda, self._context)

    def execute(self, envelope: JsonObject) -> JsonObject:
        with refusing():
            return self._memoranda.execute(self._context, envelope)

    def events(self, after: int, limit: int) -> JsonObject:
        with refusing():
            return self._memoranda.read.events(self._context, after, limit)

    def why_not(self, recall_id: str, memory_id: str) -> JsonObject:
        with refusing():
            return self._memoranda.why_not.answer(self._context, recall_id, memory_id)

    def slot(self, name: str, asked: JsonObject) -> JsonObject:
        from read_api.slot_questions import SlotQuestion

        with refusing():
            question = SlotQuestion(**asked)
            self._followed(question.min_position)
            return self._memoranda.read.slot(self._context, name, question)

    def slot_history(self, name: str, asked: JsonObject) -> JsonObject:
        from read_api.slot_questions import HistoryQuestion

        with refusing():
            question = HistoryQuestion(**asked)
            self._followed(question.min_position)
            return self._memoranda.read.slot_history(self._context, name, question)

    def slots(self, asked: JsonObject) -> JsonObject:
        from read_api.slot_questions import SlotFilters

        with refusing():
            filters = SlotFilters(**asked)
            self._followed(filters.min_position)
            return self._memoranda.read.slots(self._context, filters)

    def memory(self, memory_id: str, version: int | None = None) -> JsonObject:
        with refusing():
            self._followed(None)
            return self._memoranda.read.memory(self._context, memory_id, version).body

    def window(self, body: JsonObject) -> JsonObject:
        with refusing():
            return self._memoranda.windows.submit(self._context, body)

    def replay(self, recall_id: str) -> JsonObject:
        with refusing():
            return self._memoranda.replay.answer(self._context, recall_id)

    def settings(self, change: JsonObject | None = None) -> JsonObject:
        book = self._memoranda.settings
        with refusing():
            if change is None:
                return book.read(self._context.workspace).as_json()
            return book.change(self._context, SettingsChange(**change)).as_json()

    def policies(self) -> JsonObject:
        with refusing():
            return self._memoranda.policies.read(self._context.workspace).as_json()

    def policy(self, name: str) -> JsonObject:
        with refusing():
            known = self._memoranda.policies.read(self._context.workspace)
            return known.get(name, "name").as_json()

    def define_policy(self, name: str, definition: Json) -> JsonObject:
        with refusing():
            return self._memoranda.policies.define(self._context, name, definition).as_json()

    def retire_policy(self, name: str, reason: str) -> JsonObject:
        with refusing():
            return self._memoranda.policies.retire(self._context, name, reason).as_json()
