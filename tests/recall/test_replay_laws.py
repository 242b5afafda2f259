"""Every recorded recall is the same when it is executed once more, whatever came after it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.recall.asking import new_world
from tests.recall.test_laws import HISTORIES, NUMBERS, History
from tests.recall.test_why_not_laws import FILTERS, LIMITS, POLICIES, recalled
from tests.recall_index.test_system_laws import new_site

FEW = settings(max_examples=12)
OBJECTIVES = st.sampled_from(["otter", "otter river", "river panda stone", "zebra"])
QUESTIONS = st.tuples(OBJECTIVES, st.lists(NUMBERS, max_size=2), FILTERS, POLICIES, LIMITS)
ERASING = ["tombstone", "application_delete"]


def ask(world, history, question):
    objective, seeds, filters, policy, limits = question
    chosen = [history.memories[at] for at in seeds if at < len(history.memories)]
    return list(recalled(world, objective, chosen, {**filters, **policy}, limits))


def assert_verdicts(world, pages, *allowed):
    head = world.log.head()
    for page in pages:
        said = world.replay(page["recall_id"])
        assert said["verdict"] in allowed, said
        assert (said["first_difference"] is None) is (said["verdict"] == "identical")
    assert world.log.head() == head


@FEW
@given(HISTORIES, QUESTIONS, HISTORIES, QUESTIONS)
def test_every_recall_replays_identically_after_whatever_is_written(
    commands, question, later, other
):
    with new_world() as world:
        history = History(world).run(commands)
        pages = ask(world, history, question)
        history.run(command for command in later if command[-1] not in ERASING)
        pages += ask(world, history, other)

        assert_verdicts(world, pages, "identical")


@FEW
@given(HISTORIES, QUESTIONS, HISTORIES)
def test_what_is_forgotten_later_is_all_that_is_missing(commands, question, later):
    with new_world() as world:
        history = History(world).run(commands)
        pages = ask(world, history, question)
        history.run(later)

        assert_verdicts(world, pages, "identical", "identical_except_erased")


@FEW
@given(HISTORIES, QUESTIONS, HISTORIES)
def test_segments_replay_what_was_answered_before_they_were_made(commands, question, later):
    with new_site() as site:
        world = site.world
        history = History(world).run(commands)
        pages = ask(world, history, question)
        site.indexer.flush("w")
        history.run(command for command in later if command[-1] not in ERASING)
        pages += ask(world, history, question)
        site.rounds.work("w")

        assert_verdicts(world, pages, "identical")
