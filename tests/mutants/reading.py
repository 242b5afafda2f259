"""Faults in what reading routes say of the past."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_PAST: Final = "tests/http/test_past_memory.py::"

READING: Final = (
    Fault(
        1801,
        "read_api/past_basis.py",
        "position = min(seen, asked.as_known_position)",
        "position = seen",
        "A memory is shown as it is, whatever position was asked for.",
        (_PAST + "test_what_was_known_at_a_position_is_what_was_read_then",),
    ),
    Fault(
        1802,
        "read_api/past_basis.py",
        "position = min(seen, known)",
        "position = min(seen, known + 1)",
        "What was stored a moment later is known.",
        (_PAST + "test_a_time_of_storing_names_the_same_basis_as_the_position",),
    ),
    Fault(
        1803,
        "read_api/past_records.py",
        "    MEMORY_VERSION.c.forgotten.is_(None),\n",
        "",
        "What was forgotten can be read at an earlier basis.",
        (_PAST + "test_what_is_forgotten_is_gone_from_every_basis",),
    ),
    Fault(
        1804,
        "read_api/past_records.py",
        'return {"reason": found[0].reason} if found else None',
        "return None",
        "A memory that was no answer is shown as one that was.",
        (_PAST + "test_validity_is_half_open_at_the_instant_that_is_asked_for",),
    ),
)
