"""Why-not has one reason for every memory, and what it says to raise suffices."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from domain.ids import MEMORY
from domain.visibility import Viewer
from read_api.verdicts import ABSENT, CHANGED, DETAILS, EARLIER, RETURNED
from tests.recall.asking import ids, new_world
from tests.recall.test_laws import FEW, HISTORIES, NUMBERS, History

TEXTS = st.sampled_from(["otter", "otter otter", "otter river", "heron", "stone", "reed " * 60])
NETS = st.tuples(
    st.lists(st.tuples(TEXTS, st.sampled_from([None, None, "den"])), min_size=2, max_size=9),
    st.lists(st.tuples(NUMBERS, NUMBERS), max_size=14),
)
"""Texts of memories with the slot that they are about, and which of them are related."""
POLICIES = st.sampled_from([{}, {}, {"policy": "newest-recorded/v1"}])
LIMITS = st.fixed_dictionaries(
    {
        "max_items": st.integers(1, 5),
        "max_depth": st.integers(1, 3),
        "max_payload_bytes": st.sampled_from([600, 1_500, 2_500, 100_000, 100_000]),
        "max_cost": st.integers(1, 12),
        "supernode_threshold": st.integers(1, 4),
    }
)
ASKED = st.sampled_from(["otter", "river panda", "zebra"])
FILTERS = st.sampled_from(
    [{}, {}, {"kinds": ["claim"]}, {"session_id": "monday"}, {"as_of": "2031-01-01T00:00:00Z"}]
)
LARGE = {"timeout_ms": 60_000}
WIDE = {
    "max_items": 100,
    "max_depth": 16,
    "max_payload_bytes": 10**6,
    "max_cost": 10**6,
    "supernode_threshold": 10**6,
}


def recalled(world, objective, seeds, filters, limits):
    """A question of at most three pages, each with what it was asked with."""
    token = None
    for _ in range(3):
        page = world.recall(objective, seeds, page=token, more=filters, **LARGE, **limits)
        yield page
        token = page["next_page_token"]
        if token is None:
            return


def again(world, page, asked, limits):
    """The same question from its first page, at the same basis."""
    objective, seeds, filters = asked
    basis = page["basis"]
    more = {**filters, "as_of": basis["as_of"], "as_known_position": basis["position"]}
    return world.recall(objective, seeds, more=more, **LARGE, **limits)


@FEW
@given(HISTORIES, ASKED, st.lists(NUMBERS, max_size=2), FILTERS, LIMITS, HISTORIES)
def test_every_memory_has_one_reason(commands, objective, seeds, filters, limits, later):
    with new_world() as world:
        history = History(world).run(commands)
        chosen = [history.memories[at] for at in seeds if at < len(history.memories)]
        pages = list(recalled(world, objective, chosen, filters, limits))
        history.run(later)
        for number, page in enumerate(pages):
            for memory in history.memories:
                said = world.why_not(page["recall_id"], memory)
                if world.memory(memory).home.visible_to(Viewer("ann")):
                    assert_told(said, memory, pages[: number + 1])
                else:
                    assert said["reason"] == ABSENT


@FEW
@given(
    NETS,
    st.sampled_from(["otter", "otter river"]),
    st.booleans(),
    LIMITS,
    st.booleans(),
    POLICIES,
)
def test_the_limits_to_raise_make_it_an_item_and_nothing_less_does(
    net, objective, seeded, limits, forgets, policy
):
    texts, pairs = net
    with new_world() as world:
        memories = [
            world.remember(text) if slot is None else world.claim(note=text, slot=slot)
            for text, slot in texts
        ]
        for one, other in pairs:
            world.relate(memories[one % len(memories)], memories[other % len(memories)])
        asked = (objective, memories[-1:] if seeded else [], policy)
        pages = list(recalled(world, *asked, limits))
        if forgets:
            world.forget(memories.pop(0))
        for number, page in enumerate(pages):
            for memory in memories:
                said = world.why_not(page["recall_id"], memory)
                assert_told(said, memory, pages[: number + 1])
                assert_sufficient(world, page, asked, limits, memory, said)


def assert_told(said, memory, pages):
    """One reason, and it is an item or not as the pages say."""
    *before, page = pages
    assert said["reason"] in DETAILS
    assert said["reason"] != ABSENT
    assert said["item"] is (said["reason"] == RETURNED) is (memory in ids(page))
    assert (said["reason"] == EARLIER) is any(memory in ids(one) for one in before)
    assert (said["limit"] is None) is not said["raise"]


def assert_sufficient(world, page, asked, limits, memory, said):
    """With the limits raised it is an item; with any of them by one less it is none."""
    raised = said["raise"]
    if not raised:
        if said["reason"] not in {RETURNED, EARLIER}:
            # Only what does not depend on limits keeps it out, or nothing does any more.
            whole = again(world, page, asked, {**limits, **WIDE})
            assert (memory in ids(whole)) is (said["reason"] == CHANGED)
        return
    assert next(iter(raised)) == said["limit"]
    assert memory in ids(again(world, page, asked, {**limits, **raised}))
    for name in raised.keys() - {"max_payload_bytes"}:
        less = {**limits, **raised, name: raised[name] - 1}
        assert memory not in ids(again(world, page, asked, less))


@FEW
@given(HISTORIES, ASKED, LIMITS)
def test_what_somebody_may_not_see_is_answered_like_what_never_was(commands, objective, limits):
    with new_world() as world:
        history = History(world).run(commands)
        recall = world.recall(objective, **LARGE, **limits)
        never = world.new_id(MEMORY)

        for actor in ("ann", "bob"):
            if not _may_see(world, recall, actor):
                continue
            nothing = world.why_not(recall["recall_id"], never, {"actor": actor})
            for memory in history.memories:
                said = world.why_not(recall["recall_id"], memory, {"actor": actor})
                if not world.memory(memory).home.visible_to(Viewer(actor)):
                    assert {**said, "memory_id": never} == nothing
                else:
                    assert said["reason"] != ABSENT


def _may_see(world, recall, actor):
    [event] = world.log.stream("w", recall["recall_id"])
    [fact] = event.facts
    return fact.visibility == "workspace" or fact.owner == actor
