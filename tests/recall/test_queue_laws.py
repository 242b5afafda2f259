"""The queue in batches does what the specification says one by one."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from read_api import expansion
from read_api.expansion import COST, SUPERNODE, Budgets, Edge, Neighbourhood, expand


@dataclass
class Graph:
    """A graph in memory that counts how often it is asked."""

    edges: list[Edge]
    hidden: frozenset[str]
    asked: int = 0

    def of(self, node):
        return sorted(edge for edge in self.edges if node in (edge.source, edge.target))

    def neighbourhoods(self, nodes, *, edges_max, threshold):
        self.asked += 1
        found = {node: self.of(node) for node in nodes}
        return {
            node: Neighbourhood(None if len(edges) > threshold else edges[:edges_max])
            for node, edges in found.items()
        }

    def eligible(self, node):
        return node not in self.hidden


def one_by_one(seeds, graph, budgets, given_before):
    """§6.4 as it is written: nodes, traversed edges, outcomes, cost, whether there is more."""
    queue = [(seed, 0, ()) for seed in seeds]
    seen, nodes, traversed, outcomes = set(seeds), [], set(), []
    cost = new = 0
    while queue:
        node, depth, path = queue.pop(0)
        if cost >= budgets.max_cost and depth > 0:
            outcomes.append(COST)
            break
        nodes.append((node, depth, path))
        new += node not in given_before
        if new > budgets.max_items:
            return nodes, traversed, once(outcomes), cost, True
        if depth == budgets.max_depth:
            continue
        edges = graph.of(node)
        if len(edges) > budgets.supernode_threshold:
            outcomes.append(SUPERNODE)
            continue
        for edge in edges:
            if cost >= budgets.max_cost:
                outcomes.append(COST)
                break
            cost += 1
            end = edge.other(node)
            if end not in seen and not graph.eligible(end):
                continue
            traversed.add(edge.id)
            if end not in seen:
                seen.add(end)
                queue.append((end, depth + 1, (*path, edge.id)))
    return nodes, traversed, once(outcomes), cost, False


def once(outcomes):
    """That the cost was met is said the first time."""
    return [o for at, o in enumerate(outcomes) if o != COST or COST not in outcomes[:at]]


NODES = [f"n{number}" for number in range(8)]
PAIRS = st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), max_size=20)
BUDGETS = st.builds(
    Budgets,
    max_items=st.integers(1, 9),
    max_depth=st.integers(1, 4),
    max_cost=st.integers(1, 30),
    supernode_threshold=st.integers(1, 8),
)


@given(
    PAIRS,
    st.frozensets(st.sampled_from(NODES), max_size=3),
    st.lists(st.sampled_from(NODES), unique=True, max_size=5),
    st.frozensets(st.sampled_from(NODES)),
    BUDGETS,
)
def test_the_batched_queue_equals_the_one_by_one_queue(pairs, hidden, wanted, before, budgets):
    edges = [Edge(f"e{at:02}", 1, *pair, private=False) for at, pair in enumerate(pairs)]
    graph = Graph(edges, hidden)
    seeds = [seed for seed in wanted if graph.eligible(seed)]

    found = expand(seeds, graph, budgets, given=before, expired=lambda: False)

    assert (
        [(node.id, node.depth, node.path) for node in found.nodes],
        set(found.traversed),
        [cut.outcome for cut in found.cuts],
        found.cost,
        found.more,
    ) == one_by_one(seeds, graph, budgets, before)


@given(PAIRS, st.lists(st.sampled_from(NODES), unique=True), BUDGETS)
def test_budgets_hold(pairs, seeds, budgets):
    edges = [Edge(f"e{at:02}", 1, *pair, private=False) for at, pair in enumerate(pairs)]

    found = expand(
        seeds, Graph(edges, frozenset()), budgets, given=frozenset(), expired=lambda: False
    )

    assert found.cost <= budgets.max_cost
    assert len(found.nodes) <= budgets.max_items + 1
    assert all(node.depth <= budgets.max_depth for node in found.nodes)
    assert len({node.id for node in found.nodes}) == len(found.nodes)


def test_an_edge_too_many_is_an_outcome_even_where_it_leads_nowhere_new():
    edges = [Edge(f"e{at}", 1, "a", "b", private=False) for at in range(3)]
    budgets = Budgets(max_items=10, max_depth=2, max_cost=2, supernode_threshold=10)

    found = expand(
        ["a", "b"], Graph(edges, frozenset()), budgets, given=frozenset(), expired=lambda: False
    )

    assert [node.id for node in found.nodes] == ["a", "b"]
    assert [(cut.outcome, cut.node, cut.edge) for cut in found.cuts] == [(COST, "a", "e2")]


def test_a_level_is_asked_for_in_one_query():
    edges = [Edge(f"e{at:03}", 1, "hub", f"leaf{at}", private=False) for at in range(300)]
    edges += [Edge(f"f{at:03}", 1, f"leaf{at}", f"end{at}", private=False) for at in range(300)]
    graph = Graph(edges, frozenset())
    budgets = Budgets(10_000, 2, 10_000, 1_000)

    found = expand(["hub"], graph, budgets, given=frozenset(), expired=lambda: False)

    assert len(found.nodes) == 601
    assert graph.asked == 2


def test_time_can_run_out_at_every_step():
    edges = [Edge(f"e{at}", 1, "hub", f"leaf{at}", private=False) for at in range(3)]
    budgets = Budgets(10, 2, 100, 100)

    def selected(steps):
        left = iter(range(steps))
        return expand(
            ["hub"],
            Graph(edges, frozenset()),
            budgets,
            given=frozenset(),
            expired=lambda: next(left, None) is None,
        )

    cut = [selected(steps) for steps in range(12)]

    assert [len(found.nodes) for found in cut[:7]] == [0, 1, 1, 1, 1, 2, 2]
    assert all([one.outcome for one in found.cuts] == [expansion.TIMEOUT] for found in cut[:7])
    assert cut[11].cuts == []
    assert len(cut[11].nodes) == 4
