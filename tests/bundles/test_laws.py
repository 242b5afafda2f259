"""What holds whatever is sent: one claim, one current memory; and nothing of anybody else."""

from __future__ import annotations

import itertools
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.bundle_events import TakeawayAdded, TakeawayMoved
from domain.bundles.takeaways import TakeawayState, apply_takeaway
from domain.ids import CLAIM
from ops.wiring import open_memoranda
from tests.bundles.scribes import ADD, SUPERSEDE, UPDATE, Scribe, about, saying

RULES = (
    "Charts are stored flat",
    "charts  are STORED flat",
    "Charts are always stored flat",
    "Charts are never stored flat",
    "Fog signals sound every 30 seconds",
    "Fog signals sound every 20 seconds",
    "Release notes are drafted by the person who merges the change",
    "Release notes are always drafted by the person who merges the change",
)
steps = st.lists(
    st.tuples(
        st.sampled_from(RULES),
        st.sampled_from(["create_new_concept", ADD, UPDATE, SUPERSEDE]),
        st.integers(0, 4),  # which known claim is named; more than there are: none
        st.integers(1, 5),  # the day
        st.sampled_from(["send", "send", "send", "again", "forget"]),
    ),
    max_size=9,
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with closing(open_memoranda(tmp_path_factory.mktemp("laws") / "data")) as opened:
        yield opened


workspaces = itertools.count()


def play(scribe, sequence):
    """Send, send again, or forget; all answers."""
    answers, known, bodies, gone = [], [], [], set()
    for rule, action, target, day, what in sequence:
        named = about(known[target]) if target < len(known) else {}
        if what == "again" and bodies:
            answers.append(scribe.send(bodies[target % len(bodies)]))
        elif what == "forget" and target < len(known):
            memory = known[target]["memory_id"]
            if memory not in gone:
                scribe.forget(memory)
                gone.add(memory)
            continue
        else:
            body = scribe.window(
                saying(rule, action=action, **named), observed_at=f"2024-06-0{day}T10:00:00Z"
            )
            bodies.append(body)
            answers.append(scribe.send(body))
        known += [one for one in answers[-1]["proposals"] if one["memory_id"]]
    return answers


def takeaways(scribe) -> list[TakeawayState]:
    """All takeaways of a workspace, folded from the log."""
    topics = (TakeawayAdded.TOPIC, TakeawayMoved.TOPIC)
    events = scribe.store.log.after(0, 10_000, workspace=scribe.workspace, topics=topics)
    states = []
    for stream in sorted({event.stream for event in events if event.stream.startswith(CLAIM)}):
        state = None
        for event in scribe.store.log.stream(scribe.workspace, stream):
            state = apply_takeaway(state, event)
        states.append(state)
    return states


@given(steps)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_claim_has_one_current_memory_and_recall_finds_that_one_alone(store, sequence):
    scribe = Scribe(store, workspace=f"law-{next(workspaces)}")
    answers = play(scribe, sequence)
    found = set(scribe.found("charts fog signals release notes stored sound drafted"))
    for state in takeaways(scribe):
        memories = [said.memory_id for said in state.sayings]
        assert len(memories) == len(set(memories))
        assert found & set(memories) <= {state.now.memory_id}
    current = {state.now.memory_id for state in takeaways(scribe)}
    assert found <= current
    for answer in answers:
        assert scribe.replay(answer["window_id"]) in {"identical", "identical_except_erased"}


@given(steps, steps)
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_another_owner_sends_changes_no_verdict(store, mine, theirs):
    # Given what comes out where nobody else is
    alone = Scribe(store, workspace=f"law-{next(workspaces)}")
    expected = play(alone, mine)
    # When somebody else has sent windows of the same repository before
    shared = f"law-{next(workspaces)}"
    play(Scribe(store, actor="bob", workspace=shared), theirs)
    among = play(Scribe(store, workspace=shared), mine)
    # Then everything comes out the same, but for the ids of another workspace
    assert [shape(one) for one in among] == [shape(one) for one in expected]


def shape(answer):
    """An answer with ids told apart, and not named."""
    names = {}

    def named(text):
        return names.setdefault(text, f"#{len(names)}") if text else text

    return [
        answer["result"],
        [
            [
                one["outcome"],
                one["restated"],
                one["reason"],
                *(named(one[key]) for key in ("concept_id", "claim_id", "memory_id")),
                [(named(each["claim_id"]), each["score"]) for each in one["candidates"]],
            ]
            for one in answer["proposals"]
        ],
    ]
