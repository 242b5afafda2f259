"""What a page or a walk leaves out is named, and what is named is all that was left out."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.canonical import canonical
from read_api.expansion import COST, SUPERNODE, Budgets, Edge, Selection, expand
from read_api.explaining import DEPTH, SKIPPED_MAX, beyond_depth
from read_api.shaping import Filler, Item, Links, Shaped
from tests.recall.test_queue_laws import NODES, PAIRS, Graph

LARGE = 10**6
EVERYTHING = Budgets(LARGE, LARGE, LARGE, LARGE)
FIELD = {COST: "max_cost", SUPERNODE: "supernode_threshold", DEPTH: "max_depth"}


def walked(graph, seeds, budgets):
    found = expand(seeds, graph, budgets, given=frozenset(), expired=lambda: False)
    return found, [*found.cuts, *beyond_depth(found, graph, SKIPPED_MAX)]


def answer(found):
    return [(node.id, node.depth, node.path) for node in found.nodes], found.traversed


@given(
    PAIRS,
    st.frozensets(st.sampled_from(NODES), max_size=3),
    st.lists(st.sampled_from(NODES), unique=True, max_size=4),
    st.builds(
        Budgets,
        max_items=st.just(LARGE),
        max_depth=st.integers(1, 3),
        max_cost=st.integers(1, 20),
        supernode_threshold=st.integers(1, 6),
    ),
)
def test_a_limited_walk_with_its_named_limits_raised_is_the_unlimited_walk(
    pairs, hidden, wanted, budgets
):
    edges = [Edge(f"e{at:02}", 1, *pair, private=False) for at, pair in enumerate(pairs)]
    graph = Graph(edges, hidden)
    seeds = [seed for seed in wanted if graph.eligible(seed)]
    whole, none = walked(graph, seeds, EVERYTHING)

    found, skipped = walked(graph, seeds, budgets)
    for _ in FIELD:  # raising one limit may meet the next, and each is met once
        budgets = replace(budgets, **{FIELD[cut.outcome]: LARGE for cut in skipped})
        found, skipped = walked(graph, seeds, budgets)

    assert none == []
    # An edge to a hidden memory is never traversed, so it stays named until the depth is raised.
    assert skipped == []
    assert answer(found) == answer(whole)


def test_ends_that_lead_nowhere_hide_no_end_that_leads_further():
    leaves = SKIPPED_MAX * 4
    edges = [Edge(f"e{at:04}", 1, "hub", f"n{at:04}", private=False) for at in range(leaves)]
    last = Edge("f", 1, f"n{leaves - 1:04}", "beyond", private=False)
    budgets = Budgets(LARGE, 1, LARGE, LARGE)

    _, skipped = walked(Graph([*edges, last], frozenset()), ["hub"], budgets)

    assert skipped == [(DEPTH, last.source, last.id)]


SIZES = st.lists(st.integers(0, 120), min_size=1, max_size=8)


def page_of(items, bytes_max, *, told):
    page = Shaped(told=told)
    Filler(Links(Selection(), frozenset()), bytes_max, page).fill(items, {})
    return page


@settings(max_examples=60)
@given(SIZES, st.integers(1, 400))
def test_pages_of_any_budget_give_or_name_each_item_once_and_the_most_relevant_first(
    sizes, bytes_max
):
    wires = [{"id": f"m{at}", "text": "x" * size} for at, size in enumerate(sizes)]
    items = [Item((wire["id"], 1), 0, wire, private=False) for wire in wires]
    left, told, given_or_named = items, False, []

    for _ in range(2 * len(items) + 1):
        page = page_of(left, bytes_max, told=told)
        done = {item.id for item in (*page.items, *page.skipped)}
        given_or_named += [item.id for item in left if item.id in done]
        assert page.payload_bytes == sum(len(canonical(item.wire)) for item in page.items)
        assert page.payload_bytes <= bytes_max
        # What a page holds is a beginning of what is left: nothing is dropped from before it.
        assert done == {item.id for item in left[: len(done)]}
        assert all(len(canonical(item.wire)) > bytes_max for item in page.skipped)
        left, told = left[len(done) :], page.told
        assert page.ended is bool(left)
        if not left:
            break

    assert given_or_named == [item.id for item in items]
