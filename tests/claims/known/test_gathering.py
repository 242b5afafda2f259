"""What counts as evidence about a claim."""

from __future__ import annotations

import pytest

from domain.claims.chains import Limits
from tests.claims.asking import evidence, in_log, in_views, review

SLOT = {"subject": "store", "predicate": "engine"}


@pytest.fixture
def claim(world):
    return world.claim(**SLOT, object="PostgreSQL", more={"kind": "claim"})


def supported(world, claim, source="inventory", **edge):
    """An observation of a source that supports the claim."""
    origin = world.remember(f"the {source}", kind="source")
    seen = world.remember(f"seen in the {source}")
    world.relate(seen, origin, kind="derived_from")
    return origin, seen, world.relate(seen, claim, **edge)


def pieces(world, claim, **how):
    return {piece.edge[0]: piece for piece in evidence(world, claim, **how).pieces}


def test_a_support_stands_on_the_root_of_its_chain(world, claim):
    origin, seen, edge = supported(world, claim)
    middle = world.remember("between")
    world.relate(origin, middle, kind="derived_from")

    piece = pieces(world, claim)[edge]

    assert piece.memory == (seen, 1)
    assert middle in piece.names
    assert origin not in piece.names
    assert {"observation", "source"} >= piece.kinds


def test_a_memory_that_is_cited_is_an_origin_too(world, claim):
    origin = world.remember("the inventory", kind="source")
    cited = {"source_id": origin, "locator": "p. 3", "observed_at": "2025-10-01T00:00:00Z"}
    seen = world.remember("seen", provenance=[cited])
    edge = world.relate(seen, claim)

    piece = pieces(world, claim)[edge]

    assert origin in piece.origins
    assert piece.located
    assert piece.observed_us == 1759276800000000


def test_a_support_ends_where_its_source_ends(world, claim):
    origin, _, edge = supported(world, claim)
    assert pieces(world, claim)[edge].holds(world.clock.now)

    world.update(origin, expires_at="2025-10-09T08:00:00Z")

    assert not pieces(world, claim)[edge].holds(world.clock.now)
    assert [(one.memory[0], one.why) for one in evidence(world, claim).fallen] == [
        (origin, "expired")
    ]


@pytest.mark.parametrize(
    ("fall", "why"),
    [
        (lambda world, origin: world.forget(origin), "forgotten"),
        (lambda world, origin: world.forget(origin, "application_delete"), "forgotten"),
        (lambda world, origin: world.update(origin, lifecycle="superseded"), "superseded"),
        (lambda world, origin: world.update(origin, lifecycle="expired"), "expired"),
    ],
    ids=["tombstone", "erasure", "superseded", "expired"],
)
def test_whatever_a_source_falls_by_is_seen_in_the_claim_at_once(world, claim, fall, why):
    origin, _, edge = supported(world, claim)

    fall(world, origin)

    assert [(one.memory[0], one.why) for one in evidence(world, claim).fallen] == [(origin, why)]
    assert not pieces(world, claim)[edge].holds(world.clock.now)


@pytest.mark.parametrize("outwards", [False, True])
@pytest.mark.parametrize("what", ["root", "seen"])
def test_a_source_that_is_contradicted_is_seen_in_the_claim_at_once(world, claim, what, outwards):
    origin, seen, edge = supported(world, claim)
    doubted = {"root": origin, "seen": seen}[what]
    doubt = world.remember("the inventory is of another store")
    ends = (doubted, doubt) if outwards else (doubt, doubted)
    against = world.relate(*ends, kind="contradicts")

    def fallen(**how):
        return [(one.memory[0], one.why) for one in evidence(world, claim, **how).fallen]

    # It stands all the same: a policy decides on what speaks about the claim itself.
    assert pieces(world, claim)[edge].holds(world.clock.now)
    assert fallen() == []
    assert fallen(challenged=True) == [(doubted, "contradicted")]

    before = world.log.head()
    world.update(against, lifecycle="superseded")
    assert fallen(challenged=True) == []
    assert fallen(challenged=True, position=before) == [(doubted, "contradicted")]
    world.update(against, lifecycle="active")
    world.forget(doubt)
    assert fallen(challenged=True) == []


def test_what_somebody_doubts_privately_is_told_to_them_alone(world, claim):
    origin, *_ = supported(world, claim)
    bob = {"actor": "bob"}
    world.relate(
        world.remember("no", visibility="private", by=bob), origin, bob, kind="contradicts"
    )

    assert evidence(world, claim, challenged=True).fallen == ()
    [fallen] = evidence(world, claim, challenged=True, actor="bob").fallen
    assert (fallen.memory[0], fallen.why) == (origin, "contradicted")


def test_what_contradicts_the_claim_contradicts_none_of_its_sources(world, claim):
    supported(world, claim)
    world.relate(world.remember("no"), claim, kind="contradicts")

    assert evidence(world, claim, challenged=True).fallen == ()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["first added", "last added"])
def test_report_14_a_claim_stays_with_the_support_that_is_left(world, claim, order):
    sources = [world.remember(f"the source {number}", kind="source") for number in range(2)]
    edges = [world.relate(source, claim) for source in sources]
    gone, left = order

    world.forget(sources[gone])

    found = pieces(world, claim)
    assert not found[edges[gone]].standing
    assert found[edges[left]].holds(world.clock.now)

    world.forget(sources[left])

    assert in_views(world, [claim]).keys() == {claim}
    assert not any(piece.standing for piece in pieces(world, claim).values())


def test_nothing_supports_itself_nor_in_a_circle(world, claim):
    other = world.claim(**SLOT, object="Postgres 17", more={"kind": "claim"})
    world.relate(claim, claim)
    world.relate(other, claim)
    assert len(pieces(world, claim)) == 1

    world.relate(claim, other)

    assert pieces(world, claim) == {}
    assert pieces(world, other) == {}


def test_a_contradiction_counts_in_either_direction(world, claim):
    one, other = world.remember("no"), world.remember("neither")
    edges = {
        world.relate(one, claim, kind="contradicts"),
        world.relate(claim, other, kind="contradicts"),
    }

    found = pieces(world, claim)

    assert found.keys() == edges
    assert {piece.stance for piece in found.values()} == {"contradicts"}


def superseded(world, target):
    world.update(target, lifecycle="superseded")


def tombstoned(world, target):
    world.forget(target)


def erased(world, target):
    world.forget(target, "application_delete")


def hollowed(world, target):
    """All that it ever said is erased, and it is still there."""
    world.forget(target, "application_delete", scope="event", version=1)


@pytest.mark.parametrize(
    ("what", "taken_back"),
    [
        *(("edge", superseded), ("memory", superseded), ("root", superseded)),
        *((what, how) for what in ("memory", "root") for how in (tombstoned, erased, hollowed)),
    ],
)
def test_a_contradiction_that_is_taken_back_is_known_as_withdrawn(world, claim, what, taken_back):
    root = world.remember("the inventory", kind="source")
    seen = world.remember("it is MySQL")
    world.relate(seen, root, kind="derived_from")
    edge = world.relate(seen, claim, kind="contradicts")
    assert evidence(world, claim).withdrawn_at == 0

    target = {"edge": edge, "memory": seen, "root": root}[what]
    taken_back(world, target)

    found = evidence(world, claim)
    assert not found.pieces[0].standing
    assert found.withdrawn_at == world.log.stream("w", target)[-1].position


def test_a_contradiction_that_ends_as_it_was_said_to_is_not_withdrawn(world, claim):
    seen = world.remember("it is MySQL", valid_until="2025-10-01T00:00:00Z")
    world.relate(seen, claim, kind="contradicts")

    found = evidence(world, claim)

    assert not found.pieces[0].holds(world.clock.now)
    assert found.withdrawn_at == 0


def test_a_rival_says_something_else_in_the_slot_meanwhile(world, claim):
    rival = world.claim(**SLOT, object="MySQL", more={"kind": "fact"})
    agreeing = world.claim(**SLOT, object="PostgreSQL", more={"kind": "claim"})
    world.claim(**SLOT, object="MySQL", more={"kind": "observation"})
    world.claim(**SLOT, object="MySQL", status="rejected", more={"kind": "claim"})
    world.claim(
        **SLOT, object="MySQL", more={"kind": "claim", "valid_until": "2025-01-01T00:00:00Z"}
    )

    found = evidence(world, claim)

    assert [one.memory[0] for one in found.rivals] == [rival]
    assert found.agreed
    assert agreeing not in {one.memory[0] for one in found.rivals}


def test_others_of_the_slot_that_a_limit_left_unread_are_told_as_incomplete(world, claim):
    for name in ("MySQL", "MariaDB", "SQLite"):
        world.claim(**SLOT, object=name, more={"kind": "claim"})

    told = [
        reading(world, [claim], limits=Limits(nodes=nodes))[claim].evidence
        for reading in (in_views, in_log)
        for nodes in (2, 3)
    ]

    assert [(len(one.rivals), one.complete) for one in told] == [(2, False), (3, True)] * 2


def test_touching_intervals_are_no_rivals(world):
    day = "2026-01-01T00:00:00Z"
    old = world.claim(**SLOT, object="vim", more={"kind": "claim", "valid_until": day})
    world.claim(**SLOT, object="emacs", more={"kind": "claim", "valid_from": day})

    assert evidence(world, old).rivals == ()


def test_what_somebody_keeps_private_is_no_evidence_for_others(world, claim):
    mine = world.remember("secret", visibility="private", by={"actor": "bob"})
    world.relate(mine, claim, by={"actor": "bob"})

    assert pieces(world, claim) == {}
    assert len(pieces(world, claim, actor="bob")) == 1


def test_what_if_something_were_not_there(world, claim):
    _, seen, edge = supported(world, claim)

    assert pieces(world, claim, without=[seen]) == {}
    assert pieces(world, claim, without=[edge]) == {}


def test_an_approval_is_of_what_is_stated_and_not_of_its_status(world, claim):
    first = review(world, claim)
    said = {**SLOT, "object": "PostgreSQL", "status": "contested"}
    world.update(claim, content={"format": "properties", "value": said})
    [known] = evidence(world, claim, reviewed=True).approvals
    assert known.decision == first

    said["object"] = "PostgreSQL 17"
    world.update(claim, content={"format": "properties", "value": said})

    assert evidence(world, claim, reviewed=True).approvals == ()


def test_what_is_forgotten_is_no_claim_any_more(world, claim):
    world.forget(claim)

    assert in_views(world, [claim]) == in_log(world, [claim]) == {}


@pytest.mark.parametrize("kind", ["supports", "contradicts"])
def test_evidence_that_a_limit_left_unread_is_told_as_incomplete(world, claim, kind):
    for number in range(3):
        world.relate(world.remember(f"seen {number}"), claim, kind=kind)

    told = [
        evidence(world, claim, limits=Limits(nodes=nodes)).complete for nodes in (1, 2, 3, 4, 5)
    ]

    assert told == [False, False, False, True, True]


@pytest.mark.parametrize("kind", ["supports", "contradicts"])
def test_evidence_is_followed_as_deep_for_a_claim_as_against_it(world, claim, kind):
    link = world.remember("the nearest")
    world.relate(link, claim, kind=kind)
    for number in range(2):
        further = world.remember(f"further {number}", kind="source")
        world.relate(link, further, kind="derived_from")
        link = further

    told = [evidence(world, claim, limits=Limits(depth=depth)).complete for depth in (2, 3, 4)]

    assert told == [False, False, True]
