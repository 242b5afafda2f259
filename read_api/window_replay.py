"""A window decided again on what was known then, without a model (docs/spec/bundle.md §4).

What an extractor answered, what a proposal was compared with and how far the log went stand in the
window; everything else is folded from the log up to there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from domain.bundle_events import Window, WindowRecorded, WindowResolved
from domain.bundles.concepts import ConceptState, apply_concept
from domain.bundles.reconciling import Judged, candidates, judge, resolve
from domain.bundles.sending import Sent, restored
from domain.bundles.shelved import Shelved
from domain.bundles.takeaways import TakeawayState, apply_takeaway
from domain.bundles.thresholds import THRESHOLDS
from domain.bundles.verdicts import verdict_of
from domain.bundles.wording import Wording
from domain.canonical import JsonObject
from domain.context import Context
from domain.errors import not_found
from domain.ids import WINDOW, decode_id
from domain.memory import MemoryState
from domain.memory_streams import memory_versions
from domain.ports import LogReader
from domain.recorded import RecordedEvent
from domain.visibility import Home
from read_api.extraction_replay import read_otherwise

COMPARED: Final = (
    "outcome",
    "restated",
    "concept_id",
    "claim_id",
    "covered_concept_id",
    "covered_claim_id",
    "candidates",
)
"""Members of a verdict that are computed again. The id of a new memory is random."""

Secret = Callable[[str], bytes | None]


@dataclass(slots=True)
class StreamsAtBasis:
    """`domain.bundles.shelved.Streams` as the log stood at a position."""

    log: LogReader
    workspace: str
    position: int
    compared: Sequence[str] = ()
    """What was found to be alike then: no index is asked again."""
    erased: bool = False
    """Whether something that was looked at has been erased since."""

    def concept(self, concept_id: str) -> ConceptState | None:
        """A concept of the workspace."""
        state: ConceptState | None = None
        for event in self._stream(concept_id):
            state = apply_concept(state, event)
        return state

    def takeaway(self, takeaway_id: str) -> TakeawayState | None:
        """A takeaway of the workspace."""
        state: TakeawayState | None = None
        for event in self._stream(takeaway_id):
            state = apply_takeaway(state, event)
        return state

    def memory(self, memory_id: str) -> MemoryState | None:
        """A memory of the workspace."""
        known = self._stream(memory_id)
        return memory_versions(known)[-1] if known else None

    def alike(self, _: Wording) -> Iterable[str]:
        """What the window was compared with."""
        return self.compared

    def _stream(self, stream: str) -> list[RecordedEvent]:
        events = self.log.stream(self.workspace, stream)
        self.erased |= any(event.erased for event in events)
        return [event for event in events if event.position <= self.position]


@dataclass(frozen=True, slots=True)
class WindowReplay:
    """Decides recorded windows again; `secret` is that of a workspace's ids."""

    log: LogReader
    secret: Secret
    trusted: Callable[[Context], Context]

    def replay(self, context: Context, window_id: str) -> JsonObject:
        """`{window_id, verdict, attempts}`: each attempt and resolution decided again.

        `verdict` is `identical`, `identical_except_erased` where words that were needed are gone,
        or `differs`, with the first `difference`. NOT_FOUND for what is not the caller's own.
        """
        context = self.trusted(context)
        events = self._events(context, window_id)
        secret = self.secret(context.workspace)
        if not events or secret is None:
            raise not_found("the window")
        attempts: list[JsonObject] = []
        said: Window | None = None
        for event in events:
            for fact in event.facts:
                if isinstance(fact, WindowRecorded) and fact.mode not in {"accepted", "repeated"}:
                    said = fact.payload
                    attempts.append(self._attempt(context, secret, event, said))
                elif isinstance(fact, WindowResolved):
                    attempts.append(self._resolution(context, secret, event, fact, said))
        return {
            "window_id": window_id,
            "verdict": _worst([one["verdict"] for one in attempts]),
            "attempts": attempts,
        }

    def _events(self, context: Context, window_id: str) -> list[RecordedEvent]:
        """All of a window of the caller; nothing of another's."""
        if decode_id(window_id, WINDOW) is None:
            return []
        events = self.log.stream(context.workspace, window_id)
        homes = [
            Home(fact.session, fact.visibility, fact.owner)
            for event in events[:1]
            for fact in event.facts
            if isinstance(fact, WindowRecorded)
        ]
        return events if homes and homes[0].visible_to(context.viewer) else []

    def _attempt(
        self, context: Context, secret: bytes, event: RecordedEvent, said: Window | None
    ) -> JsonObject:
        if said is None:
            return _told(event, "identical_except_erased", None)
        sent = restored(event.stream, said, context.viewer, secret)
        streams, known = self._known(context, sent, said.basis, event)
        if (unlike := read_otherwise(said)) is not None:
            return _told(event, "differs", unlike)
        for index, proposal in enumerate(sent.proposals):
            recorded = said.verdicts[index]
            if recorded.get("kept"):
                continue
            streams.compared = [one["claim_id"] for one in recorded["candidates"]]
            judged = judge(proposal, known, sent.evidence, sent.authority)
            found = _again(index, judged, recorded, known)
            known.made.note(proposal, judged, recorded["memory_id"], sent.evidence)
            if found is not None:
                return _told(event, "differs", found, erased=streams.erased)
        return _told(event, "identical", None)

    def _resolution(
        self,
        context: Context,
        secret: bytes,
        event: RecordedEvent,
        fact: WindowResolved,
        said: Window | None,
    ) -> JsonObject:
        if said is None or fact.payload is None:
            return _told(event, "identical_except_erased", None)
        sent = restored(event.stream, said, context.viewer, secret)
        streams, known = self._known(context, sent, fact.payload.basis, event)
        index, recorded = fact.payload.index, fact.payload.verdict
        judged = resolve(sent.proposals[index], known, sent.evidence, fact.payload.claim_id)
        found = None if judged is None else _again(index, judged, recorded, known)
        if judged is None:
            found = {"index": index, "field": "claim_id", "recorded": recorded, "now": None}
        if found is not None:
            return _told(event, "differs", found, erased=streams.erased)
        return _told(event, "identical", None)

    def _known(
        self, context: Context, sent: Sent, basis: JsonObject, event: RecordedEvent
    ) -> tuple[StreamsAtBasis, Shelved]:
        streams = StreamsAtBasis(self.log, context.workspace, int(basis["position"]))
        return streams, Shelved(sent.shelf, streams, event.recorded_us)


def _again(index: int, judged: Judged, recorded: JsonObject, known: Shelved) -> JsonObject | None:
    """The first member of a verdict that comes out otherwise; None where all are the same."""
    compared = candidates(judged.choice, known)
    now = verdict_of(index, judged, recorded["memory_id"], compared)
    for name in COMPARED:
        if now[name] != recorded[name]:
            return {"index": index, "field": name, "recorded": recorded[name], "now": now[name]}
    return None


def _told(
    event: RecordedEvent, verdict: str, difference: JsonObject | None, *, erased: bool = False
) -> JsonObject:
    if difference is not None and erased:
        verdict, difference = "identical_except_erased", None
    return {
        "event": event.name,
        "recorded_at": event.recorded_at,
        "verdict": verdict,
        "thresholds": THRESHOLDS.version,
        "difference": difference,
    }


def _worst(verdicts: list[str]) -> str:
    for verdict in ("differs", "identical_except_erased"):
        if verdict in verdicts:
            return verdict
    return "identical"
