"""Citations of a window that was sent as several parts of a session (docs/spec/bundle.md §4).

What a window authorised, or said again, has a citation for each part that it was sent as: before
it was decided, while it waited for its extractor, and afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from commands.working import View
from domain.bundle_events import CitationAdded, Citing
from domain.bundles.sending import Sent, restored
from domain.bundles.window_body import ProposalBody
from domain.bundles.windows import WindowState
from domain.decisions import Decision, Fact
from domain.event_bases import Target


def owed(
    view: View,
    d: Decision,
    sent: Sent,
    before: WindowState | None,
    verdicts: Iterable[tuple[ProposalBody, Mapping[str, Any]]],
    memories: Mapping[str, int],
) -> list[Fact]:
    """What verdicts that apply owe beyond the citation of the part that is decided.

    `before` is the window until now, `memories` the versions of those that are spoken of. A
    verdict that stands since an earlier attempt was cited for all parts that were sent by then.
    """
    if before is None:
        return []
    earlier = _parts_before(before, sent)
    as_new = [] if sent.range in [part.range for part in earlier] else [sent]
    others = [part for part in earlier if part.range != sent.range]
    window = (sent.id, before.version + 1)
    return [
        fact
        for proposal, verdict in verdicts
        for part in (as_new if verdict.get("kept") else others)
        for fact in repeated(view, d, part, (proposal, verdict), window, memories)
    ]


def repeated(
    view: View,
    d: Decision,
    part: Sent,
    judged: tuple[ProposalBody, Mapping[str, Any]],
    window: Target,
    memories: Mapping[str, int],
) -> list[Fact]:
    """One more citation of what a verdict applied, as the part says it.

    None of a memory that was forgotten since: its evidence would be told again.
    """
    proposal, verdict = judged
    if verdict["outcome"] != "applied":
        return []
    memory = verdict["memory_id"]
    version = memories.get(memory)
    if version is None:
        view.working.require([memory, verdict["claim_id"]])
        state = view.memory(memory)
        if state is None or state.forgotten is not None:
            return []
        version = state.version
    added = CitationAdded(
        session=d.context.session,
        visibility="private",
        owner=d.context.actor,
        mode="repeated",
        target_id=memory,
        targets=[(memory, version), window],
        payload=Citing(
            citation=part.citation(proposal.primary_evidence_ids, proposal.citations),
            reason=proposal.reason,
        ),
    )
    return [Fact(verdict["claim_id"], added)]


def _parts_before(before: WindowState, sent: Sent) -> list[Sent]:
    """The window as it was sent each time, once for each part, without those that are erased."""
    parts: list[Sent] = []
    for one in before.attempts:
        if one.said is None or one.said.history_window in [part.range for part in parts]:
            continue
        parts.append(restored(sent.id, one.said, sent.shelf.viewer, sent.shelf.secret))
    return parts
