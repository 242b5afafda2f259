"""What waits for a person, on both stores: what it is, what settles it, and where pages end."""

from __future__ import annotations

from contextlib import closing

import pytest

from domain.canonical import canonical
from domain.context import PERMISSIONS
from ops.http.evidence_models import ReviewPage
from ops.parked import list_parked
from ops.wiring import open_memoranda
from read_api import inbox
from read_api.inbox import InboxFilters
from tests.circumstances import context
from tests.claims.stories import REVIEWED, TWO, Story, refused
from tests.cli_operations.test_every_command import park

OPERATOR = frozenset(PERMISSIONS) - {"host"}


def page(story, by="ann", permissions=OPERATOR, **filters):
    story._seen()
    asking = context(workspace=story.workspace, actor=by, permissions=permissions)
    said = story.store.read.reviews(asking, InboxFilters(**filters))
    assert ReviewPage.model_validate(said)
    return said


def waiting(story, **asked):
    return [(item["what"], item["id"]) for item in page(story, **asked)["items"]]


def paged(story, **asked):
    """All items, a page after another; no page after an end."""
    items, cursor = [], None
    for _ in range(100):
        said = page(story, cursor=cursor, **asked)
        items += said["items"]
        cursor = said["next_cursor"]
        if cursor is None:
            return items
    raise AssertionError("the pages do not end")


def propose(story, *members, by="ann"):
    said = {
        "mode": {"mode": "propose"},
        "memory_ids": list(members),
        "reason": "same",
        "preserve_disagreements": True,
    }
    return story._execute("consolidate", said, by)["proposal_id"]


def supported(story, value="PostgreSQL", **more):
    claim = story.claim(value, **more)
    story.source(f"source of {claim}", claim)
    return claim


def test_nothing_waits_in_a_store_in_which_nothing_happened(story):
    assert page(story)["items"] == []
    supported(story)
    assert page(story)["items"] == []
    assert page(story)["next_cursor"] is None


def test_a_claim_that_lacks_nothing_but_an_approval_waits(story):
    claim = supported(story)
    story.assess(claim)
    assert waiting(story) == []
    decided = story.assess(claim, REVIEWED)["assessment"]

    [item] = page(story)["items"]

    assert (item["what"], item["id"], item["version"]) == ("approval", claim, 1)
    assert (item["because"], item["policy"]) == (decided["id"], REVIEWED)
    assert item["since"] == decided["recorded_at"]
    assert item["command"] == f"memoranda approve {claim} --policy {REVIEWED}"


def test_a_claim_that_was_approved_waits_for_another_assessment_and_then_no_more(story):
    claim = supported(story)
    story.assess(claim, REVIEWED)
    story.review(claim)

    [item] = page(story)["items"]
    assert item["command"] == f"memoranda assess {claim} --policy {REVIEWED}"

    story.assess(claim, REVIEWED)
    assert waiting(story) == []


def test_a_claim_that_states_something_else_since_waits_no_more(story):
    claim = supported(story)
    story.assess(claim, REVIEWED)
    story.update("memory", claim, content={"format": "text", "value": "the store is MySQL"})

    assert waiting(story) == []


def test_a_forgotten_claim_waits_no_more(story):
    claim = supported(story)
    story.assess(claim, REVIEWED)
    story.forget(claim)

    assert waiting(story) == []


def test_a_contradiction_that_was_withdrawn_waits_for_a_word(story):
    claim = supported(story)
    story.source("another", claim)
    edge = story.relate(story.remember("inventory", "sam", "source"), claim, "contradicts")
    story.update("relationship", edge, "sam", lifecycle="superseded")
    assert story.recommended(claim, TWO) == ("contested", ["contradiction_withdrawn"])

    [item] = page(story)["items"]

    assert (item["what"], item["id"], item["policy"]) == ("contradiction_withdrawn", claim, TWO)
    assert item["command"] == f"memoranda approve {claim} --policy {TWO}"


def test_an_open_proposal_waits_and_a_stale_or_rejected_one_does_not(story):
    members = [story.remember(f"tea {number}") for number in range(4)]
    open_one = propose(story, *members[:2])
    stale = propose(story, *members[2:])
    rejected = propose(story, members[1], members[2])
    story.update("memory", members[3], confidence=0.5)
    story.store.reject_proposal(story.by("ann"), rejected, "r", "reject")

    [item] = page(story)["items"]

    assert (item["what"], item["id"]) == ("proposal", open_one)
    assert item["command"].startswith(f"memoranda consolidate apply {open_one} {members[0]} ")
    assert stale not in str(item)


def test_what_was_made_from_something_forgotten_waits_until_it_is_written_again(story):
    first, second = story.remember("first"), story.remember("second")
    made = story.remember("made of both")
    for origin in (first, second):
        story.relate(made, origin, "derived_from")
    story.forget(first)
    story.forget(second)

    [item] = page(story)["items"]

    assert (item["what"], item["id"], item["because"]) == ("needs_review", made, second)
    assert item["command"] == f"memoranda update {made} TEXT --expected-version 1"
    story.update("memory", made, content={"format": "text", "value": "made anew"})
    assert waiting(story) == []


def test_what_is_private_waits_for_its_owner_alone(story):
    origin = story.remember("origin")
    made = story.remember("mine", "sam", visibility="private")
    story.relate(made, origin, "derived_from", by="sam")
    members = [story.remember(f"sam {n}", "sam", visibility="private") for n in range(2)]
    proposal = propose(story, *members, by="sam")
    claim = story.claim("x", by="sam")
    story.relate(story.remember("p", "sam", visibility="private"), claim, by="sam")
    story.assess(claim, REVIEWED, by="sam")
    story.forget(origin)

    assert waiting(story) == []
    told = waiting(story, by="sam")
    assert told == [("approval", claim), ("proposal", proposal), ("needs_review", made)]


def test_pages_of_any_size_tell_everything_once_and_record_nothing(story):
    for number in range(3):
        story.assess(supported(story, number, subject=f"s{number}"), REVIEWED)
        propose(story, story.remember(f"a {number}"), story.remember(f"b {number}"))
    origin = story.remember("origin")
    for number in range(3):
        story.relate(story.remember(f"made {number}"), origin, "derived_from")
    story.forget(origin)
    head = story.store.log.head()

    whole = page(story)
    expected = whole["items"]

    assert whole["next_cursor"] is None
    assert [item["what"] for item in expected] == [
        *["approval"] * 3,
        *["proposal"] * 3,
        *["needs_review"] * 3,
    ]
    for limit in (1, 2, 4):
        assert canonical(paged(story, limit=limit)) == canonical(expected)
    assert story.store.log.head() == head


def test_a_page_looks_at_so_many_at_most_and_goes_on(told, monkeypatch):
    story = told
    claims = [supported(story, number, subject=f"s{number}") for number in range(5)]
    for claim in claims[:4]:
        story.assess(claim)
    story.assess(claims[4], REVIEWED)
    monkeypatch.setattr(inbox, "LOOKED_MAX", 2)

    first = page(story)

    assert first["items"] == []
    assert first["next_cursor"] is not None
    assert [item["id"] for item in paged(story)] == [claims[4]]


def test_a_cursor_of_another_list_is_refused(story):
    story.assess(supported(story), REVIEWED)

    assert refused(page, story, cursor="x") == ("INVALID_REQUEST", "cursor", "CURSOR_INVALID")


@pytest.fixture
def parked_story(tmp_path):
    """A store of which a read model has parked a stream, and the id of that."""
    park(tmp_path / "data")
    [stream] = {one.stream.stream for one in list_parked(tmp_path / "data")}
    with closing(open_memoranda(tmp_path / "data")) as opened:
        yield Story(opened), stream


@pytest.mark.parametrize("operates", [True, False])
def test_a_parked_stream_waits_for_who_may_operate(parked_story, operates):
    story, stream = parked_story
    granted = OPERATOR if operates else OPERATOR - {"operate"}

    found = page(story, permissions=granted)["items"]

    if not operates:
        assert found == []
        return
    assert {(item["what"], item["id"]) for item in found} == {("parked", stream)}
    assert all(
        item["command"].startswith(f"memoranda parked retry {stream} --projection ")
        for item in found
    )
