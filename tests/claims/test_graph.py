"""The evidence around a memory, on both stores: what is there, as of when, and where it ends."""

from __future__ import annotations

import itertools

import pytest
from sqlalchemy import update

from ops.http.evidence_models import EvidenceGraphAnswer
from projections.database import reading, writing
from projections.schema import MEMORY_VERSION
from read_api.basis import Basis
from read_api.evidence_graph import TEXT_MAX, GraphQuestion
from read_api.evidence_view import TOGETHER_MAX, EvidenceView
from tests.claims.stories import refused


def around(story, seed, by="ann", **asked):
    story._seen()
    said = story.store.read.graph(story.by(by), GraphQuestion(seed=seed, **asked))
    assert EvidenceGraphAnswer.model_validate(said)
    return said


def ids(said):
    return [node["id"] for node in said["nodes"]]


def kinds(said):
    return sorted(edge["kind"] for edge in said["edges"])


def skipped(said):
    return {(cut["memory_id"], cut["why"], cut["raise"]) for cut in said["skipped_expansions"]}


def derived(story, memory, origin, by="sam"):
    story.relate(memory, origin, "derived_from", by)


def test_both_directions_are_followed_the_nearest_first(story):
    claim = story.claim("PostgreSQL")
    source = story.source("runtime", claim)
    document = story.remember("the document", "sam", "source")
    derived(story, source, document)
    against = story.source("inventory", claim, kind="contradicts")

    said = around(story, claim)

    assert ids(said)[0] == claim
    assert [node["depth"] for node in said["nodes"]] == [0, 1, 1, 2]
    assert set(ids(said)) == {claim, source, against, document}
    assert kinds(said) == ["contradicts", "derived_from", "supports"]
    assert said["complete"]
    assert said["skipped_expansions"] == []
    assert set(ids(around(story, document))) == {document, source, claim}


def test_a_node_says_what_it_is_and_how_its_text_begins(story):
    claim = story.claim("PostgreSQL" * 40)

    [node] = around(story, claim)["nodes"]

    assert (node["kind"], node["status"], node["version"]) == ("claim", "candidate", 1)
    assert node["stands"]
    assert node["holds"]
    assert len(node["text"]) == TEXT_MAX
    assert node["text"].startswith("the store is PostgreSQL")
    assert node["text"].endswith("…")


def test_what_was_withdrawn_is_there_and_does_not_stand(story):
    claim = story.claim("PostgreSQL")
    against = story.remember("the inventory", "sam", "source")
    edge = story.relate(against, claim, "contradicts")
    before = story.store.log.head()
    story.update("relationship", edge, "sam", lifecycle="superseded")

    [now] = around(story, claim)["edges"]
    [then] = around(story, claim, as_known_position=before)["edges"]

    assert (now["version"], now["stands"], now["holds"]) == (2, False, False)
    assert (then["version"], then["stands"], then["holds"]) == (1, True, True)


def test_what_was_forgotten_is_a_node_without_text(story):
    claim = story.claim("PostgreSQL")
    source = story.source("secret runtime", claim)
    story.forget(source, by="sam")

    said = around(story, claim)

    node = next(node for node in said["nodes"] if node["id"] == source)
    assert (node["stands"], node["text"]) == (False, None)
    assert "secret" not in str(said)


def test_a_bound_that_ended_stands_and_does_not_hold(story):
    claim = story.claim("PostgreSQL")
    old = story.remember("old", "sam", "source", valid_until="2020-01-01T00:00:00Z",
                         valid_from="2019-01-01T00:00:00Z")  # fmt: skip
    story.relate(old, claim)

    def told(**asked):
        nodes = around(story, claim, **asked)["nodes"]
        return next((one["stands"], one["holds"]) for one in nodes if one["id"] == old)

    assert told() == (True, False)
    assert told(as_of="2019-06-01T00:00:00Z") == (True, True)


def test_at_an_earlier_position_only_what_was_known_is_there(story):
    claim = story.claim("PostgreSQL")
    first = story.source("first", claim)
    before = story.store.log.head()
    story.source("second", claim)

    assert set(ids(around(story, claim, as_known_position=before))) == {claim, first}


def test_what_is_private_to_somebody_else_is_no_node_and_no_degree(story):
    claim = story.claim("PostgreSQL")
    mine = story.remember("mine", "sam", "source", visibility="private")
    story.relate(mine, claim, by="sam")

    assert ids(around(story, claim)) == [claim]
    assert around(story, claim)["complete"]
    assert around(story, claim, edges=0)["complete"]
    assert set(ids(around(story, claim, by="sam"))) == {claim, mine}
    assert refused(around, story, mine) == ("NOT_FOUND", "seed", None)


def test_what_is_known_to_lead_to_somebody_elses_memory_is_not_told(told):
    story = told
    claim = story.claim("PostgreSQL")
    source = story.source("theirs", claim)
    story._seen()
    with writing(story.store.read._graph.views) as connection:
        # No command makes a relationship that more may see than one of its ends.
        connection.execute(
            update(MEMORY_VERSION)
            .where(MEMORY_VERSION.c.memory_id == source)
            .values(visibility="private", owner="sam")
        )

    assert ids(around(story, claim)) == [claim]
    assert around(story, claim)["edges"] == []
    assert around(story, claim, edges=0)["complete"]
    assert set(ids(around(story, claim, by="sam"))) == {claim, source}


@pytest.mark.parametrize("hidden", [(), (0,), (1, 4), (5, 6, 7), range(8)])
def test_a_memory_with_very_many_is_read_alone_as_it_is_together(told, hidden):
    claim = told.claim("PostgreSQL")
    sources = [told.source(f"source {number}", claim) for number in range(7)]
    told.relate(claim, claim)
    told._seen()
    by_edge = [link.other for link in _links(told, {claim: 0}, 99)]
    assert sorted(by_edge) == sorted([*sources, claim])
    with writing(told.store.read._graph.views) as connection:
        connection.execute(
            update(MEMORY_VERSION)
            .where(
                MEMORY_VERSION.c.memory_id.in_([by_edge[at] for at in hidden]),
                MEMORY_VERSION.c.memory_id != claim,
            )
            .values(visibility="private", owner="sam")
        )

    for most in range(1, 10):
        assert _links(told, {claim: TOGETHER_MAX + 1}, most) == _links(told, {claim: 1}, most)


def _links(story, bounds, most):
    basis = Basis("w", "ann", story.store.log.head(), 1)
    with reading(story.store.read._graph.views) as connection:
        return EvidenceView(connection, basis).links(bounds, most)


def test_paths_lead_over_as_many_relationships_of_a_memory_as_memories_are_asked_for(story):
    claim = story.claim("PostgreSQL")
    for number in range(3):
        story.source(f"source {number}", claim)

    told = [around(story, claim, limit=limit) for limit in (2, 3)]

    assert [(len(said["paths"]), said["paths_complete"]) for said in told] == [
        (3, False),
        (3, True),
    ]


def test_what_is_beyond_the_depth_is_named_with_the_limit_to_raise(story):
    chain = [story.remember(f"link {number}") for number in range(4)]
    for one, other in itertools.pairwise(chain):
        derived(story, one, other)

    said = around(story, chain[0], depth=2)

    assert ids(said) == chain[:3]
    assert skipped(said) == {(chain[2], "max_depth_reached", "depth")}
    assert not said["complete"]
    assert around(story, chain[0], depth=3)["complete"]
    assert ids(around(story, chain[0], depth=0)) == chain[:1]


def test_relationships_among_the_farthest_memories_are_there(story):
    claim = story.claim("PostgreSQL")
    one, other = story.source("one", claim), story.source("other", claim)
    story.relate(one, other, "supports")

    said = around(story, claim, depth=1)

    assert len(said["edges"]) == 3
    assert said["complete"]


@pytest.mark.parametrize(("limit", "why"), [("limit", "node"), ("edges", "edge")])
def test_what_a_budget_left_out_is_named_with_the_limit_to_raise(story, limit, why):
    claim = story.claim("PostgreSQL")
    for number in range(4):
        story.source(f"source {number}", claim)
    enough = {"limit": 5, "edges": 4}[limit]

    said = around(story, claim, **{limit: enough - 1})

    assert len(said["nodes"]) == 4
    assert len(said["edges"]) == 3
    assert (claim, f"{why}_budget_exhausted", limit) in skipped(said)
    assert around(story, claim, **{limit: enough})["complete"]


@pytest.mark.parametrize("spokes", [9, 12])
def test_a_memory_with_very_many_takes_the_place_of_no_other_one(story, spokes):
    seed = story.remember("seed")
    hub, small = story.remember("hub"), story.remember("small")
    derived(story, hub, seed)
    for number in range(spokes):
        derived(story, hub, story.remember(f"spoke {number}"))
    derived(story, small, seed)
    end = story.remember("end")
    derived(story, small, end)

    said = around(story, seed, edges=4)

    assert end in ids(said)
    assert skipped(said) == {(hub, "edge_budget_exhausted", "edges")}


def test_a_relationship_to_itself_is_there_once(story):
    memory = story.remember("alone")
    story.relate(memory, memory, "mentions")

    said = around(story, memory)

    assert ids(said) == [memory]
    assert kinds(said) == ["mentions"]
    assert said["complete"]


def test_a_claim_that_rests_on_nothing_has_no_path(story):
    assert around(story, story.claim("PostgreSQL"))["paths"] == []


def test_a_claim_has_the_shortest_way_to_each_of_its_sources(story):
    cited = [{"source_id": "wiki", "locator": None}]
    claim = story.remember("the store is PostgreSQL", "ann", "claim", provenance=cited)
    note = story.source("note", claim)
    copy = story.remember("copy", "sam")
    document = story.remember("document", "sam", "source")
    derived(story, note, copy)
    derived(story, copy, document)
    short = story.source("short", claim)
    derived(story, short, document)
    story.source("inventory", claim, kind="contradicts")

    said = around(story, claim, depth=0)

    told = {
        path["source"]: [(step["kind"], step["to"]) for step in path["steps"]]
        for path in said["paths"]
    }
    assert told == {
        "wiki": [("cites", "wiki")],
        document: [("supports", short), ("derived_from", document)],
    }
    assert said["paths_complete"] is True
    assert around(story, document)["paths"] is None


def test_ways_lead_over_what_is_cited_and_round_no_circle(story):
    document = story.remember("document", "sam", "source")
    cited = [{"source_id": document, "locator": "p. 1"}]
    note = story.remember("note", "sam", provenance=cited)
    claim = story.claim("PostgreSQL")
    story.relate(note, claim)
    derived(story, claim, note)
    one, other = story.remember("one", "sam"), story.remember("other", "sam")
    derived(story, one, other)
    derived(story, other, one)
    derived(story, claim, one)

    [path] = around(story, claim)["paths"]

    assert path["source"] == document
    assert [step["kind"] for step in path["steps"]] == ["derived_from", "cites"]
    assert path["steps"][1]["relationship_id"] is None
