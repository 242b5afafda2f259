"""Until when a tangled memory is kept (spec/policy.md §2.6 and §5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from domain.events import MemoryRevised
from domain.instants import Micros
from domain.resolver.events import Expiry
from domain.resolver.expiry import Retention, retentions
from domain.resolver.lineages import Lineages
from domain.steps import Step


def retained(
    steps: Sequence[Step], name: Callable[[int], str], root: str, lineages: Lineages
) -> dict[str, Retention]:
    """The bound that was recorded last, or where it is earlier that the memory has expired.

    `steps` are what is said after the first of one memory, whose name is `root`, in the order in
    which it came.
    """
    expiries = [_expiry(one, name, root) for one in steps if one.moves_retention]
    found = retentions(expiries, lineages)
    ended = _expired(steps, name)
    if ended is not None:
        said = found.get(root) or Retention(lineages.place(root).span.expires_us, by=None)
        if ended.recorded_us < said.expires_us:
            found[root] = Retention(ended.recorded_us, name(ended.version))
    return found


def _expiry(step: Step, name: Callable[[int], str], root: str) -> Expiry:
    return Expiry(
        id=name(step.version),
        session="",
        position=0,
        appended_us=0,
        recorded_us=step.recorded_us,
        target=root,
        expires_us=step.retained_until,
    )


def _expired(steps: Sequence[Step], name: Callable[[int], str]) -> Step | None:
    """What said first that the memory has expired, where nothing has lifted that since.

    An upsert that was recorded before the present bound lifts nothing (`domain.memory_events`).
    """
    first: Step | None = None
    newest: tuple[Micros, str] | None = None
    for step in steps:
        said = step.recorded_us, name(step.version)
        late = newest is not None and said < newest
        if step.expires:
            if first is None or step.recorded_us < first.recorded_us:
                first = step
        elif step.consolidates or (step.lifts and not (late and step.topic == MemoryRevised.TOPIC)):
            first = None
        if step.moves_retention and not late:
            newest = said
    return first
