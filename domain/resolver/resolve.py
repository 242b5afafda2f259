"""One answer from a set of events (spec/policy.md §2), resolved before anything is ranked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from domain.instants import Micros
from domain.resolver.answers import Answer, Basis, Item
from domain.resolver.eligibility import Excluded, Standing, erasures, sorted_out, standing
from domain.resolver.events import Payload, PolicyEvent, Statement, Tombstone
from domain.resolver.knowledge import Known, known
from domain.resolver.policies import Candidate, Conflict, SlotPolicy, policy_named
from domain.resolver.ranking import Ranker, ranked_text
from domain.slots import comparable


@dataclass(frozen=True, slots=True)
class Words:
    """A question in words, and by what the winners are ranked for it."""

    text: str
    ranker: Ranker


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What one session asks, about one slot (its reference) or in words about all of them.

    `as_known_us` is compared with times of appending, both ends of knowledge are inclusive, and
    None is all that there is. `limit` None returns everything.
    """

    session: str
    asked: str | Words
    as_of_us: Micros
    policy: str
    as_known_us: Micros | None = None
    as_known_position: int | None = None
    limit: int | None = None


class _Winner(NamedTuple):
    """A selected candidate whose payload may be shown."""

    statement: Statement
    payload: Payload
    score: float | None


def resolve(events: Iterable[PolicyEvent], question: Question) -> Answer:
    """The answer; the same for every order and every repetition of the events.

    Never refuses what a stream holds: forks, tombstones before their targets, targets in other
    sessions, cycles and ids that mean two things each have their meaning. Of an erased statement
    nothing is read but its structure. Raises INVALID_REQUEST for a policy that is not registered.
    """
    policy = policy_named(question.policy)
    everything = list(events)
    at_basis = known(
        everything,
        question.session,
        as_known_us=question.as_known_us,
        as_known_position=question.as_known_position,
    )
    judged = standing(at_basis, question.as_of_us)
    erased = erasures(known(everything, question.session))  # also by what is not known yet
    eligible, excluded = sorted_out(_scope(at_basis, question), judged)
    resolution = _Resolution(judged, erased, policy)
    resolution.decide(eligible)
    winners, left = _ordered(resolution.winners, question)
    ranker = question.asked.ranker.name if isinstance(question.asked, Words) else None
    return Answer(
        policy=question.policy,
        basis=Basis(at_basis.position, question.as_of_us, question.as_known_us, ranker),
        items=tuple(_item(winner, judged) for winner in winners),
        excluded=tuple(sorted([*excluded, *resolution.excluded, *left], key=lambda one: one.id)),
        conflicts=tuple(sorted(resolution.conflicts, key=lambda one: one.candidates)),
    )


def _scope(at_basis: Known, question: Question) -> Iterable[Statement]:
    """The known statements of the slot, or all of the session for a question in words."""
    asked = question.asked
    statements = at_basis.statements.values()
    if isinstance(asked, Words):
        return statements
    return [one for one in statements if one.slot_ref == asked]


class _Resolution:
    """Slot after slot, each by the policy."""

    def __init__(self, judged: Standing, erased: dict[str, Tombstone], policy: SlotPolicy) -> None:
        self._lineages = judged.lineages
        self._erased = erased
        self._policy = policy
        self.winners: list[_Winner] = []
        self.excluded: list[Excluded] = []
        self.conflicts: list[Conflict] = []

    def decide(self, eligible: Iterable[Statement]) -> None:
        """Put each eligible statement among the winners or the excluded."""
        slots: defaultdict[str, list[Statement]] = defaultdict(list)
        for statement in eligible:
            slots[statement.slot_ref].append(statement)
        for members in slots.values():
            self._slot({one.id: one for one in members})

    def _slot(self, members: dict[str, Statement]) -> None:
        verdict = self._policy([self._candidate(one) for one in members.values()])
        self.excluded += verdict.excluded
        if verdict.conflict is not None:
            self.conflicts.append(verdict.conflict)
        for candidate in verdict.selected:
            statement = members[candidate.id]
            payload = self._payload(statement)
            if payload is None:
                # It was the answer then, and still stands before the others of its slot (D17).
                grave = self._erased.get(statement.id)
                by = None if grave is None else grave.id
                self.excluded.append(Excluded(statement.id, "payload_erased", by))
            else:
                self.winners.append(_Winner(statement, payload, None))

    def _payload(self, statement: Statement) -> Payload | None:
        return None if statement.id in self._erased else statement.payload

    def _candidate(self, statement: Statement) -> Candidate:
        place = self._lineages.place(statement.id)
        root = statement if place.root is None else place.root
        payload = self._payload(statement)
        return Candidate(
            id=statement.id,
            root_id=root.id,
            root_recorded_us=root.recorded_us,
            from_us=place.span.from_us,
            recorded_us=statement.recorded_us,
            value=None if payload is None else comparable(payload.value),
        )


def _ordered(
    winners: Sequence[_Winner], question: Question
) -> tuple[list[_Winner], list[Excluded]]:
    """The winners in the order of the answer, and those that the question leaves out."""
    found = list(winners)
    unmatched: list[Excluded] = []
    if isinstance(question.asked, Words):
        words = question.asked
        scores = words.ranker.scores(words.text, [ranked_text(one.payload) for one in winners])
        scored = [one._replace(score=score) for one, score in zip(winners, scores, strict=True)]
        unmatched = [
            Excluded(one.statement.id, "no_lexical_match") for one in scored if not one.score
        ]
        found = sorted((one for one in scored if one.score), key=_by_score)
    cut = len(found) if question.limit is None else question.limit
    return found[:cut], [
        *unmatched,
        *(Excluded(one.statement.id, "rank_cutoff") for one in found[cut:]),
    ]


def _by_score(winner: _Winner) -> tuple[float, Micros, str]:
    return -(winner.score or 0.0), -winner.statement.recorded_us, winner.statement.id


def _item(winner: _Winner, judged: Standing) -> Item:
    place = judged.lineages.place(winner.statement.id)
    return Item(
        id=winner.statement.id,
        lineage=place.lineage,
        key=winner.payload.key,
        value=winner.payload.value,
        source=winner.payload.source,
        recorded_us=winner.statement.recorded_us,
        from_us=place.span.from_us,
        until_us=place.span.until_us,
        score=winner.score,
    )
