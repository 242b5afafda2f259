"""What `memoranda capture` tells people."""

from __future__ import annotations

from collections.abc import Iterator

from ops.capture.delivery import Report
from ops.capture.lines import LINE_BYTES_MAX
from ops.capture.windows import BYTES_MAX, EVENTS_MAX, Window
from ops.cli_text import counted, pairs, plain


def told(report: Report) -> Iterator[str]:
    """What a run posted, a line for each window, and what it left out and why."""
    for one in report.posted:
        said, (start, end) = one.as_json(), one.window.lines
        known = ", known before" if said["idempotent"] is True else ""
        result = plain(said["result"] or "waits for the extractor")
        yield f"lines {start}–{end}: {counted(said['events'], 'event')}, {result}{known}"
        yield from told_of_cut(one.window)
        for proposal in said["proposals"] or []:
            shown = {name: proposal.get(name) for name in ("outcome", "claim_id", "reason")}
            yield f"  proposal {plain(proposal.get('index'))}: {pairs(shown)}"
    if report.reading is None:
        return
    if not report.posted and not report.shown:
        yield "nothing new"
    if report.redactions():
        yield f"redacted before it was sent: {pairs(report.redactions())}"
    lines, waiting = report.reading.lines, report.reading.waiting
    if lines.unreadable:
        yield f"{counted(lines.unreadable, 'line')} skipped: no JSON object"
    if lines.too_long:
        yield f"{counted(lines.too_long, 'line')} skipped: longer than {LINE_BYTES_MAX} bytes"
    if waiting is not None:
        yield f"from line {waiting.line} on it waits for the agent's answer; --finished sends it"
    if lines.torn:
        yield "the last line is not written to its end: it is left for the next run"


def told_of_cut(window: Window) -> Iterator[str]:
    """Why a window does not end with its turn; nothing for one that does."""
    if window.cut_turn:
        start, end = window.lines
        yield (
            f"  lines {start}–{end} are a part of one turn, which is larger than a window "
            f"({EVENTS_MAX} events, {BYTES_MAX} bytes)"
        )
