"""The evidence about a claim in pages: each piece once, as on the whole, what is against first."""

from __future__ import annotations

from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import update

from domain.claims.chains import Limits
from ops.http.claim_models import ClaimEvidenceAnswer
from ops.wiring import open_memoranda
from projections.database import reading, writing
from projections.schema import MEMORY_VERSION
from read_api.basis import Basis
from read_api.decisions import Decisions
from read_api.evidence_pages import START, Mark, evidence_page
from read_api.known_in_views import KnownInViews
from tests.claims.asking import in_views
from tests.claims.known.test_laws import COMMANDS, FEW, Played
from tests.claims.stories import Story, refused
from tests.recall.asking import new_world


def walked(story, claim, limit, **asked):
    """The answers of all pages."""
    pages = [story.evidence(claim, limit=limit, **asked)]
    while pages[-1]["next_cursor"] is not None:
        cursor = pages[-1]["next_cursor"]
        pages.append(story.evidence(claim, limit=limit, cursor=cursor, **asked))
    assert [ClaimEvidenceAnswer.model_validate(page) for page in pages]
    return pages


def told(pages):
    """The memories that speak, side by side."""
    return [
        [
            (side, piece["memory"]["id"])
            for side in ("contradicts", "supports")
            for piece in page[side]
        ]
        for page in pages
    ]


@pytest.fixture
def disputed(story):
    """A claim with five sources for it and two against it, the last one of all that."""
    claim = story.claim("PostgreSQL")
    for number in range(5):
        story.source(f"source {number}", claim)
    for number in range(2):
        story.source(f"inventory {number}", claim, kind="contradicts")
    return claim


def test_pages_of_any_size_tell_every_piece_once_those_against_the_claim_first(story, disputed):
    whole = story.evidence(disputed)

    assert (whole["complete"], whole["cut"], whole["next_cursor"]) == (True, False, None)
    for limit in (1, 2, 3, 7):
        pages = walked(story, disputed, limit)
        assert [one for page in told(pages) for one in page] == told([whole])[0]
        assert all(len(page) == limit for page in told(pages[:-1]))
        assert [page["complete"] for page in pages] == [limit == 7] * len(pages)
        assert not any(page["cut"] for page in pages)


def test_a_page_tells_what_is_known_at_its_basis(story, disputed):
    before = story.store.log.head()
    story.source("a later inventory", disputed, kind="contradicts")

    pages = walked(story, disputed, 2, as_known_position=before)

    assert [len(page) for page in told(pages)] == [2, 2, 2, 1]
    assert all(page["basis"]["position"] == before for page in pages)


def test_what_contradicted_and_supports_now_is_told_once_and_on_the_side_it_was_on(story):
    claim = story.claim("PostgreSQL")
    source = story.remember("the guide", "sam", "source")
    for kind in ("contradicts", "supports"):
        story.relate(source, claim, kind, identity_key="what it says")
    other = story.source("another one", claim)

    pages = walked(story, claim, 1)

    assert told(pages) == [[("contradicts", source)], [("supports", other)]]
    assert not pages[0]["contradicts"][0]["stands"]


def test_what_others_keep_private_takes_no_place_on_a_page(story, disputed):
    for number in range(3):
        hidden = story.remember(f"a note {number}", "bob", "source", visibility="private")
        story.relate(hidden, disputed, "contradicts", by="bob")

    mine = walked(story, disputed, 3)
    theirs = walked(story, disputed, 3, by="bob")

    assert [len(page) for page in told(mine)] == [3, 3, 1]
    assert [len(page) for page in told(theirs)] == [3, 3, 3, 1]


def test_what_leads_to_somebody_elses_memory_takes_no_place_on_a_page(tmp_path):
    with closing(open_memoranda(tmp_path / "data")) as opened:
        story = Story(opened)
        claim = story.claim("PostgreSQL")
        sources = [story.source(f"source {number}", claim) for number in range(3)]
        story._seen()
        with writing(opened.read._graph.views) as connection:
            # No command makes a relationship that more may see than one of its ends.
            connection.execute(
                update(MEMORY_VERSION)
                .where(MEMORY_VERSION.c.memory_id.in_(sources[1:]))
                .values(visibility="private", owner="sam")
            )

        assert told(walked(story, claim, 1)) == [[("supports", sources[0])]]
        assert len(walked(story, claim, 1, by="sam")) == 3


def test_a_cursor_is_of_its_claim_and_of_its_basis(story, disputed):
    other = story.claim("MySQL")
    cursor = story.evidence(disputed, limit=1)["next_cursor"]
    invalid = ("INVALID_REQUEST", "cursor", "CURSOR_INVALID")

    assert refused(story.evidence, other, cursor=cursor) == invalid
    assert refused(story.evidence, disputed, cursor=cursor, as_known_position=9) == invalid
    assert refused(story.evidence, disputed, cursor="x") == invalid


def test_what_a_limit_left_unread_beneath_a_page_is_told(story, monkeypatch):
    claim = story.claim("PostgreSQL")
    source = story.source("note", claim)
    for number in range(3):
        story.relate(source, story.remember(f"a document {number}"), "derived_from")
    monkeypatch.setattr("read_api.evidence_pages.AROUND", Limits(edges=2))

    said = story.evidence(claim)

    assert (said["cut"], said["complete"], len(said["supports"])) == (True, False, 1)


@FEW
@given(COMMANDS, st.floats(0, 1), st.sampled_from(["ann", "bob"]), st.integers(1, 3))
def test_pages_together_hold_the_pieces_of_the_whole(commands, part, actor, limit):
    with new_world() as world:
        played = Played(world, commands)
        position = round(world.log.head() * part)
        whole = in_views(world, played.memories, position=position, actor=actor)
        basis = Basis("w", actor, position, world.clock.now)
        decisions = Decisions(world.log, "w", basis.viewer, position)

        with reading(world.views) as connection:
            records = KnownInViews(connection, basis, decisions)
            for memory in played.memories:
                pieces, fallen, rivals = _together(records, memory, limit)
                found = whole.get(memory)

                if found is None:
                    assert (pieces, fallen, rivals) == ([], set(), None)
                    continue
                sides = sorted(found.evidence.pieces, key=lambda one: (one.stance, one.edge))
                assert pieces == sides
                assert fallen == set(found.evidence.fallen)
                assert rivals == found.evidence.rivals


def _together(records, claim, limit):
    """The pieces of all pages as they come, what fell on any of them, and the rivals."""
    pieces, fallen, rivals = [], set(), None
    after: Mark | None = START
    while after is not None:
        page = evidence_page(records, claim, after, limit)
        if page is None:
            break
        found = page.found.evidence
        assert len(found.pieces) <= limit
        pieces += sorted(found.pieces, key=lambda one: (one.stance, one.edge))
        fallen |= set(found.fallen)
        rivals = found.rivals
        after = page.end
    return pieces, fallen, rivals
