"""What a forget does after its commit: carry out its erasure, and say what is left.

The advice is no part of the stored answer, and absent when a command is replayed (design.md §3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from commands.erasure import Eraser
from commands.jobs import Outcome, Verdict
from domain.canonical import JsonObject
from domain.context import Context
from domain.contract import ForgetInput
from domain.erasure import OUT_OF_REACH, STAYS, STAYS_AFTER_TOMBSTONE, Step
from domain.errors import Code, MemorandaError
from domain.ids import ERASURE, MEMORY
from domain.memory_streams import fold_memory
from domain.ports import DerivedMemories, LogReader
from domain.requests import Request

WAIT_SECONDS: Final = 5.0
"""How long a caller waits for its erasure, which goes on if that is not enough."""
LISTED_MAX: Final = 100


@dataclass(slots=True)
class Forgetting:
    """The forgets of one group of commands."""

    eraser: Eraser
    log: LogReader
    derived: DerivedMemories | None
    _steps: dict[str, Step] = field(default_factory=dict)

    def carry_out(
        self, commands: Sequence[tuple[Context, Request]], verdicts: Sequence[Verdict]
    ) -> dict[int, MemorandaError]:
        """Carry out all erasures that were asked for, together; the refusals, by command.

        An erasure whose keys are not destroyed yet is a refusal: nobody is told that a text is
        gone while it can be read. It goes on, and the same command under the same key is answered
        when it has.
        """
        wanted = {
            at: found
            for at, ((context, request), verdict) in enumerate(zip(commands, verdicts, strict=True))
            if (found := self._erasures(context, request, verdict))
        }
        everything = [one for found in wanted.values() for one in found]
        self._steps = self.eraser.carry_out(everything, WAIT_SECONDS)
        return {
            at: _not_destroyed()
            for at, found in wanted.items()
            if any(self._steps[stream] == "requested" for _, stream in found)
        }

    def _erasures(
        self, context: Context, request: Request, verdict: Verdict
    ) -> list[tuple[str, str]]:
        said = request.input
        if isinstance(verdict, MemorandaError) or not isinstance(said, ForgetInput):
            return []
        if said.mode != "application_delete":
            return []
        if verdict.replayed:
            return self.eraser.unfinished(context.workspace, said.memory_id)
        return [(context.workspace, stream) for stream in _streams(verdict, ERASURE)]

    def advice(self, context: Context, said: ForgetInput, outcome: Outcome) -> JsonObject:
        """The member `erasure` of the answer: what stays, what is out of reach, what to look at.

        None for an expiry, which forgets nothing.
        """
        if said.mode == "expire":
            return {}
        forgotten = _streams(outcome, MEMORY)
        advice: JsonObject = {}
        stays: Sequence[str] = STAYS_AFTER_TOMBSTONE
        if said.mode == "application_delete":
            steps = [self._steps[stream] for stream in _streams(outcome, ERASURE)]
            advice["completed"] = all(step == "completed" for step in steps)
            stays = STAYS
        advice["stays"] = list(stays)
        advice["out_of_reach"] = list(OUT_OF_REACH)
        advice.update(_listed("derived", self._derived(context, forgotten, outcome.position)))
        advice.update(_listed("originals", self._originals(context, forgotten)))
        return {"erasure": advice}

    def _derived(
        self, context: Context, forgotten: Sequence[str], position: int
    ) -> list[str] | None:
        return None if self.derived is None else self.derived(context, forgotten, position)

    def _originals(self, context: Context, forgotten: Sequence[str]) -> list[str]:
        """The memories that were superseded by forgotten ones; their texts are still there."""
        streams = {
            stream
            for memory in forgotten
            for stream, _ in self.log.references(context.workspace, "supersedes", memory)
        }
        folded = map(fold_memory, self.log.streams(context.workspace, sorted(streams)).values())
        return sorted(
            state.id
            for state in folded
            if state is not None and state.addressable_by(context.viewer)
        )


def _streams(outcome: Outcome, prefix: str) -> list[str]:
    return [stream for stream in outcome.states if stream.startswith(prefix)]


def _listed(name: str, ids: Sequence[str] | None) -> JsonObject:
    """At most `LISTED_MAX` ids, and how many more there are; null where it is not known."""
    if ids is None:
        return {name: None}
    more = {f"more_{name}": len(ids) - LISTED_MAX} if len(ids) > LISTED_MAX else {}
    return {name: list(ids[:LISTED_MAX]), **more}


def _not_destroyed() -> MemorandaError:
    return MemorandaError(
        Code.DURABILITY_FAILED,
        "the memory is forgotten, but its keys could not be destroyed yet, so that its text could "
        "still be read from the files. This goes on by itself: send the same command again with "
        "the same idempotency_key to learn when it is done",
        retry_after=1,
    )
