"""What a window can match, as the engine sees it: what is its owner's in its repository.

A takeaway is found from a memory that is alike (docs/spec/bundle.md, Rule), never the other way
round; memories are found by the recall index, and by the guard of their wording.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from commands.working import View
from domain.bundles.identity import Shelf
from domain.bundles.made import Made
from domain.bundles.reconciling import Standing
from domain.bundles.takeaways import TakeawayState
from domain.bundles.wording import Wording
from domain.context import Context
from domain.ids import CLAIM, CONCEPT, decode_id
from domain.instants import Micros
from domain.references import TAKEAWAY
from domain.visibility import Home


class SimilarMemories(Protocol):
    """The recall index, asked for private memories of one repository; the read side has it."""

    def prepare(self, workspace: str) -> int:
        """Bring the index up to the log before a turn is taken; how far it sees then.

        OVERLOADED where it stays behind.
        """
        ...

    def alike(
        self, context: Context, repo: str | None, wording: Wording
    ) -> tuple[Sequence[str], int]:
        """The caller's own active private memories of a repository that share words, best first,
        and how far the index had seen. OVERLOADED as above.
        """
        ...


@dataclass(slots=True)
class ShelfInView:
    """`domain.bundles.reconciling.Known` over the streams of a batch.

    What the window itself has made so far comes first: later proposals of it see that.
    """

    view: View
    context: Context
    shelf: Shelf
    similar: SimilarMemories
    now_us: Micros
    position: int = 0
    made: Made = field(default_factory=Made)

    def has_concept(self, concept_id: str) -> bool:
        """Whether the owner has such a concept in this repository."""
        if concept_id in self.made.opened:
            return True
        if decode_id(concept_id, CONCEPT) is None:
            return False
        self.view.working.require([concept_id])
        state = self.view.concept(concept_id)
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
        self.view.working.require([takeaway_id])
        state = self.view.takeaway(takeaway_id)
        if state is None or not self._own(state.home) or not self.has_concept(state.concept_id):
            return None
        return state

    def alike(self, wording: Wording) -> list[Standing]:
        """The takeaways whose memories are alike, and those that this window has made."""
        memories, position = self.similar.alike(self.context, self.shelf.repo, wording)
        self.position = max(self.position, position)
        ids = dict.fromkeys(
            stream for memory in memories for stream, _ in self.view.references(TAKEAWAY, memory)
        )
        guard = self.shelf.wording_guard(wording)
        self.view.working.require([guard, *ids])
        holder = self.view.holder(guard)
        ids.update({} if holder is None else {holder: None})
        ids.update(dict.fromkeys(self.made.takeaways))
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
        now = state.now
        self.view.working.require([now.memory_id])
        memory = self.view.memory(now.memory_id)
        said = now.said
        return Standing(
            id=state.id,
            concept_id=state.concept_id,
            memory_id=now.memory_id,
            wording=None if said is None else Wording(said.rule, said.scope),
            evidence=state.evidence,
            active=memory is not None and memory.recallable(self.now_us),
        )
