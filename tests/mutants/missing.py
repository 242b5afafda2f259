"""Faults in what is said of a memory that was not in an answer."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_WHY_NOT = "read_api/why_not.py"
_REACHING = "read_api/reaching.py"
_LEFT_OUT = "read_api/left_out.py"
_TESTS = "tests/recall/test_why_not.py::"

MISSING: Final = (
    Fault(
        581,
        _WHY_NOT,
        "actor = context.actor if fact.owner == context.actor else _NOBODY",
        "actor = fact.owner",
        "Of somebody else's recall is told what only its asker may see.",
        (f"{_TESTS}test_a_private_memory_was_no_item_of_what_somebody_else_asked",),
    ),
    Fault(
        582,
        _WHY_NOT,
        "basis.workspace, viewer.actor, UNLIMITED, basis.as_of_us, viewer.session",
        "basis.workspace, self._fact.owner, UNLIMITED, basis.as_of_us, viewer.session",
        "A memory that is private to the asker of a recall is told of to everybody.",
        ("tests/recall/test_why_not.py",),
    ),
    Fault(
        583,
        _REACHING,
        "cost = walks.walk(replace(budgets, max_items=before)).cost + 1 if before else 0",
        "cost = walks.walk(replace(budgets, max_items=before)).cost if before else 0",
        "The cost that is told to suffice is too small by one.",
        (f"{_TESTS}test_what_costs_too_much_is_told_with_the_least_cost_that_suffices",),
    ),
    Fault(
        584,
        _REACHING,
        "budgets = replace(budgets, max_depth=max(budgets.max_depth, depth))",
        "budgets = replace(budgets, max_depth=DEPTH_MAX)",
        "To see one memory more than the depth gives, everything is asked for.",
        (f"{_TESTS}test_what_is_further_than_the_depth_is_told_with_the_depth",),
    ),
    Fault(
        585,
        _LEFT_OUT,
        "raised = {**way.raised, **needed}",
        "raised = dict(way.raised)",
        "A full page is no reason, so an answer is said to have changed.",
        (f"{_TESTS}test_what_did_not_fit_is_told_with_the_bytes_that_suffice",),
    ),
    Fault(
        586,
        "read_api/exclusion_view.py",
        "if row.forgotten is not None or (row.erased if said is None else said.erased):",
        "if row.forgotten is not None:",
        "A version that was forgotten by itself is said to have been an answer.",
        (f"{_TESTS}test_a_version_that_was_forgotten_by_itself_is_deleted",),
    ),
    Fault(
        587,
        "read_api/recordings.py",
        '{"pages": list(page.pages)} if page.pages else {}',
        '{"pages": list(page.pages)} if not page.pages else {}',
        "What an earlier page gave is said to be left out of the question.",
        (f"{_TESTS}test_an_item_is_told_to_be_one_with_its_rank_and_page",),
    ),
    Fault(
        588,
        _WHY_NOT,
        "if self._recorded.hides:",
        "if self._recorded.hides is None:",
        "Whether a memory has the words of a question that quotes what was forgotten is told.",
        (
            f"{_TESTS}test_a_question_that_may_quote_what_was_forgotten_is_for_those_who_may_read_it",
        ),
    ),
    Fault(
        589,
        _WHY_NOT,
        "known = [row for row in rows if row.position <= basis.position]",
        "known = list(rows)",
        "A memory is judged by versions that the recall could not know.",
        (f"{_TESTS}test_what_is_judged_is_the_version_of_the_basis",),
    ),
    Fault(
        590,
        "read_api/verdicts.py",
        "name: value if value <= (BUDGETS[name] or value) else None",
        "name: value",
        "A limit is told to be raised to what would be refused.",
        (f"{_TESTS}test_a_limit_that_cannot_be_raised_enough_is_named_without_a_value",),
    ),
)
