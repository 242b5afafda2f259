"""Laws of judgements, over evidence and definitions of every kind."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from domain.claims.independence import clusters
from domain.claims.pieces import CONTRADICTS, SUPPORTS
from domain.ids import MEMORY, RELATIONSHIP
from domain.instants import FOREVER
from domain.validation.blockers import BLOCKERS
from domain.validation.definition import parse_definition
from domain.validation.judgement import judge
from tests.validation.evidence import (
    DAY,
    NOW,
    POLICY,
    approval,
    claim,
    evidence,
    piece,
    rival,
    target,
)

QUARANTINED = "rumour"
WORSE_FIRST = ("rejected", "contested", "candidate", "validated")
few = settings(max_examples=60, deadline=None)

names = st.frozensets(st.sampled_from(["lab:1", "lab:2", "blog", "paper"]), min_size=1, max_size=2)
scopes = st.sampled_from([None, {"region": "eu"}, ["eu"]])
combinations = st.lists(
    st.lists(st.sampled_from(BLOCKERS), min_size=1, max_size=2), min_size=0, max_size=3
)


@st.composite
def pieces(draw, number, stance=None):
    """A piece that may fail any rule; those of one name are copies."""
    said = draw(names)
    return piece(
        number,
        stance or draw(st.sampled_from([SUPPORTS, SUPPORTS, CONTRADICTS])),
        names=said,
        origins=said,
        hosts=draw(st.frozensets(st.sampled_from(["a.example", "b.example"]), max_size=1)),
        standing=draw(st.sampled_from([True, True, True, False])),
        until_us=draw(st.sampled_from([FOREVER, FOREVER, NOW])),
        weight=draw(st.sampled_from([1.0, 0.5, 0.1])),
        kinds=draw(st.frozensets(st.sampled_from(["source", "observation"]), max_size=2)),
        located=draw(st.booleans()),
        observed_us=draw(st.sampled_from([None, NOW, NOW - 3 * DAY])),
        authors=frozenset({draw(st.sampled_from(["writer", "ann"]))}),
        independent=draw(st.sampled_from([True, True, False])),
        scope=draw(scopes),
    )


@st.composite
def evidences(draw):
    """Up to six pieces, some rivals and approvals; withdrawals where pieces say so."""
    count = draw(st.integers(0, 6))
    said = [draw(pieces(number)) for number in range(1, count + 1)]
    gone = any(one.stance == CONTRADICTS and not one.standing for one in said)
    who = st.sampled_from(["ann", "bob", "claimant"])
    return evidence(
        *said,
        rivals=tuple(rival(number) for number in range(70, 70 + draw(st.integers(0, 1)))),
        approvals=tuple(
            approval(draw(who), approved=draw(st.booleans()), position=position)
            for position in range(100, 100 + draw(st.integers(0, 3)))
        ),
        about=claim(scope=draw(scopes), confidence=draw(st.sampled_from([None, 0.2, 0.9, 1.0]))),
        complete=draw(st.sampled_from([True, True, True, False])),
        withdrawn_at=draw(st.sampled_from([99, 101, 200])) if gone else 0,
    )


@st.composite
def definitions(draw):
    """Any definition that is taken; most ask for little, so that claims are validated."""
    chosen = {
        "contradictions_allowed": draw(st.sampled_from([0, 1, None])),
        "rivals_allowed": draw(st.booleans()),
        "withdrawn_allowed": draw(st.booleans()),
        "source_kinds": draw(st.sampled_from([None, None, ["source"]])),
        "sources": draw(
            st.sampled_from(
                [
                    {"quarantine": [QUARANTINED], "trusted": ["lab:*"]},
                    {"quarantine": [QUARANTINED], "default": "trusted"},
                    {"default": "quarantine", "trusted": ["lab:*"], "unrated": ["paper"]},
                ]
            )
        ),
        "trusted_only": draw(st.booleans()),
        "max_age_seconds": draw(st.sampled_from([None, None, 86_400])),
        "approvals": draw(st.integers(0, 2)),
        "min_confidence": draw(st.sampled_from([None, None, 0.5])),
    }
    for name in ("require_locator", "require_observed_at", "require_current", "match_scope"):
        chosen[name] = draw(st.sampled_from([False, False, True]))
    chosen["group_by_host"] = draw(st.booleans())
    if draw(st.booleans()):
        chosen |= {"contested_on": draw(combinations), "rejected_on": draw(combinations)}
    chosen["independent_supports"] = draw(st.integers(0 if chosen["approvals"] else 1, 3))
    return parse_definition(chosen)


def with_piece(said, one):
    return said._replace(pieces=(*said.pieces, one))


@few
@given(evidences(), definitions(), st.randoms(use_true_random=False))
def test_the_order_of_the_evidence_changes_nothing(said, definition, dice) -> None:
    shuffled = said._replace(
        pieces=tuple(dice.sample(said.pieces, len(said.pieces))),
        rivals=tuple(dice.sample(said.rivals, len(said.rivals))),
        approvals=tuple(dice.sample(said.approvals, len(said.approvals))),
    )

    assert judge(shuffled, POLICY, definition) == judge(said, POLICY, definition)


@few
@given(evidences(), definitions(), pieces(50, SUPPORTS))
def test_another_support_never_takes_a_validation_away(said, definition, more) -> None:
    """But for one that shows two origins to be the same, or makes a reviewer an author."""
    good = [
        piece(
            number, kinds=frozenset({"source"}), observed_us=NOW, scope=said.claim.statement.scope
        )
        for number in range(20, 23)
    ]
    validated = evidence(
        *(one for one in said.pieces if one.stance == SUPPORTS),
        *good,
        approvals=(approval("rob", position=1), approval("rita", position=2)),
        about=said.claim._replace(confidence=0.9),
    )
    assert judge(validated, POLICY, definition).recommended == "validated"
    by_host = definition.group_by_host
    after = with_piece(validated, more)
    before, later = (clusters(one.pieces, by_host=by_host) for one in (validated, after))
    assume(len(later) >= len(before))

    assert judge(after, POLICY, definition).recommended == "validated"


@few
@given(evidences(), definitions(), st.data())
def test_a_copy_of_a_support_changes_no_recommendation(said, definition, data) -> None:
    """A copy is of the same origin; a piece without one is of its own memory."""
    copied = data.draw(pieces(50, SUPPORTS))
    said = with_piece(said, copied)
    copy = copied._replace(edge=target(RELATIONSHIP, 60), memory=target(MEMORY, 60))

    before = judge(said, POLICY, definition)
    after = judge(with_piece(said, copy), POLICY, definition)

    assert after.recommended == before.recommended
    assert after.dimensions.independence == before.dimensions.independence
    assert [one.name for one in after.blockers] == [one.name for one in before.blockers]


@few
@given(evidences(), definitions(), st.data())
def test_a_piece_in_quarantine_changes_nothing_but_the_list(said, definition, data) -> None:
    stance = data.draw(st.sampled_from([SUPPORTS, CONTRADICTS]))
    more = data.draw(pieces(50, stance))._replace(standing=True)
    quarantined = more._replace(names=frozenset({QUARANTINED}), authors=frozenset({"ann", "bob"}))

    before = judge(said, POLICY, definition)
    after = judge(with_piece(said, quarantined), POLICY, definition)

    assert after._replace(pieces=()) == before._replace(pieces=())
    (listed,) = (one for one in after.pieces if one.piece == quarantined)
    assert (listed.tier, listed.reasons) == ("quarantine", ("quarantined",))
    assert tuple(one for one in after.pieces if one != listed) == before.pieces


@few
@given(evidences(), definitions(), st.sampled_from(["ended", "forgotten", "erased"]), st.data())
def test_withdrawing_a_contradiction_never_improves_a_recommendation(
    said, definition, how, data
) -> None:
    """Whatever is left of it, under every definition that does not say otherwise."""
    contradicting = data.draw(pieces(50, CONTRADICTS))._replace(standing=True)
    if definition.withdrawn_allowed:
        definition = definition.model_copy(update={"withdrawn_allowed": False})
    nothing = frozenset()
    left = contradicting._replace(standing=False)
    if how == "ended":
        left = contradicting._replace(until_us=NOW)
    if how == "erased":
        left = left._replace(names=nothing, origins=nothing, hosts=nothing, kinds=nothing)
    after = with_piece(said, left)._replace(withdrawn_at=1000)

    verdicts = [
        judge(one, POLICY, definition).recommended
        for one in (after, with_piece(said, contradicting))
    ]

    assert verdicts == sorted(verdicts, key=WORSE_FIRST.index)


@few
@given(evidences(), definitions(), pieces(50, SUPPORTS))
def test_a_support_that_says_it_is_not_independent_validates_nothing(
    said, definition, more
) -> None:
    """Of an origin of its own, so that it tells nothing of the others."""
    alone = more._replace(
        independent=False,
        origins=frozenset({"its own"}),
        hosts=frozenset(),
        authors=frozenset({"somebody else"}),
    )

    before = judge(said, POLICY, definition)
    after = judge(with_piece(said, alone), POLICY, definition)

    assert (after.recommended == "validated") == (before.recommended == "validated")
    assert (after.dimensions.independence or 0) == (before.dimensions.independence or 0)


@few
@given(evidences(), definitions())
def test_confidence_alone_never_validates(said, definition) -> None:
    """Without support and approval nothing does; and it changes its own blocker alone."""
    bare = said._replace(pieces=(), rivals=(), approvals=(), withdrawn_at=0, complete=True)
    certain = bare._replace(claim=said.claim._replace(confidence=1.0))
    assert judge(certain, POLICY, definition).recommended != "validated"

    unsure = said._replace(claim=said.claim._replace(confidence=None))
    found = [judge(one, POLICY, definition) for one in (unsure, said)]
    others = [[one for one in each.blockers if one.name != "confidence_too_low"] for each in found]
    assert others[0] == others[1]
    assert found[0].dimensions == found[1].dimensions


@few
@given(evidences(), definitions())
def test_evidence_that_was_cut_never_validates(said, definition) -> None:
    found = judge(said._replace(complete=False), POLICY, definition)

    assert found.recommended != "validated"
    assert "evidence_incomplete" in [one.name for one in found.blockers]


@few
@given(evidences(), definitions())
def test_a_claim_is_validated_exactly_where_nothing_blocks_it(said, definition) -> None:
    """And blockers come in their one order, each once."""
    found = judge(said, POLICY, definition)

    names = [one.name for one in found.blockers]
    assert (found.recommended == "validated") == (not names)
    assert names == [name for name in BLOCKERS if name in names]
    assert [one.piece.edge for one in found.pieces] == sorted(one.edge for one in said.pieces)
