"""The meaning of a stream that holds what no command makes (spec/policy.md §2.2, §2.4 to §2.7).

It is told by the parts of the resolver, over the statements of one stream: a lineage never leaves
its stream, so what stands elsewhere is a target that is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from domain.event_bases import Target
from domain.instants import Micros
from domain.resolver.deletion import deletions
from domain.resolver.eligibility import Excluded, Standing, sorted_out
from domain.resolver.events import INHERITED, Statement, Supersession, Tombstone
from domain.resolver.expiry import Retention
from domain.resolver.lineages import Lineages
from domain.resolver.supersession import superseded
from domain.stand_ins import Turn, turns
from domain.steps import Step
from domain.tangled_retention import retained

_HERE = ""
"""All statements are of one session: those of others are left out before."""


Burial: TypeAlias = Literal["tombstone", "application_delete"]


class _Of(NamedTuple):
    """What every event of the policy has; positions do not matter within one basis."""

    id: str
    recorded_us: Micros
    session: str = _HERE
    position: int = 0
    appended_us: Micros = 0


class Meaning:
    """What the first steps of a stream say. `root` is the first that remembers, None for none."""

    def __init__(self, stream: str, steps: Sequence[Step]) -> None:
        self.stream = stream
        self.root = next((step for step in steps if step.is_first), None)
        self.session = (self.root or steps[0]).session
        self.own = [step for step in steps if step.session == self.session]
        """The steps that have an effect: those of the session of the memory, the root first."""
        self.own.sort(key=lambda step: (step is not self.root, step.version))
        told = [one for one in self.own if one.says and (one is self.root or not one.is_first)]
        self.steps = {step.version: step for step in told}
        """The statements, by version."""
        self.statements = {one.id: one for one in map(self._statement, told)}
        self.lineages = Lineages(self.statements)
        self._modes: dict[str, Burial] = {}
        self.deleted = deletions(self.statements.values(), self._tombstones(), self.lineages)

    def name(self, version: int) -> str:
        """`<stream>@<version>`."""
        return f"{self.stream}@{version}"

    def target_of(self, step: Step) -> Target:
        """What a correction corrects: what it names, else the statement that comes before it."""
        if step.targets:
            return step.targets[0]
        before = (version for version in range(step.version - 1, 0, -1) if version in self.steps)
        return self.stream, next(before, step.version - 1)

    def path(self, version: int) -> list[int]:
        """A statement and all that it corrects, as far as that is there; in a circle each once."""
        found: list[int] = []
        while version in self.steps and version not in found:
            found.append(version)
            if self.steps[version].is_first:
                break
            stream, version = self.target_of(self.steps[version])
            if stream != self.stream:
                break
        return found

    def counts(self, version: int) -> bool:
        """Whether a statement reaches the root, by corrections of its own slot alone."""
        place = self.lineages.place(self.name(version))
        return place.root is not None and not place.inert

    def tips(self) -> list[int]:
        """The versions that may answer, whatever the time: not corrected, not deleted, best first.

        Several are a fork: the larger by (own valid_from, own recorded_at, id) is preferred.
        """
        return [one for one in self._leaves() if self.name(one) not in self.deleted]

    def turns(self) -> list[Turn]:
        """When which of the tips answers, as far as their validity decides."""
        spans = ((one, self.lineages.place(self.name(one)).span) for one in self.tips())
        return turns(Turn(version, span.from_us, span.until_us) for version, span in spans)

    def shown(self) -> int | None:
        """The version that the memory says: the best tip, else the best of what was one."""
        leaves = self._leaves()
        return next(iter(self.tips() or leaves), None)

    def grave(self, version: int) -> tuple[Tombstone, Burial] | None:
        """The earliest tombstone that covers a statement, and how it forgets."""
        found = self.deleted.get(self.name(version))
        return None if found is None else (found, self._modes[found.id])

    def buried_whole(self) -> Burial | None:
        """How the whole memory was forgotten for good; None where something may be said of it.

        A tombstone of the slot covers what was recorded by then, and so all of a memory of which
        nothing was recorded later, also where its last version was forgotten alone before.
        """
        modes = {
            self._modes[self.name(step.version)]
            for step in self.own
            if step.buries and step.said["scope"] == "lineage"
        }
        shown = self.shown()
        if shown is not None and not self.tips():
            recorded_us = self.statements[self.name(shown)].recorded_us
            modes |= {
                self._modes[self.name(step.version)]
                for step in self.own
                if step.buries and step.said["scope"] == "key" and recorded_us <= step.recorded_us
            }
        return "application_delete" if "application_delete" in modes else next(iter(modes), None)

    def dead_versions(self) -> frozenset[int]:
        """The versions that a tombstone of scope `event` names, whether or not they say much."""
        events = [one for one in self.own if one.buries and one.said["scope"] == "event"]
        return frozenset(version for one in events for version in self._covered(one))

    def forgotten_versions(self) -> frozenset[int]:
        """The versions of which the texts are forgotten."""
        covered = frozenset(one for one in self.steps if self.name(one) in self.deleted)
        return covered | self.dead_versions()

    def slot_forgotten_us(self) -> Micros | None:
        """When the slot was forgotten last, as its tombstones were recorded."""
        times = (one.recorded_us for one in self.own if one.buries and one.said["scope"] == "key")
        return max(times, default=None)

    def exclusions(self, as_of_us: Micros) -> list[Excluded]:
        """Why statements are no answer at an instant, whatever else is in their slot, by version.

        Ids are names of versions. Of a fork all tips may be eligible.
        """
        front = superseded(self._supersessions(), self.lineages)
        judged = Standing(
            lineages=self.lineages,
            deleted=self.deleted,
            behind=front,
            retained=self._retained(),
            as_of_us=as_of_us,
        )
        return sorted_out(self.statements.values(), judged)[1]

    # --- as events of the resolver ------------------------------------------------------------

    def _statement(self, step: Step) -> Statement:
        target: str | None = None
        if not step.is_first:
            stream, version = self.target_of(step)
            target = f"{stream}@{version}"
        return Statement(
            **self._of(step)._asdict(),
            slot_ref=step.slot_ref,
            target=target,
            valid_from=step.bound("valid_from"),
            valid_until=step.bound("valid_until"),
            # What a correction says of retention is an expiry of its own (`_expiries`).
            expires_at=step.bound("expires_at") if step.is_first else INHERITED,
        )

    def _of(self, step: Step) -> _Of:
        return _Of(self.name(step.version), step.recorded_us)

    def _tombstones(self) -> Iterator[Tombstone]:
        # All of the stream, also what is held back: nobody may name a lineage of which the first
        # version has not come.
        whole = dict.fromkeys(self.lineages.of(name) for name in self.statements)
        for step in self.own:
            if not step.buries:
                continue
            common = self._of(step)._asdict()
            self._modes[common["id"]] = step.said["mode"]
            match step.said["scope"]:
                case "key":
                    yield Tombstone(**common, scope="key", target=step.slot_ref)
                case "lineage":
                    for lineage in whole:
                        yield Tombstone(**common, scope="lineage", target=lineage)
                case _:
                    for version in self._covered(step):
                        yield Tombstone(**common, scope="event", target=self.name(version))

    def _covered(self, step: Step) -> list[int]:
        return [version for stream, version in step.targets or () if stream == self.stream]

    def _retained(self) -> dict[str, Retention]:
        if self.root is None:
            return {}
        # A memory never steps back behind itself.
        later = [one for one in self.own if one is not self.root and self.moves(one)]
        moving = [one for one in later if one.said.get("target_id") != self.stream]
        return retained(moving, self.name, self.name(self.root.version), self.lineages)

    def moves(self, step: Step) -> bool:
        """Whether what a step says of retention and lifecycle is said of the root's lineage."""
        return step.version not in self.steps or self.counts(step.version)

    def _supersessions(self) -> Iterator[Supersession]:
        # A later version that says what the lifecycle is ends a consolidation (policy.md §5).
        since = max((one.version for one in self.own if one.lifts and self.moves(one)), default=0)
        for step in self.own:
            if step.consolidates and step.version > since:
                yield Supersession(
                    **self._of(step)._asdict(),
                    targets=(self.name(self.root.version if self.root else 0),),
                    canonical=self._front(step),
                )

    def _front(self, step: Step) -> str:
        """A memory never steps back behind itself."""
        canonical: str = step.said["target_id"]
        own = canonical == self.stream and self.root is not None
        return self.name(self.root.version) if own and self.root else canonical

    def _leaves(self) -> list[int]:
        """The versions of the root's lineage that nothing corrects, best first."""
        found = [
            (self.lineages.place(one.id).span.from_us, one.recorded_us, one.id, version)
            for version, one in zip(self.steps, self.statements.values(), strict=True)
            if self.counts(version) and self.lineages.correction_of(one.id) is None
        ]
        return [version for *_, version in sorted(found, reverse=True)]
