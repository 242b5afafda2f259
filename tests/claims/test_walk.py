"""Laws of the walk around a memory: whatever the graph and the budgets."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import example, given
from hypothesis import strategies as st

from read_api.evidence_view import Link
from read_api.evidence_walk import SUPERNODE, Budgets, Walk

ENDS = st.integers(0, 7).map("n{}".format)
GRAPHS = st.lists(st.tuples(ENDS, ENDS), max_size=14)
WIDE = Budgets(depth=99, nodes=99, edges=99)
BUDGETS = st.builds(
    Budgets,
    depth=st.integers(0, 4),
    nodes=st.integers(1, 6),
    edges=st.integers(0, 8),
    read=st.just(50_000),
)


class Drawn:
    """A graph that is in memory, read as `EvidenceView` reads one."""

    def __init__(self, pairs):
        self.pairs = {f"e{number:02}": pair for number, pair in enumerate(pairs)}
        self.at = defaultdict(list)
        for name, pair in self.pairs.items():
            for end in sorted(set(pair)):
                self.at[end].append(name)

    def links(self, ids, most):
        turns = sorted(
            (turn, node, name) for node in ids for turn, name in enumerate(self.at[node])
        )
        return [
            Link(node, self._other(name, node), name, more=turn + 1 < len(self.at[node]))
            for turn, node, name in turns[:most]
        ]

    def _other(self, name, node):
        source, target = self.pairs[name]
        return target if source == node else source

    def degree_bounds(self, ids):
        return {node: len(self.at[node]) for node in ids if self.at[node]}


def distances(graph, seed):
    """From scratch: how far each memory is."""
    found = {seed: 0}
    ahead = [seed]
    for node in ahead:
        for name in graph.at[node]:
            for end in graph.pairs[name]:
                if end not in found:
                    found[end] = found[node] + 1
                    ahead.append(end)
    return found


@given(GRAPHS)
def test_without_limits_everything_is_found_at_its_distance(pairs):
    graph = Drawn(pairs)

    walk = Walk(WIDE).from_seed("n0", graph)

    assert walk.depths == distances(graph, "n0")
    assert set(walk.edges) == {name for node in walk.depths for name in graph.at[node]}
    assert walk.cuts == []


HUBS = [f"n{number}" for number in range(2, 7)]
UNREAD = [
    *[("n0", "n1")] * 3,
    *[("n0", hub) for hub in HUBS],
    *[(hub, "n7") for hub in HUBS] * 2,
    ("n1", "n7"),
]
"""Rows of `n1` that are known already, so that its new one is behind the last that is read."""


@given(GRAPHS, BUDGETS)
@example(UNREAD, Budgets(depth=4, nodes=9, edges=8))
def test_within_limits_nothing_is_left_out_unsaid(pairs, budgets):
    graph = Drawn(pairs)
    far = distances(graph, "n0")

    walk = Walk(budgets).from_seed("n0", graph)

    assert len(walk.depths) <= budgets.nodes
    assert len(walk.edges) <= budgets.edges
    assert all(far[node] <= depth <= budgets.depth for node, depth in walk.depths.items())
    assert list(walk.depths.values()) == sorted(walk.depths.values())
    for link in walk.edges.values():
        assert {link.node, link.other} <= walk.depths.keys()
    cut = {one.node for one in walk.cuts}
    for node in walk.depths.keys() - cut:
        assert set(graph.at[node]) <= walk.edges.keys()
    for one in walk.cuts:
        assert one.node in walk.depths
        assert not set(graph.at[one.node]) <= walk.edges.keys()


@given(GRAPHS, st.integers(0, 20))
def test_no_more_is_read_than_may_be(pairs, most):
    graph = Drawn(pairs)

    walk = Walk(WIDE._replace(read=most)).from_seed("n0", graph)

    blocked = {one.node for one in walk.cuts if one.why == SUPERNODE}
    assert sum(len(graph.at[node]) for node in walk.depths.keys() - blocked) <= most
