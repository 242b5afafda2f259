"""Lists over many decisions and proposals: one that cannot be read costs itself, and is told."""

from __future__ import annotations

from contextlib import closing
from typing import get_args

import pytest

from domain.envelope import CorruptEventError
from domain.registry import UnknownTopicError
from ops.cli_views_evidence import _WAITS, inbox
from ops.wiring import open_memoranda
from read_api.around_damage import around_damage
from read_api.duplicates import SuggestionFilters
from read_api.inbox_parts import What
from read_api.proposals import ProposalFilters
from tests.claims.stories import ONE, REVIEWED, Story
from tests.claims.test_inbox import page, paged, propose, supported
from tests.faults.flipping import flip


class Row:
    def __init__(self, position):
        self.position = position


def reading_of(rows, damaged):
    """As the log reads: a page with damage is not read at all."""

    def read(after, most):
        found = [at for at in rows if at > after][:most]
        for at in found:
            if at in damaged:
                raise CorruptEventError("damaged", position=at, originator_ids=(f"{at:x}",))
        return [Row(at) for at in found]

    return read


@pytest.mark.parametrize("damaged", [set(), {2}, {20}, {2, 4}, {6, 8, 14}, set(range(2, 22, 2))])
@pytest.mark.parametrize("most", [1, 2, 3, 7, 10, 50])
def test_every_page_tells_each_event_once_whichever_are_damaged(damaged, most):
    # Given ten events at even positions
    rows = range(2, 22, 2)
    read = reading_of(rows, damaged)

    # When all pages of a size are read
    whole, broken, after = [], [], 0
    while True:
        found = around_damage(read, after, most)
        assert found.looked == len([at for at in rows if at > after][:most])
        whole += [event.position for event in found.events]
        broken += [one.position for one in found.damaged]
        if found.looked < most:
            break
        after = found.last

    # Then each event is there, in order, and each damaged one is told
    assert whole == [at for at in rows if at not in damaged]
    assert broken == sorted(damaged)


def test_an_event_of_a_newer_program_is_not_taken_for_a_damaged_one():
    def read(after, most):
        raise UnknownTopicError("newer", position=3)

    with pytest.raises(UnknownTopicError):
        around_damage(read, 0, 5)


def damage(data, act):
    """A store in which something was done, and the first event of the stream of it flipped."""
    with closing(open_memoranda(data)) as store:
        story = Story(store)
        streams, kept = act(story)
        story._seen()
        positions = [store.log.stream("w", stream)[-1].position for stream in streams]
    for position in positions:
        flip(data, position)
    return positions, kept


def test_claims_that_wait_are_listed_beside_a_damaged_assessment(tmp_path):
    # Given two claims that wait for a word, and the assessment of one is damaged
    def act(story):
        claims = [supported(story), supported(story, "Otter", subject="zoo")]
        made = [story.assess(one, REVIEWED)["assessment"]["id"] for one in claims]
        return made[:1], claims[1]

    positions, sound = damage(tmp_path / "data", act)

    with closing(open_memoranda(tmp_path / "data")) as store:
        story = Story(store)
        # Then the other one waits still, on pages of every size, and the damage is told
        said = page(story)
        assert [item["id"] for item in said["items"]] == [sound]
        assert said["damaged"] == positions
        assert [item["id"] for item in paged(story, limit=1)] == [sound]
        told = "\n".join(line.plain for line in inbox(said))
        assert f"cannot be read  position {positions[0]}: see memoranda verify" in told


def test_a_claim_with_a_damaged_review_waits_for_another_assessment(tmp_path):
    def act(story):
        claim = supported(story)
        story.assess(claim, REVIEWED)
        return [story.review(claim)["review"]["id"]], claim

    _, claim = damage(tmp_path / "data", act)

    with closing(open_memoranda(tmp_path / "data")) as store:
        [item] = page(Story(store))["items"]
        assert item["command"] == f"memoranda assess {claim} --policy {REVIEWED}"


def test_claims_are_reassessed_beside_a_damaged_assessment(tmp_path):
    # Given two claims that would come out otherwise, and the assessment of one is damaged
    def act(story):
        claims = [supported(story), supported(story, "Otter", subject="zoo")]
        made = [story.assess(one, ONE)["assessment"]["id"] for one in claims]
        for one in claims:
            story.source("another", one, kind="contradicts")
        return made[:1], claims[1]

    positions, sound = damage(tmp_path / "data", act)

    with closing(open_memoranda(tmp_path / "data")) as store:
        found = Story(store).reassessed(ONE)
        assert [item["claim"][0] for item in found["items"]] == [sound]
        assert found["damaged"] == positions
        assert found["next_since"] is None


def test_an_assessment_is_not_the_latest_where_a_later_one_is_damaged(tmp_path):
    def act(story):
        claim = supported(story)
        story.assess(claim, ONE)
        last = story.assess(claim, ONE)["assessment"]["id"]
        story.source("another", claim, kind="contradicts")
        return [last], claim

    positions, _ = damage(tmp_path / "data", act)

    with closing(open_memoranda(tmp_path / "data")) as store:
        found = Story(store).reassessed(ONE)
        assert (found["items"], found["damaged"]) == ([], positions)


@pytest.mark.parametrize("ended", [False, True], ids=["proposed", "ended"])
def test_proposals_are_listed_beside_a_damaged_one(tmp_path, ended):
    # Given two proposals of which the last event of one is damaged: its first one, or its end
    def act(story):
        pairs = [[story.remember(f"{word} {one}") for one in "ab"] for word in ("oak", "elm")]
        made = [propose(story, *pair) for pair in pairs]
        if ended:
            for one in made:
                story.store.reject_proposal(story.by("ann"), one, "no", story.key())
        return made[:1], made[1]

    positions, sound = damage(tmp_path / "data", act)

    with closing(open_memoranda(tmp_path / "data")) as store:
        story = Story(store)
        asking = story.by("ann")
        # Then the other one is listed, wherever it is asked for
        said = store.read.proposals(asking, ProposalFilters())
        assert [item["proposal_id"] for item in said["items"]] == [sound]
        assert said["damaged"] == positions
        waiting = page(story)
        assert [item["id"] for item in waiting["items"]] == ([] if ended else [sound])
        assert waiting["damaged"] == positions
        assert store.read.suggestions(asking, SuggestionFilters())["items"] == []


def test_everything_that_may_wait_has_words_for_people():
    assert set(_WAITS) == set(get_args(What))
