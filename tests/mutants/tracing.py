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
        _TESTS,
    ),
    Fault(
        602,
        _VERSIONS,
        'return last.forgotten == "tombstone" and self.audits',
        "return self.audits",
        "Text that is to be destroyed is shown until its keys are.",
        _TESTS,
    ),
    Fault(
        603,
        _VERSIONS,
        "    if viewer.reads:",
        "    if viewer.reads or viewer.audits:",
        "The record itself is shown to callers without read permission.",
        _TESTS,
    ),
    Fault(
        604,
        _TRACE,
        "return named <= seen | records.proposals(named)",
        "return bool(named)",
        "A mutation of somebody's private memory is traced by everybody.",
        _TESTS,
    ),
    Fault(
        605,
        _TRACE,
        "*(stream for stream, _ in reversed(rows))",
        "*(stream for stream, _ in rows)",
        "A correlation id that was used twice leads to the older mutation.",
        _TESTS,
    ),
    Fault(
        606,
        _TRACE,
        "if isinstance(fact, RecallRecorded) and visible_to(context.actor, fact):",
        "if isinstance(fact, RecallRecorded):",
        "A private recall is traced by everybody.",
        _TESTS,
    ),
    Fault(
        607,
        _TRACE,
        "return paths_of(found[key].at(version) for key, version in targets if key in found)",
        "return paths_of(found[key].last for key, _ in targets if key in found)",
        "The path of an old recall names sources that its edge got only later.",
        _TESTS,
    ),
    Fault(
        608,
        "read_api/trace_gaps.py",
        "return start < min(min(bounds.until_us, bounds.expires_us) for bounds in ends)",
        "return start <= min(min(bounds.until_us, bounds.expires_us) for bounds in ends)",
        "A value that follows another one in time is called a contradiction of it.",
        ("tests/trace/test_gaps.py",),
    ),
    Fault(
        609,
        "read_api/trace_gaps.py",
        "    if memory.forgotten is not None or memory.erased:",
        "    if memory.erased:",
        "The trace of a forgotten memory tells what its text was about.",
        ("tests/trace/test_gaps.py",),
    ),
)
