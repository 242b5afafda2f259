"""Faults in trace, and in recalls that are read back."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_TRACE = "read_api/trace.py"
_VERSIONS = "read_api/trace_versions.py"
_TESTS = ("tests/trace/test_trace.py",)

TRACING: Final = (
    Fault(
        601,
        _VERSIONS,
        'audits={"trace", "forget"} <= granted',
        'audits="trace" in granted',
        "The reason of a forget is shown to callers who may not forget.",
        (
            "tests/trace/test_trace.py::test_after_a_tombstone_text_and_reason_are_for_callers_with_trace_and_forget",
        ),
    ),
    Fault(
        602,
        _VERSIONS,
        'return last.forgotten == "tombstone" and self.audits',
        "return self.audits",
        "Text that is to be destroyed is shown until its keys are.",
        (
            "tests/trace/test_trace.py::test_an_application_delete_hides_the_text_before_its_keys_are_destroyed",
        ),
    ),
    Fault(
        603,
        _VERSIONS,
        "    if clearance.reads:",
        "    if clearance.reads or clearance.audits:",
        "The record itself is shown to callers without read permission.",
        ("tests/trace/test_permissions.py::test_records_need_read_and_reasons_need_forget",),
    ),
    Fault(
        604,
        _TRACE,
        "return named <= seen | records.proposals(named)",
        "return bool(named)",
        "A mutation of somebody's private memory is traced by everybody.",
        (
            "tests/trace/test_trace.py::test_a_mutation_of_something_private_is_there_for_its_actor_alone",
        ),
    ),
    Fault(
        605,
        _TRACE,
        "*(stream for stream, _ in reversed(rows))",
        "*(stream for stream, _ in rows)",
        "A correlation id that was used twice leads to the older mutation.",
        (
            "tests/trace/test_trace.py::test_a_correlation_id_that_was_used_twice_leads_to_the_newest_mutation",
        ),
    ),
    Fault(
        606,
        _TRACE,
        "if isinstance(fact, RecallRecorded) and visible_to(context.viewer, fact):",
        "if isinstance(fact, RecallRecorded):",
        "A private recall is traced by everybody.",
        ("tests/trace/test_trace.py::test_a_private_recall_is_traced_by_its_owner_alone",),
    ),
    Fault(
        607,
        _TRACE,
        "return paths_of(found[key].at(version) for key, version in targets if key in found)",
        "return paths_of(found[key].last for key, _ in targets if key in found)",
        "The path of an old recall names sources that its edge got only later.",
        ("tests/trace/test_trace.py::test_a_recall_is_traced_as_it_was_answered",),
    ),
    Fault(
        608,
        "read_api/trace_gaps.py",
        "return start < min(min(bounds.until_us, bounds.expires_us) for bounds in ends)",
        "return start <= min(min(bounds.until_us, bounds.expires_us) for bounds in ends)",
        "A value that follows another one in time is called a contradiction of it.",
        ("tests/trace/test_gaps.py::test_a_change_in_the_world_is_no_contradiction",),
    ),
    Fault(
        609,
        "read_api/trace_gaps.py",
        "    if memory.forgotten is not None or memory.erased:",
        "    if memory.erased:",
        "The trace of a forgotten memory tells what its text was about.",
        ("tests/trace/test_gaps.py::test_of_a_forgotten_memory_only_the_originals_are_told",),
    ),
    Fault(
        610,
        _TRACE,
        "hides = not clearance.audits and quotes_forgotten(fact, memories)",
        "hides = not clearance.reads and quotes_forgotten(fact, memories)",
        "The question that found a forgotten memory is shown, with its words, to every reader.",
        ("tests/trace/test_permissions.py",),
    ),
)
