"""Faults in validation policies: what they take, and what they make of evidence."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_BOOK: Final = "commands/validation_policies.py"
_DEFINITION: Final = "domain/validation/definition.py"
_JUDGEMENT: Final = "domain/validation/judgement.py"
_OPPOSITION: Final = "domain/validation/opposition.py"
_POLICIES: Final = "domain/validation/policies.py"
_REVIEWING: Final = "domain/validation/reviewing.py"
_RULES: Final = "domain/validation/rules.py"
_SIDES: Final = "domain/validation/sides.py"
_SOURCES: Final = "domain/validation/sources.py"
_SUPPORT: Final = "domain/validation/support.py"

_BLOCKERS: Final = "tests/validation/test_blockers.py::"
_PIECES: Final = "tests/validation/test_pieces.py::"
_PEOPLE: Final = "tests/validation/test_reviewing.py::"
_RATED: Final = "tests/validation/test_sources.py::"
_KEPT: Final = "tests/validation/test_policy_book.py::"
_ONE_SUPPORT: Final = (
    _BLOCKERS + "test_every_combination_of_failing_rules_has_exactly_their_blockers[1]"
)
_TOGETHER: Final = (
    _BLOCKERS + "test_rules_that_different_pieces_meet_are_not_met_together"
    "[source_kind-locator_missing]"
)
_LISTED: Final = (
    _PIECES + "test_each_piece_is_listed_with_its_tier_its_cluster_and_why_it_does_not_count"
)
_CLEARED: Final = _PEOPLE + "test_a_withdrawn_contradiction_blocks_until_somebody_else_approves"
_LATEST: Final = _PEOPLE + "test_the_latest_word_of_each_counts"
_AGE: Final = _PIECES + "test_evidence_is_too_old_past_its_age"
_WEAKEST: Final = _RATED + "test_evidence_has_the_tier_of_its_sources"
_LAWS_OF_DEFINITIONS: Final = (
    "tests/validation/test_definition.py::test_what_is_no_definition_is_refused_with_its_field"
)
_SHIPPED: Final = "tests/validation/test_shipped.py::test_a_shipped_policy_is_what_it_always_was"

JUDGING: Final = (
    Fault(
        2101,
        _SUPPORT,
        "any(one.independent and met(one) for one in cluster.pieces)",
        "any(met(one) for one in cluster.pieces)",
        "Support that says it is not independent validates a claim.",
        (_PIECES + "test_a_rule_on_pieces_asks_for_a_piece_that_may_open_a_cluster",),
    ),
    Fault(
        2102,
        _SUPPORT,
        "    needed = min(needed, there)\n",
        "",
        "A claim with too little support is told that it breaks every other rule as well.",
        (_ONE_SUPPORT,),
    ),
    Fault(
        2103,
        _SUPPORT,
        "if not failing and together < needed:",
        "if not failing and together < 0:",
        "Rules that different pieces meet validate a claim, though no piece meets them all.",
        (_TOGETHER,),
    ),
    Fault(
        2104,
        _SIDES,
        'if tiers[one.edge] != "quarantine"]',
        "if tiers[one.edge]]",
        "Evidence in quarantine validates claims, and contests them.",
        (
            _PIECES + "test_dimensions_leave_quarantine_out_and_know_what_is_trusted",
            _LISTED,
        ),
    ),
    Fault(
        2105,
        _SIDES,
        "one.stance == SUPPORTS and one.standing]",
        "one.stance == SUPPORTS]",
        "What was forgotten still supports a claim.",
        (_PIECES + "test_support_that_holds_no_more_counts_where_a_policy_does_not_mind",),
    ),
    Fault(
        2106,
        _SIDES,
        "for one in opposed if one.holds(as_of)]",
        "for one in opposed]",
        "A claim stays contested by what held at another time.",
        (_PIECES + "test_a_contradiction_counts_while_it_holds",),
    ),
    Fault(
        2107,
        _OPPOSITION,
        "if len(sides.against) > allowed:",
        "if sum(len(one.pieces) for one in sides.against) > allowed:",
        "Copies of one contradiction are several.",
        (_PIECES + "test_contradictions_of_one_origin_are_one",),
    ),
    Fault(
        2108,
        _OPPOSITION,
        "if evidence.withdrawn_at and not",
        "if not evidence.withdrawn_at and not",
        "Withdrawing what speaks against a claim validates it.",
        (_CLEARED,),
    ),
    Fault(
        2109,
        _OPPOSITION,
        "one.position > evidence.withdrawn_at for",
        "one.position != evidence.withdrawn_at for",
        "An approval clears what was withdrawn after it.",
        (_CLEARED,),
    ),
    Fault(
        2110,
        _OPPOSITION,
        "if least is not None and (confidence is None or confidence < least):",
        "if least is not None and confidence is not None and confidence < least:",
        "A claim that says no confidence is as sure as any.",
        (_PEOPLE + "test_a_claim_is_as_sure_as_a_policy_asks_and_says_so",),
    ),
    Fault(
        2111,
        _JUDGEMENT,
        '        there.add("contradiction")\n',
        '        there.discard("contradiction")\n',
        "Withdrawing a contradiction makes a candidate of a contested claim.",
        (_PEOPLE + "test_a_combination_that_names_contradictions_holds_for_withdrawn_ones",),
    ),
    Fault(
        2112,
        _REVIEWING,
        "one.policy == policy and one.actor not in barred",
        "one.policy == policy",
        "Whoever wrote a claim approves of it.",
        (_PEOPLE + "test_nobody_approves_of_a_claim_or_a_contradiction_that_they_wrote",),
    ),
    Fault(
        2113,
        _REVIEWING,
        "if latest[actor].approved]",
        "]",
        "A rejection is an approval.",
        (_LATEST,),
    ),
    Fault(
        2114,
        _REVIEWING,
        "one.policy == policy and one.actor not in barred",
        "one.actor not in barred",
        "An approval under one policy counts under all of them.",
        (_PEOPLE + "test_an_approval_counts_under_its_own_policy",),
    ),
    Fault(
        2115,
        _RULES,
        "one.observed_us >= oldest",
        "one.observed_us > oldest",
        "Evidence is too old at its very age.",
        (_AGE,),
    ),
    Fault(
        2116,
        _SOURCES,
        "for tier in reversed(_TIERS):",
        "for tier in _TIERS:",
        "Where a pattern is trusted and in quarantine it is trusted.",
        (_RATED + "test_a_pattern_in_several_lists_counts_in_the_least_trusting",),
    ),
    Fault(
        2117,
        _SOURCES,
        "return next((tier for tier in _TIERS if tier in found), self.default)",
        "return next((tier for tier in reversed(_TIERS) if tier in found), self.default)",
        "A rumour that cites a trusted source as well is trusted.",
        (_WEAKEST,),
    ),
    Fault(
        2118,
        _DEFINITION,
        "if not said.supports_needed and not said.approvals:",
        "if not said.supports_needed and not said.approvals and said.min_confidence is None:",
        "A policy decides by confidence alone.",
        (_LAWS_OF_DEFINITIONS,),
    ),
    Fault(
        2119,
        _DEFINITION,
        'self.model_dump(mode="json", exclude_defaults=True)',
        'self.model_dump(mode="json")',
        "A rule that comes later makes other policies of those that are stored.",
        (_SHIPPED,),
    ),
    Fault(
        2120,
        _POLICIES,
        "    if name in state.named:\n",
        "    if name in SHIPPED:\n",
        "A policy gets other rules under its old name.",
        (_KEPT + "test_a_name_keeps_its_definition[sqlite]",),
    ),
    Fault(
        2121,
        _BOOK,
        "one.position <= position)",
        "one.position < position)",
        "A replay does not know the policy that was defined last before it.",
        (_KEPT + "test_what_is_far_behind_is_read_anew",),
    ),
    Fault(
        2122,
        _SIDES,
        "[*gone, *ended],",
        "gone,",
        "Whoever withdrew a contradiction by ending it approves of the claim.",
        (_CLEARED,),
    ),
)
