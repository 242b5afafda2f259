"""Copies of one origin open one cluster, in whatever disguise."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.claims import independence
from domain.claims.independence import clusters, independent, origins_of
from tests.claims.asking import evidence
from tests.validation.evidence import piece

URL = "https://example.org/report"
DISGUISES = [
    ("report", None),
    (" report ", "p. 3"),
    ("a", URL),
    ("b", f"{URL}#page=3"),
    ("c", "HTTPS://EXAMPLE.org/report"),
    ("d", "https://example.org:443/report/"),
    ("e", "http://example.org./report#x"),
    (URL, None),
    (f"{URL}#whole", "p. 9"),
]


def of(sources, **more):
    origins = [origins_of(*source) for source in sources]
    return piece(
        origins=frozenset().union(*(named for named, _ in origins)),
        hosts=frozenset().union(*(hosts for _, hosts in origins)),
        **more,
    )


def test_ten_copies_of_one_source_in_every_disguise_are_one():
    told = [of([one, ("report", URL)], number=at) for at, one in enumerate(DISGUISES)]

    assert independent(told) == 1


@pytest.mark.parametrize(
    "locator", [locator for _, locator in DISGUISES if locator and ":" in locator]
)
def test_a_document_is_the_same_however_it_is_written(locator):
    assert independent([of([("one", URL)], number=1), of([("other", locator)], number=2)]) == 1


@given(
    st.sampled_from(["http://", "https://", "HTTP://", "ftp://", "http:", "urn:"]),
    st.text("aB9.-:@[]é\t\\", max_size=5),
    st.text("/aZ~%?#&=. é[]\n\\", max_size=6),
)
@example("http://", "example.org.", "/a//?")
@example("https://", "a.", "?")
@example("http://", "...", "/a")
def test_the_usual_uri_is_read_as_every_other_one(scheme, host, rest):
    name = f"{scheme}{host}{rest}"

    assert independence._document(name) == independence._parsed(name.partition("#")[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "p. 3"), ("b", "p. 3")),
        (("a", "src/app.py#L4"), ("b", "src/app.py#L9")),
        (("a", URL), ("b", f"{URL}?page=2")),
        (("a", URL), ("b", "https://example.com/report")),
        (("a", "https://example.org:8443/report"), ("b", URL)),
        (("a", None), ("A", None)),
    ],
)
def test_other_sources_are_other_origins(one, other):
    assert independent([of([one], number=1), of([other], number=2)]) == 2


def test_documents_of_one_host_are_one_only_where_a_policy_says_so():
    pages = [of([(f"s{at}", f"https://example.org/{at}")], number=at) for at in range(4)]

    assert independent(pages) == 4
    assert independent(pages, by_host=True) == 1


def test_a_relationship_may_say_that_it_opens_no_cluster_and_never_that_it_does():
    copies = [of([("a", None)], number=at) for at in (1, 2)]
    apart = of([("b", None)], number=3, independent=False)

    assert independent([*copies, apart]) == 1
    assert [one.counts for one in clusters([*copies, apart])] == [True, False]


def test_a_cluster_weighs_as_much_as_its_heaviest_piece():
    copies = [of([("a", None)], number=at, weight=weight) for at, weight in ((1, 0.2), (2, 0.7))]

    assert [cluster.weight for cluster in clusters(copies)] == [0.7]


@given(st.integers(1, 12), st.randoms(use_true_random=False))
def test_copies_joined_by_any_graph_are_one_in_any_order(size, dice: random.Random):
    """Each shares an origin with one before it: a tree of copies, and nothing apart."""
    names = [{f"own {at}"} for at in range(size)]
    for at in range(1, size):
        names[at].add(f"own {dice.randrange(at)}")
    told = [piece(number=at, origins=frozenset(said)) for at, said in enumerate(names)]
    dice.shuffle(told)

    assert independent(told) == 1
    assert clusters(told) == clusters(sorted(told))


def test_a_chain_of_copies_of_copies_is_one_origin(world):
    claim = world.claim(subject="s", predicate="p", object=1, more={"kind": "claim"})
    root = world.remember("the report", kind="source")
    copies = [root]
    for number in range(10):
        copy = world.remember(f"a copy, {number}", kind="source")
        world.relate(copy, copies[number // 2], kind="derived_from")
        world.relate(copy, claim)
        copies.append(copy)

    assert independent(evidence(world, claim).pieces) == 1


def test_a_circle_of_copies_is_one_origin(world):
    claim = world.claim(subject="s", predicate="p", object=1, more={"kind": "claim"})
    ring = [world.remember(f"a copy, {number}", kind="source") for number in range(4)]
    for one, then in zip(ring, [*ring[1:], ring[0]], strict=True):
        world.relate(one, then, kind="derived_from")
        world.relate(one, claim)

    assert independent(evidence(world, claim).pieces) == 1
