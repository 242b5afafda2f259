"""What a window can match, as the engine sees it (`domain.bundles.shelved`).

A takeaway is found from a memory that is alike (docs/spec/bundle.md, Rule), never the other way
round; memories are found by the recall index, and by the guard of their wording.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from commands.working import View
from domain.bundles.concepts import ConceptState
from domain.bundles.identity import Shelf
from domain.bundles.takeaways import TakeawayState
from domain.bundles.wording import Wording
from domain.context import Context
from domain.memory import MemoryState
from domain.references import TAKEAWAY


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
class StreamsInView:
    """`domain.bundles.shelved.Streams` of a batch; `position` is how far the index had seen."""

    view: View
    context: Context
    shelf: Shelf
    similar: SimilarMemories
    position: int

    def concept(self, concept_id: str) -> ConceptState | None:
        """A concept of the workspace."""
        self.view.working.require([concept_id])
        return self.view.concept(concept_id)

    def takeaway(self, takeaway_id: str) -> TakeawayState | None:
        """A takeaway of the workspace."""
        self.view.working.require([takeaway_id])
        return self.view.takeaway(takeaway_id)

    def memory(self, memory_id: str) -> MemoryState | None:
        """A memory of the workspace."""
        self.view.working.require([memory_id])
        return self.view.memory(memory_id)

    def alike(self, wording: Wording) -> Iterable[str]:
        """The takeaways whose memories are alike, and the one that says just this.

        What will be looked at of them is loaded at once: three statements, however many they are.
        """
        memories, position = self.similar.alike(self.context, self.shelf.repo, wording)
        self.position = max(self.position, position)
        ids = self.view.references_to(TAKEAWAY, memories)
        guard = self.shelf.wording_guard(wording)
        self.view.working.require([guard, *ids, *memories])
        found = (self.view.takeaway(one) for one in ids)
        self.view.working.require({one.concept_id for one in found if one is not None})
        holder = self.view.holder(guard)
        return ids if holder is None else dict.fromkeys([*ids, holder])
