"""A window that waits is given to its extractor, and decided on what comes back.

Nobody is asked twice for one window unless two processes ask at once: then the answer that is
recorded first stands. A process that dies leaves the window waiting, as the log says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from commands.plans import Plan
from commands.waiting_plans import UnreadPlan
from commands.window_plans import ProcessPlan
from commands.windows import TRIES_MAX, Windows, too_many
from domain.bundle_events import WindowRecorded
from domain.bundles.evidence import CanonicalEvent
from domain.bundles.extracting import Extracted, Unread, proposals_of
from domain.bundles.sending import Sent, restored
from domain.bundles.windows import WindowState
from domain.context import Context
from domain.recorded import RecordedEvent

_PERMISSIONS: Final = frozenset({"read", "write"})


class Extractor(Protocol):
    """Whoever reads the evidence of a window and proposes takeaways."""

    def propose(self, events: Sequence[CanonicalEvent]) -> Extracted:
        """What came of it, for good; an exception leaves the window waiting for another time."""
        ...


@dataclass(frozen=True, slots=True)
class Extracting:
    """Has waiting windows extracted, each in the name of who sent it."""

    windows: Windows
    extractor: Extractor

    def extract(self, workspace: str, window_id: str) -> None:
        """Ask the extractor about one window, and decide it; nothing for one that waits no more."""
        waits = _last_waiting(self.windows.log.stream(workspace, window_id))
        if waits is None:
            return
        context = self.windows.trusted(_context(waits))
        state = self.windows.state(context, window_id)
        if state is None or not _waits(state, waits.version):
            return
        said = state.decided.said
        if said is None:
            return
        secrets = self.windows.keys.ensure_workspace(workspace)
        window = restored(window_id, said, context.viewer, secrets.ids)
        extracted = self.extractor.propose(window.events)
        self._decide(context, window, waits.version, extracted)

    def _decide(self, context: Context, window: Sent, waited: int, extracted: Extracted) -> None:
        """`waited` is the version of the window that was extracted."""
        found = proposals_of(extracted)
        proposals = () if isinstance(found, Unread) else found
        window = window.with_proposals(proposals, extracted.author)
        windows = self.windows
        windows.similar.prepare(context.workspace)
        with windows.turns.of(window.shelf.turn()):
            for _ in range(TRIES_MAX):
                state = windows.state(context, window.id)
                if state is None or not _waits(state, waited):
                    return
                plan: Plan = (
                    UnreadPlan(window, state.version, found)
                    if isinstance(found, Unread)
                    else ProcessPlan(window, windows.similar, state.version)
                )
                if windows.done(context, plan):
                    return
        raise too_many()


def _last_waiting(events: Sequence[RecordedEvent]) -> RecordedEvent | None:
    """The event since which a window waits, if it was ever put off."""
    for event in reversed(events):
        for fact in event.facts:
            if isinstance(fact, WindowRecorded) and fact.mode == "accepted":
                return event
    return None


def _waits(state: WindowState, version: int) -> bool:
    """Whether the window still waits since that version."""
    return state.mode == "accepted" and state.decided.version == version


def _context(event: RecordedEvent) -> Context:
    """Who sent the window; what is done for it later is done by them."""
    said = event.context
    return Context(
        workspace=said.workspace,
        actor=said.actor,
        session=said.session,
        permissions=_PERMISSIONS,
        request_id=said.request,
        agent=said.agent,
        trace=said.trace,
    )
