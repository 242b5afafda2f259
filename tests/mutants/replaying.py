"""Faults in what is said of a recall that is executed once more."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_REPLAY = "read_api/replay.py"
_COMPARING = "read_api/replay_comparing.py"
_TESTS = "tests/recall/test_replay.py::"

REPLAYING: Final = (
    Fault(
        591,
        _COMPARING,
        "    if not forgot:\n        return Compared(DIFFERS, first, now)\n",
        "",
        "An answer that changed by itself is said to differ only in what was erased.",
        (f"{_TESTS}test_another_parameter_is_seen_in_the_first_score",),
    ),
    Fault(
        592,
        _COMPARING,
        '    yield from differences(before["basis"], now["basis"], "basis")\n',
        "",
        "Something that was forgotten excuses another ranker.",
        (f"{_TESTS}test_what_is_forgotten_excuses_no_other_difference",),
    ),
    Fault(
        593,
        _COMPARING,
        'one["id"] not in there and one["id"] not in gone and _starts(one["reasons"])',
        'one["id"] not in there and one["id"] in gone and _starts(one["reasons"])',
        "What was forgotten is said to be missing, and what is missing is not.",
        (
            f"{_TESTS}test_an_item_that_was_forgotten_is_all_that_is_missing",
            f"{_TESTS}test_what_is_forgotten_is_no_reason_for_a_newcomer_nor_for_another_one_missing",
        ),
    ),
    Fault(
        594,
        _REPLAY,
        "told, slot = was_told(fact), self._asked_slot(context, said)",
        "told, slot = False, self._asked_slot(context, said)",
        "A page on which an item was named as too large is never replayed.",
        (f"{_TESTS}test_every_page_is_replayed_after_the_pages_before_it",),
    ),
    Fault(
        595,
        _REPLAY,
        "next((reason for reason in (TIMEOUT, PARTIAL) if reason in happened), None)",
        "next((reason for reason in (PARTIAL,) if reason in happened), None)",
        "Where a recall ran out of time is taken for a matter of its basis.",
        (f"{_TESTS}test_a_recall_that_ran_out_of_time_is_not_comparable",),
    ),
    Fault(
        596,
        _REPLAY,
        "    if recorded.hides:\n        return HIDDEN\n",
        "",
        "A question that quotes what was forgotten is answered again for those who may not see it.",
        (f"{_TESTS}test_a_question_that_may_quote_what_was_forgotten_is_hidden",),
    ),
    Fault(
        597,
        _REPLAY,
        "        known(MEMORY_VERSION),\n",
        '        _ROW.workspace == bindparam("basis_workspace"),\n',
        "That somebody forgot something private is told to everybody.",
        (f"{_TESTS}test_what_is_private_and_forgotten_excuses_nothing_for_others",),
    ),
)
