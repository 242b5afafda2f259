"""Faults in the index, the read models and the queue of a recall."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_BASIS = "read_api/basis.py"
_ELIGIBILITY = "projections/lexical/eligibility.py"
_EXPANSION = "read_api/expansion.py"
_SCORING = "projections/lexical/scoring.py"

RECALLING: Final = (
    Fault(
        501,
        _EXPANSION,
        "self._found.cost += 1",
        "self._found.cost += self._graph.eligible(edge.other(node.id))",
        "A look at an edge to something hidden costs nothing, and so tells that it is hidden.",
        (
            "tests/recall/test_expansion.py::test_looking_at_an_edge_to_something_hidden_costs_and_shows_nothing",
        ),
    ),
    Fault(
        502,
        _EXPANSION,
        "if node.depth == self._budgets.max_depth:",
        "if node.depth > self._budgets.max_depth:",
        "Relationships are followed one step further than max_depth.",
        (
            "tests/recall/test_expansion.py::test_the_depth_bounds_how_far_relationships_are_followed",
        ),
    ),
    Fault(
        503,
        "read_api/graph_view.py",
        "if counted[0] > threshold:",
        "if counted[0] >= threshold:",
        "A node with exactly as many edges as the threshold is taken for a supernode.",
        ("tests/recall/test_expansion.py::test_edges_that_do_not_hold_do_not_make_a_supernode",),
    ),
    Fault(
        504,
        _EXPANSION,
        "if self._exhausted() and self._queue[0].depth > 0:",
        "if self._exhausted():",
        "A small cost budget hides memories that were asked for by name.",
        ("tests/recall/test_expansion.py::test_a_cost_budget_never_hides_a_seed",),
    ),
    Fault(
        505,
        _BASIS,
        'or_(row.visibility == "workspace", row.owner == _ACTOR),',
        "row.visibility.is_not(None),",
        "What an explanation lists, and what it disputes, includes private records of others.",
        ("tests/recall/test_items.py::test_what_others_keep_private_contests_nothing",),
    ),
    Fault(
        506,
        _BASIS,
        "row.until_us > _AS_OF)",
        "row.until_us >= _AS_OF)",
        "The read models still show a fact at the instant at which it ends.",
        ("tests/recall/test_boundaries.py",),
    ),
    Fault(
        507,
        _BASIS,
        "or_(row.to_position.is_(None), row.to_position > _POSITION)",
        "or_(row.to_position.is_(None), row.to_position >= _POSITION)",
        "At the position of a correction the version before it is shown beside it.",
        ("tests/recall/test_boundaries.py",),
    ),
    Fault(
        508,
        _ELIGIBILITY,
        "eligible &= self._valid_until.values > now",
        "eligible &= self._valid_until.values >= now",
        "The index still finds a fact at the instant at which it ends.",
        ("tests/lexical/test_bounds_of_a_version.py",),
    ),
    Fault(
        509,
        _ELIGIBILITY,
        "eligible &= self._seen_by(basis)",
        "eligible &= self._active.values",
        "The index finds private memories of others.",
        (
            "tests/lexical/test_contract_of_an_index.py::test_one_eligible_match_is_found_at_limit_1_among_many_better_ones_that_are_not",
        ),
    ),
    Fault(
        510,
        _ELIGIBILITY,
        "eligible &= self._to_position.values > at",
        "eligible &= self._to_position.values >= at",
        "At the position of a correction the index finds the version before it, too.",
        (
            "tests/lexical/test_contract_of_an_index.py::test_the_version_of_the_basis_is_the_one_that_is_searched",
        ),
    ),
    Fault(
        511,
        _SCORING,
        "inverse_document_frequency(self._statistics.documents, len(rows))",
        "inverse_document_frequency("
        "self._statistics.documents, min(self._statistics.documents, len(found.rows)))",
        "How often a word stands in memories that nobody may see moves the scores.",
        ("tests/lexical/test_statistics_of_the_eligible.py",),
    ),
    Fault(
        512,
        "projections/lexical/statistics.py",
        "documents = int(np.count_nonzero(mask))",
        "documents = len(mask)",
        "How many memories there are that nobody may see moves the scores.",
        ("tests/lexical/test_statistics_of_the_eligible.py",),
    ),
    Fault(
        569,
        "projections/lexical/kept_mask.py",
        "if kept is None or kept.key != key or not kept.since <= as_of_us < kept.until:",
        "if kept is None or kept.key != key or not kept.since <= as_of_us:",
        "What has expired since the last question is still found.",
        ("tests/lexical/test_kept_masks.py",),
    ),
    Fault(
        570,
        _ELIGIBILITY,
        "basis.actor if self._owner.holds(basis.actor) else None,",
        "None,",
        "Who asks after somebody else is given what that one keeps private.",
        ("tests/lexical/test_kept_masks.py",),
    ),
    Fault(
        575,
        _ELIGIBILITY,
        "min(basis.position, self._newest),",
        "self._newest,",
        "A question about an earlier basis is answered with what is known now.",
        ("tests/lexical/test_kept_masks.py",),
    ),
    Fault(
        513,
        "projections/lexical/memtable.py",
        "self._dead.add(memory_id if version is None else (memory_id, version))",
        "self._dead.discard(memory_id if version is None else (memory_id, version))",
        "A version that comes after its memory was forgotten is found.",
        (
            "tests/lexical/test_contract_of_an_index.py::test_a_forgotten_memory_is_found_at_no_basis_and_no_later_version_of_it_either",
        ),
    ),
    Fault(
        514,
        "projections/recall_fold.py",
        "self.index.purge(memory, version)",
        "self.index.bury(memory, version)",
        "The words of a destroyed memory stay in the index.",
        ("tests/recall/test_memtables.py::test_a_deleted_text_leaves_no_word_in_the_index",),
    ),
    Fault(
        515,
        "projections/lexical/memtable.py",
        "self._eligibility.readable(basis) & (self._lengths.values > 0)",
        "self._eligibility.readable(basis) | self._eligibility.gone",
        "An explanation tells that a forgotten memory had the words of the question.",
        ("tests/recall/test_explained_at_an_older_basis.py",),
    ),
    Fault(
        526,
        "read_api/contests.py",
        "if end != row.id and end in self._standing:",
        "if end != row.id:",
        "A memory stays contested by one that was forgotten.",
        ("tests/recall/test_items.py::test_a_contradiction_by_something_hidden_contests_nothing",),
    ),
    Fault(
        571,
        "read_api/workspace_index.py",
        "np.pad(mask, (0, grown)) & ~index.gone",
        "np.pad(mask, (0, grown))",
        "An explanation names a neighbour that was forgotten a moment ago.",
        (
            "tests/recall_index/test_explained.py::test_what_was_forgotten_since_a_look_is_in_no_explanation",
        ),
    ),
    Fault(
        572,
        "read_api/explained_items.py",
        'return parts if total == item.wire["score"] else None',
        "return parts",
        "An explanation tells parts that are not the score.",
        (
            "tests/recall/test_explained_items.py::test_what_was_forgotten_meanwhile_is_in_no_explanation",
        ),
    ),
    Fault(
        573,
        "read_api/explained_items.py",
        '"lent": part.memory_id != item.id,',
        '"lent": part.version != item.target[1],',
        "A word that a neighbour lent is told as the item's own.",
        (
            "tests/recall/test_explained_items.py::test_a_neighbour_that_lent_a_word_is_named_and_may_be_read",
        ),
    ),
    Fault(
        574,
        "read_api/contests.py",
        "if other.value != value:",
        "if other.id != row.id:",
        "Memories that say the same contest each other.",
        (
            "tests/recall/test_explained_items.py::test_what_contests_an_item_is_named_whether_it_is_an_item_or_not",
        ),
    ),
    Fault(
        527,
        "read_api/selecting.py",
        "return self._matched(node.id) + 1 / (node.depth + 1)",
        "return self._matched(node.id) + 1 / (node.depth or 1)",
        "A memory one step away scores as high as the seed that led to it.",
        (
            "tests/recall/test_expansion.py::test_the_depth_bounds_how_far_relationships_are_followed",
        ),
    ),
    Fault(
        561,
        _SCORING,
        "has = own > 0",
        "has = own >= lent.max(axis=1)",
        "A memory takes a word that it has, where its neighbour's counts more.",
        ("tests/lexical/test_neighbours_lend_words.py", "tests/lexical/test_laws_of_search.py"),
    ),
    Fault(
        562,
        "projections/lexical/context.py",
        "eligible = np.flatnonzero(mask[self._rows])",
        "eligible = np.arange(len(self._rows))",
        "A memory that nobody may see stands between two that are neighbours, and lends its words.",
        ("tests/lexical/test_neighbours_lend_words.py",),
    ),
    Fault(
        563,
        "projections/lexical/context.py",
        "inside &= self._sessions[place] == self._sessions[eligible[at]]",
        "inside &= place >= 0",
        "The last memory of a session takes words from the first of another one.",
        ("tests/lexical/test_neighbours_lend_words.py",),
    ),
    Fault(
        564,
        _SCORING,
        "earliest = self._text.sessions.earliest(equal, FILLED_MAX - len(better))",
        "earliest = equal[len(equal) - (FILLED_MAX - len(better)) :]",
        "Which of equal memories take words depends on how the rows of the index are numbered.",
        ("tests/lexical/test_neighbours_lend_words.py",),
    ),
    Fault(
        565,
        "projections/lexical/folding.py",
        "BASE_FORMS.get(word, word)",
        "word",
        "Went is not found by go.",
        ("tests/lexical/test_weights.py",),
    ),
)
