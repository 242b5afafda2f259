"""What is on a shelf: the one place where it is judged what a window may see. Pure.

`domain.bundles.reconciling.Known` over whatever holds the streams: the engine while it decides, or
the log as it stood when a window was decided.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from domain.bundles.concepts import ConceptState
from domain.bundles.identity import Shelf
from domain.bundles.made import Made
from domain.bundles.reconciling import Standing
from domain.bundles.takeaways import TakeawayState
from domain.bundles.wording import Wording
from domain.ids import CLAIM, CONCEPT, decode_id
from domain.instants import Micros
from domain.memory import MemoryState
from domain.visibility import Home


class Streams(Protocol):
    """Where states are found. Ids that are no ids of ours are not asked for."""

    def concept(self, concept_id: str) -> ConceptState | None:
        """A concept of the workspace, whoever's it is."""
        ...

    def takeaway(self, takeaway_id: str) -> TakeawayState | None:
        """A takeaway of the workspace, whoever's it is."""
        ...

    def memory(self, memory_id: str) -> MemoryState | None:
        """A memory of the workspace, whoever's it is."""
        ...

    def alike(self, wording: Wording) -> Iterable[str]:
        """The ids of takeaways that may be about the same."""
        ...


@dataclass(slots=True)
class Shelved:
    """The takeaways of one owner in one repository, and what a window makes of them.

    What the window itself has made so far comes first: later proposals of it see that.
    """

    shelf: Shelf
    streams: Streams
    now_us: Micros
    made: Made = field(default_factory=Made)

    def has_concept(self, concept_id: str) -> bool:
        """Whether the owner has such a concept in this repository."""
        if concept_id in self.made.opened:
            return True
        if decode_id(concept_id, CONCEPT) is None:
            return False
        state = self.streams.concept(concept_id)
        if state is None or state.said is None or not self._own(state.home):
            return False
        return state.said.repo_identifier == self.shelf.repo

    def takeaway(self, takeaway_id: str) -> Standing | None:
        """One takeaway of the owner in this repository."""
        if takeaway_id in self.made.takeaways:
            return self.made.takeaways[takeaway_id]
        state = self.state(takeaway_id)
        return None if state is None else self._standing(state)

    def state(self, takeaway_id: str) -> TakeawayState | None:
        """A takeaway as its stream says it, without what this window makes of it."""
        if decode_id(takeaway_id, CLAIM) is None:
            return None
        state = self.streams.takeaway(takeaway_id)
        if state is None or not self._own(state.home) or not self.has_concept(state.concept_id):
            return None
        return state

    def alike(self, wording: Wording) -> list[Standing]:
        """The active takeaways that may be about the same, and those that the window has made."""
        ids = dict.fromkeys([*self.streams.alike(wording), *self.made.takeaways])
        standing = (self.takeaway(one) for one in ids)
        return [one for one in standing if one is not None and one.active]

    def concept_id(self, concept_type: str, title: str) -> str:
        """The id of the concept of a type and a title."""
        return self.shelf.concept_id(concept_type, title)

    def takeaway_id(self, concept_id: str, wording: Wording) -> str:
        """The id of the takeaway that a wording would begin."""
        return self.shelf.takeaway_id(concept_id, wording)

    def _own(self, home: Home) -> bool:
        viewer = self.shelf.viewer
        return home.owner == viewer.actor and home.visible_to(viewer)

    def _standing(self, state: TakeawayState) -> Standing:
        now, said = state.now, state.now.said
        memory = self.streams.memory(now.memory_id)
        return Standing(
            id=state.id,
            concept_id=state.concept_id,
            memory_id=now.memory_id,
            wording=None if said is None else Wording(said.rule, said.scope),
            evidence=state.evidence,
            active=memory is not None and memory.recallable(self.now_us),
        )
