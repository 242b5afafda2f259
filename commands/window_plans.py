"""The plans of windows: decided in the engine's turn, effects and receipt in one transaction.

A window is matched while it has the turn, so that it sees every window before it. Other processes
are kept apart by a guard that each window of a shelf claims: who comes second decides again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from commands.window_citations import owed, repeated
from commands.window_facts import Effects
from commands.window_shelf import SimilarMemories, StreamsInView
from commands.working import View
from domain.bundle_events import Resolution, WindowMode, WindowRecorded, WindowResolved
from domain.bundles.reconciling import candidates, judge, resolve
from domain.bundles.sending import Sent
from domain.bundles.shelved import Shelved
from domain.bundles.thresholds import THRESHOLDS
from domain.bundles.verdicts import verdict_of
from domain.bundles.window_body import ProposalBody
from domain.bundles.windows import WindowState, result_of
from domain.canonical import JsonObject
from domain.decisions import Decision, Fact
from domain.errors import Code, MemorandaError, not_found
from domain.event_bases import Target
from domain.events import IdentityClaimed

OVERTAKEN: Final = "WINDOW_OVERTAKEN"
"""The reason of a refusal after which the window is looked at again."""


def overtaken() -> MemorandaError:
    """The window was recorded by another process meanwhile: nobody outside sees this."""
    return MemorandaError(
        Code.VERSION_CONFLICT, "the window has changed: send it again", reason=OVERTAKEN
    )


@dataclass(frozen=True, slots=True)
class _Turn:
    """A window that is decided: what is known, and what comes of it."""

    sent: Sent
    streams: StreamsInView
    known: Shelved
    effects: Effects

    @classmethod
    def taken(
        cls, view: View, d: Decision, sent: Sent, similar: SimilarMemories, seen: int
    ) -> _Turn:
        """The turn of a window at the version that was looked at; OVERTAKEN at another one."""
        version = version_of(view, sent.id)
        if version != seen:
            raise overtaken()
        position = similar.prepare(d.context.workspace)
        streams = StreamsInView(view, d.context, sent.shelf, similar, position)
        known = Shelved(sent.shelf, streams, d.now_us)
        return cls(sent, streams, known, Effects(d, sent, known, view, version + 1))

    @property
    def position(self) -> int:
        """How far what was decided had seen the log."""
        return self.streams.position

    def ended(self, window: Fact) -> list[Fact]:
        """All facts. Who changes a shelf claims its turn; a window that changed nothing does not
        stand in anybody's way.
        """
        facts = self.effects.facts
        claim = Fact(self.sent.shelf.turn(), IdentityClaimed(target_id=self.sent.id))
        return [*facts, window, *([claim] if facts else [])]


@dataclass(frozen=True, slots=True)
class ProcessPlan:
    """Judge every proposal of a window that has no result yet, and do what comes out.

    `seen` is the version of the window that the caller has looked at.
    """

    sent: Sent
    similar: SimilarMemories
    seen: int

    def needs(self, view: View) -> set[str]:
        return view.missing([self.sent.id, self.sent.shelf.turn()])

    def decide(self, view: View, d: Decision) -> list[Fact]:
        sent = self.sent
        turn = _Turn.taken(view, d, sent, self.similar, self.seen)
        known, effects = turn.known, turn.effects
        before = view.window(sent.id)
        verdicts = [
            _kept(before, index) or _judged(sent, index, proposal, known, effects)
            for index, proposal in enumerate(sent.proposals)
        ]
        mode = result_of([one["outcome"] for one in verdicts])
        judged = zip(sent.proposals, verdicts, strict=True)
        effects.facts += owed(view, d, sent, before, judged, effects.memories)
        memories = {**_spoken_of(before), **effects.memories}
        window = recorded(d, sent, mode, memories, verdicts, turn.position)
        return turn.ended(window)

    def committed(self, facts: list[Fact], _: View) -> tuple[str, int]:
        return self.sent.id, self.seen + 1


@dataclass(frozen=True, slots=True)
class RepeatPlan:
    """The content of a window again, as another part of the session: a citation more of each.

    One that waits for its extractor has them when it is decided.
    """

    sent: Sent
    seen: int

    def needs(self, view: View) -> set[str]:
        return view.missing([self.sent.id])

    def decide(self, view: View, d: Decision) -> list[Fact]:
        sent = self.sent
        state = view.window(sent.id)
        if state is None or version_of(view, sent.id) != self.seen:
            raise overtaken()
        this = (sent.id, self.seen + 1)
        facts = [
            fact
            for judged in zip(sent.proposals, state.verdicts or (), strict=False)
            for fact in repeated(view, d, sent, judged, this, {})
        ]
        verdicts = list(state.verdicts or ())
        position = state.decided.said.basis["position"] if state.decided.said else 0
        window = recorded(d, sent, "repeated", _spoken_of(state), verdicts, position)
        return [*facts, window]

    def committed(self, facts: list[Fact], _: View) -> tuple[str, int]:
        return self.sent.id, self.seen + 1


@dataclass(frozen=True, slots=True)
class ResolvePlan:
    """Do with an ambiguous proposal what the window's owner says; `takeaway` None: a new one."""

    sent: Sent
    similar: SimilarMemories
    seen: int
    index: int
    takeaway: str | None

    def needs(self, view: View) -> set[str]:
        return view.missing([self.sent.id, self.sent.shelf.turn()])

    def decide(self, view: View, d: Decision) -> list[Fact]:
        sent = self.sent
        turn = _Turn.taken(view, d, sent, self.similar, self.seen)
        known, effects = turn.known, turn.effects
        proposal = sent.proposals[self.index]
        judged = resolve(proposal, known, sent.evidence, self.takeaway)
        if judged is None:
            raise not_found("the claim", field="claim_id", reason="TARGET_NOT_FOUND")
        verdict = verdict_of(self.index, judged, effects.carry_out(proposal, judged), [])
        before = view.window(sent.id)
        effects.facts += owed(view, d, sent, before, [(proposal, verdict)], effects.memories)
        resolved = WindowResolved(
            session=d.context.session,
            visibility="private",
            owner=d.context.actor,
            targets=list(effects.memories.items()),
            payload=Resolution(
                index=self.index,
                claim_id=self.takeaway,
                basis={"position": turn.position, "thresholds": THRESHOLDS.version},
                verdict=verdict,
            ),
        )
        return turn.ended(Fact(sent.id, resolved))

    def committed(self, facts: list[Fact], _: View) -> tuple[str, int]:
        return self.sent.id, self.seen + 1


def recorded(
    d: Decision,
    sent: Sent,
    mode: WindowMode,
    memories: Mapping[str, int],
    verdicts: list[JsonObject],
    position: int,
) -> Fact:
    """The window as it is stored, with what came out of it."""
    said = WindowRecorded(
        session=d.context.session,
        visibility="private",
        owner=d.context.actor,
        mode=mode,
        targets=list(memories.items()),
        counts={
            "events": len(sent.events),
            "proposals": len(sent.proposals),
            "redactions": sum(sent.redactions.values()),
        },
        payload=sent.recorded(verdicts, position),
    )
    return Fact(sent.id, said)


def _judged(
    sent: Sent, index: int, proposal: ProposalBody, known: Shelved, effects: Effects
) -> JsonObject:
    judged = judge(proposal, known, sent.evidence, sent.authority)
    compared = candidates(judged.choice, known)
    return verdict_of(index, judged, effects.carry_out(proposal, judged), compared)


def _kept(before: WindowState | None, index: int) -> JsonObject | None:
    """What an earlier attempt has done is not done twice: its verdict stands."""
    verdicts = () if before is None or before.verdicts is None else before.verdicts
    if index >= len(verdicts) or verdicts[index]["outcome"] not in {"applied", "skipped_conflict"}:
        return None
    return {**verdicts[index], "kept": True}


def _spoken_of(before: WindowState | None) -> dict[str, int]:
    """The memories that earlier attempts of a window speak of: erased with one, so is this."""
    targets: Sequence[Target] = () if before is None else before.decided.targets
    return dict(targets)


def version_of(view: View, stream: str) -> int:
    """The version of a stream; 0 where there is none."""
    aggregate = view.working.get(stream)
    return 0 if aggregate is None else aggregate.version
