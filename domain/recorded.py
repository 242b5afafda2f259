"""An event as it stands in the log, decoded."""

from __future__ import annotations

from typing import NamedTuple

from domain.envelope import EventContext
from domain.events import MemoryForgotten
from domain.instants import Micros
from domain.registry import Event


class RecordedEvent(NamedTuple):
    """One stored event: where, when and by whom, and its facts.

    A tuple, since following a log makes very many: a third of the cost of a frozen dataclass.

    `position` and `appended_us` are the store's; `recorded_at` is the text as written and
    `recorded_us` the same instant. `facts` are what the event says after upcasting, all of the
    same `version`. `erased` means that it had a payload whose key is destroyed: the facts then
    have `payload` None. `hash` is hex, `key` names the row of the key store.
    """

    position: int
    appended_us: Micros
    stream: str
    version: int
    topic: str
    recorded_at: str
    recorded_us: Micros
    context: EventContext
    facts: tuple[Event, ...]
    erased: bool
    key: str | None
    hash: str

    @property
    def name(self) -> str:
        """`<stream>@<version>`."""
        return f"{self.stream}@{self.version}"

    def without_payload(self) -> RecordedEvent:
        """The same event as one sees it after its text was forgotten."""
        return self._replace(
            facts=tuple(fact.model_copy(update={"payload": None}) for fact in self.facts),
            erased=True,
        )


def hide_forgotten(events: list[RecordedEvent]) -> list[RecordedEvent]:
    """Take the payload from the versions that a `forget` of scope `event` covers.

    A version's text lives on in later versions that keep it, so a fold must not see it at all
    (spec/policy.md §2.5, scope event).
    """
    covered = {
        version
        for event in events
        for fact in event.facts
        if isinstance(fact, MemoryForgotten) and fact.scope == "event"
        for stream, version in fact.targets or ()
        if stream == event.stream
    }
    if not covered:
        return events
    return [event.without_payload() if event.version in covered else event for event in events]
