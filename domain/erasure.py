"""An erasure: what it covers, how far it has come, and what it says about what is left. Pure.

Its stream begins with the request, in the transaction of the forget, and ends with
`erasure.completed`. In between stands one event for each step that was done (spec/policy.md §3.3).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, get_args

from domain.envelope import EventContext
from domain.event_bases import Target
from domain.events import Completion, ErasureCompleted, ErasureStep, ForgetScope
from domain.recorded import RecordedEvent

Step: TypeAlias = Literal[
    "requested",
    "keys_destroyed",
    "views_cleared",
    "caches_cleared",
    "questions_destroyed",
    "completed",
]
STEPS: Final[tuple[Step, ...]] = get_args(Step)
"""In the order in which they are done."""

STAYS: Final = (
    "structure",
    "forget_reasons",
    "idempotency_keys",
    "keyed_hashes",
    "relationships",
    "other_memories",
    "questions_that_did_not_find_it",
)
"""What stays readable in the store after an erasure; docs/trust.md explains each word."""

OUT_OF_REACH: Final = (
    "answers_given",
    "exports_and_backups",
    "import_files",
    "embeddings_elsewhere",
    "logs_of_clients",
    "old_blocks_of_the_disk",
)
"""Where no step of an erasure gets to."""

STAYS_AFTER_TOMBSTONE: Final = ("content", "questions", *STAYS[:-1])
"""A tombstone destroys nothing: the content stays sealed in the log, for audits."""


@dataclass(frozen=True, slots=True)
class ErasureState:
    """An erasure after some of its steps.

    `targets` by memory id: the one version that is erased where the scope is `event`, else the
    last one. `requested_at` is the position of the request, `counts` what the steps have counted.
    """

    id: str
    context: EventContext
    scope: ForgetScope
    targets: dict[str, int]
    requested_at: int
    done: Step = "requested"
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def next(self) -> Step | None:
        """The step that comes next; None when all is done."""
        following = STEPS.index(self.done) + 1
        return STEPS[following] if following < len(STEPS) else None

    def erases(self, memory: str, version: int) -> bool:
        """Whether a version of a memory is erased."""
        last = self.targets.get(memory)
        if last is None:
            return False
        return version == last if self.scope == "event" else version <= last

    def answered_with(self, targets: Iterable[Target], position: int) -> bool:
        """Whether what was said at a position about some records may hold what is erased.

        A later version may show what an erased one said, so one that was known before the request
        counts, too.
        """
        return position < self.requested_at and any(
            record in self.targets and (self.scope != "event" or version >= self.targets[record])
            for record, version in targets
        )


def apply_erasure(state: ErasureState | None, event: RecordedEvent) -> ErasureState | None:
    """The state after one stored event of an erasure's stream."""
    for fact in event.facts:
        if isinstance(fact, ErasureStep) and fact.mode == "requested":
            state = ErasureState(
                id=event.stream,
                context=event.context,
                scope=fact.scope,
                targets=dict(fact.targets),
                requested_at=event.position,
                counts=fact.counts,
            )
        elif state is not None and isinstance(fact, ErasureStep):
            state = replace(state, done=fact.mode, counts=_added(state.counts, fact.counts))
        elif state is not None and isinstance(fact, ErasureCompleted):
            state = replace(state, done="completed")
    return state


def _added(known: dict[str, int], more: dict[str, int]) -> dict[str, int]:
    return {name: known.get(name, 0) + more.get(name, 0) for name in known | more}


def step_done(state: ErasureState, counts: dict[str, int]) -> ErasureStep | ErasureCompleted:
    """The event that says that the next step was done, and what it counted."""
    targets = list(state.targets.items())
    match state.next:
        case (
            "keys_destroyed" | "views_cleared" | "caches_cleared" | "questions_destroyed"
        ) as step:
            return ErasureStep(mode=step, scope=state.scope, targets=targets, counts=counts)
        case "completed":
            return ErasureCompleted(
                scope=state.scope,
                targets=targets,
                counts=_added(state.counts, counts),
                payload=Completion(stays=list(STAYS), out_of_reach=list(OUT_OF_REACH)),
            )
        case _:
            raise ValueError(f"the erasure {state.id} is completed")
