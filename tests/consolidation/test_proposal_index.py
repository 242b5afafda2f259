"""Which proposals there are, followed from the log."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from domain.decisions import Fact
from domain.proposals import apply_proposal
from read_api.proposal_index import WORKSPACES_MAX, ProposalIndex
from tests.builders import (
    consolidation_applied,
    consolidation_proposed,
    consolidation_rejected,
    memory_remembered,
    proposal,
)
from tests.circumstances import MEMORY, an_id, event_context
from tests.projections.memory_log import MemoryLog

STREAMS = [an_id("prop_", number) for number in (7, 3, 5)]
WORKSPACES = ("v", "w")
EVENTS = {
    "proposed": consolidation_proposed,
    "applied": consolidation_applied,
    "rejected": consolidation_rejected,
}
_EVENT = st.tuples(
    st.sampled_from(WORKSPACES), st.sampled_from(STREAMS), st.sampled_from(sorted(EVENTS))
)
_STEPS = st.lists(st.one_of(_EVENT, st.sampled_from(["look", "memory", "hole"])), max_size=40)


def append(log, workspace, stream, event):
    log.append([Fact(stream, event)], event_context(workspace=workspace), 0)


def folded(log, workspace):
    """(id, home, how it ended, open members) of each proposal, from its whole stream."""
    found = []
    for stream in sorted(STREAMS):
        state = None
        for event in log.stream(workspace, stream):
            state = apply_proposal(state, event)
        if state is not None:
            last = [e.topic for e in log.stream(workspace, stream) if _after_proposed(log, e)][-1:]
            ended = {"consolidation.applied": "applied", "consolidation.rejected": "rejected"}
            how = ended.get(last[0]) if last else None
            found.append((stream, state.home, how, () if how else state.members))
    return found


def _after_proposed(log, event):
    before = log.stream(event.context.workspace, event.stream)[: event.version]
    return any(one.topic == "consolidation.proposed" for one in before)


@given(_STEPS)
def test_it_is_what_the_streams_say_whenever_it_is_asked(steps):
    log = MemoryLog()
    index = ProposalIndex(log, page=3)
    for step in [*steps, "look"]:
        match step:
            case "memory":
                append(log, "w", MEMORY, memory_remembered())
            case "hole":
                log.burn(2)
            case "look":
                for workspace in WORKSPACES:
                    told = [
                        (one.id, one.home, one.ended, one.members)
                        for one in index.of(workspace).listed
                    ]
                    assert told == folded(log, workspace)
            case (workspace, stream, name):
                append(log, workspace, stream, EVENTS[name]())


def test_what_was_read_is_not_read_again():
    log = MemoryLog()
    index = ProposalIndex(log)
    append(log, "w", STREAMS[0], consolidation_proposed())
    index.of("w")
    append(log, "w", MEMORY, memory_remembered())
    log.reads.clear()

    index.of("w")
    index.of("w")

    assert log.reads == [(1, 0)]


def test_no_text_of_a_proposal_is_kept():
    log = MemoryLog()
    index = ProposalIndex(log)
    said = proposal(reason="canary", disagreements=[{"memory_ids": ["canary"]}])
    append(log, "w", STREAMS[0], consolidation_proposed(payload=said))
    append(log, "w", STREAMS[1], consolidation_proposed(payload=said))
    append(log, "w", STREAMS[1], consolidation_rejected())

    assert "canary" not in repr(index.of("w"))


def test_the_workspace_that_was_unused_for_longest_is_dropped_and_read_anew():
    log = MemoryLog()
    index = ProposalIndex(log)
    append(log, "w", STREAMS[0], consolidation_proposed())
    for number in range(WORKSPACES_MAX):
        index.of("w" if number == 1 else f"other {number}")
    log.reads.clear()
    index.of("w")
    assert log.reads == []

    for number in range(WORKSPACES_MAX):
        index.of(f"another {number}")
    assert [one.id for one in index.of("w").listed] == [STREAMS[0]]
    assert log.reads[-1] == (0, 1)
