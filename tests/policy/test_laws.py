"""The invariants of the policy over generated event sets (spec/policy.md §2.12)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.canonical import canonical
from domain.resolver.answers import Answer
from domain.resolver.deletion import deletions
from domain.resolver.events import PolicyEvent, Statement, Tombstone
from domain.resolver.knowledge import known
from domain.resolver.lineages import Lineages
from domain.resolver.policies import NEWEST_RECORDED
from domain.resolver.resolve import Question, resolve
from domain.resolver.spelling import read_event
from tests.policy.builders import told
from tests.policy.doors import ref
from tests.policy.model import Model
from tests.policy.streams import (
    FOREIGN_EVENTS,
    KEYS,
    NOW,
    OWN,
    STREAMS,
    TOMBSTONES,
    arrived,
    is_readable,
    questions,
    spelled,
)


def masked(answer: Answer) -> bytes:
    """The bytes of an answer without the position of its basis (spec/operations.md §10)."""
    wire = answer.as_wire()
    return canonical({**wire, "basis": {**wire["basis"], "position": None}})


def erased(events: list[PolicyEvent]) -> set[str]:
    """The ids that any tombstone of the stream covers."""
    own = known(events, OWN)
    return set(deletions(own.copies, own.tombstones, Lineages(own.statements)))


def without_text(events: list[PolicyEvent]) -> list[PolicyEvent]:
    """What is left of a stream when the payloads of everything that was deleted are destroyed."""
    gone = erased(events)
    return [
        replace(one, payload=None) if isinstance(one, Statement) and one.id in gone else one
        for one in events
    ]


@given(STREAMS, questions(**NOW), st.randoms(use_true_random=False))
def test_i1_no_order_of_arrival_changes_an_answer(
    events: list[PolicyEvent], question: Question, dice: Any
) -> None:
    shuffled = list(events)
    dice.shuffle(shuffled)
    assert masked(resolve(arrived(shuffled), question)) == masked(resolve(events, question))


@given(STREAMS, questions())
def test_i2_nothing_is_read_of_an_erased_statement_but_its_structure(
    events: list[PolicyEvent], question: Question
) -> None:
    assert resolve(without_text(events), question) == resolve(events, question)


@given(STREAMS, questions(), st.integers(-14 * 60, 14 * 60))
def test_i3_no_offset_of_a_timestamp_changes_an_answer(
    events: list[PolicyEvent], question: Question, minutes: int
) -> None:
    sane = [one for one in events if is_readable(one)]
    again = [read_event(spelled(one, minutes), one.position, ref) for one in sane]
    assert resolve(again, question) == resolve(sane, question)


@given(STREAMS, questions(), st.data())
def test_i4_delivering_events_again_changes_nothing(
    events: list[PolicyEvent], question: Question, data: st.DataObject
) -> None:
    again = [one for one in events if data.draw(st.booleans())]
    late = [replace(one, position=1000 + n, appended_us=9) for n, one in enumerate(again)]
    assert masked(resolve([*events, *late], question)) == masked(resolve(events, question))


@given(STREAMS, questions(), TOMBSTONES)
def test_i5_a_tombstone_brings_nothing_deleted_back_on_any_axis(
    events: list[PolicyEvent], question: Question, tombstone: Tombstone
) -> None:
    more = [*events, replace(tombstone, position=1000)]
    assert erased(more) >= erased(events)
    assert not erased(more) & set(resolve(more, question).selected)


@given(STREAMS, FOREIGN_EVENTS, questions(), st.randoms(use_true_random=False))
def test_i6_other_sessions_change_no_byte(
    events: list[PolicyEvent], foreign: list[PolicyEvent], question: Question, dice: Any
) -> None:
    others = [replace(one, position=10 * dice.randint(0, 12) + 5) for one in foreign]
    mixed = sorted([*events, *others], key=lambda one: one.position)
    assert canonical(resolve(mixed, question).as_wire()) == canonical(
        resolve(events, question).as_wire()
    )


@given(STREAMS, questions(limit=st.none()))
def test_i7_no_string_of_an_erased_payload_is_in_an_answer_at_any_basis(
    events: list[PolicyEvent], question: Question
) -> None:
    marked = [
        replace(one, payload=replace(one.payload, value=f"<{one.id}>", source=f"[{one.id}]"))
        if isinstance(one, Statement) and one.payload is not None
        else one
        for one in events
    ]
    answer = resolve(marked, question)
    said = canonical(answer.as_wire()).decode()
    for one in erased(marked):
        assert f"<{one}>" not in said
        assert f"[{one}]" not in said
    for item in answer.items:
        assert f"<{item.id}>" in said


@given(STREAMS, questions(policy=st.just(NEWEST_RECORDED)))
def test_i8_a_slot_has_one_winner_at_most(events: list[PolicyEvent], question: Question) -> None:
    slots = [ref(item.key) for item in resolve(events, question).items]
    assert len(slots) == len(set(slots))


@given(STREAMS, questions())
def test_i9_every_statement_in_scope_is_selected_or_excluded_exactly_once(
    events: list[PolicyEvent], question: Question
) -> None:
    answer = resolve(events, question)
    at_basis = known(
        events,
        OWN,
        as_known_us=question.as_known_us,
        as_known_position=question.as_known_position,
    )
    scope = [
        one.id
        for one in at_basis.statements.values()
        if not isinstance(question.asked, str) or one.slot_ref == question.asked
    ]
    accounted = [*answer.selected, *(one.id for one in answer.excluded)]
    assert sorted(accounted) == sorted(scope)


@given(STREAMS, st.integers(0, 12), questions(as_known_us=st.none(), limit=st.none()))
def test_i10_what_is_said_of_a_position_never_changes_but_for_erased_texts(
    events: list[PolicyEvent], count: int, question: Question
) -> None:
    past = replace(question, as_known_position=10 * count)
    first, later = told(resolve(events[:count], past)), told(resolve(events, past))
    gone = erased(events)
    assert first.keys() == later.keys()
    for one, said in first.items():
        now = later[one]
        reason, _, by = said.partition(" by ")
        if said == now:
            continue
        if now.startswith("payload_erased by "):
            # It had won its slot, whatever the words of the question made of it.
            assert one in gone
            assert said in {"selected", "no_lexical_match"}
        else:
            assert (reason, now) == ("same_value", f"shadowed by {by}")
            assert gone & {one, by}


@settings(max_examples=300)
@given(STREAMS, questions(**NOW))
def test_an_answer_is_that_of_the_rules_searched_one_by_one(
    events: list[PolicyEvent], question: Question
) -> None:
    once = list({(type(one) is Statement, one.id): one for one in events}.values())
    for key in KEYS:
        asked = replace(question, asked=ref(key), policy=NEWEST_RECORDED, limit=None)
        said = {one: said.partition(" ")[0] for one, said in told(resolve(once, asked)).items()}
        assert said == Model(once, question.as_of_us).answer(ref(key))
