"""Faults in the pages of a recall: their tokens, their basis, what fits on them."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_CHOICE = "read_api/basis_choice.py"
_PAGES = "read_api/pages.py"
_SHAPING = "read_api/shaping.py"
_TOKENS = "read_api/page_tokens.py"

PAGING: Final = (
    Fault(
        516,
        _TOKENS,
        "canonical([question, *asker])",
        "canonical([question])",
        "A page token of one actor opens the next page for another one.",
        ("tests/recall/test_paging.py::test_a_token_is_bound_to_question_actor_and_workspace",),
    ),
    Fault(
        517,
        _TOKENS,
        "token.workspace != context.workspace or token.question",
        "token.question",
        "A page token of one workspace is taken in another one.",
        (
            "tests/recall/test_page_tokens.py::test_a_token_of_an_equal_signature_elsewhere_is_not_found",
        ),
    ),
    Fault(
        518,
        _TOKENS,
        "hmac.compare_digest(signature, _signature(secret, body))",
        "hmac.compare_digest(signature[:0], _signature(secret, body)[:0])",
        "Anybody can make a page token.",
        ("tests/recall/test_paging.py::test_every_flipped_bit_of_a_token_is_noticed",),
    ),
    Fault(
        519,
        _CHOICE,
        "return token.position",
        "return max(head, token.position)",
        "A next page is made of what was recorded since the first one.",
        ("tests/recall/test_paging.py::test_a_token_pins_the_basis",),
    ),
    Fault(
        520,
        _CHOICE,
        "return max(self._clock.now_us(), self._log.appended_at(position))",
        "return self._clock.now_us()",
        "What was just stored is not valid yet where the clock has jumped back.",
        ("tests/recall/test_basis.py::test_what_was_stored_is_never_in_the_future",),
    ),
    Fault(
        521,
        _PAGES,
        "nodes = selection.nodes[:-1] if selection.more else selection.nodes",
        "nodes = selection.nodes",
        "A page holds one item more than max_items.",
        ("tests/recall/test_paging.py::test_pages_neither_repeat_nor_skip",),
    ),
    Fault(
        522,
        _SHAPING,
        "(page.items and alone + _size(edges, records) > left)",
        "(page.items and alone > left)",
        "An item is given without the relationships that no longer fit.",
        (
            "tests/recall/test_paging.py::test_an_item_comes_with_the_relationships_that_it_completes_or_not_at_all",
        ),
    ),
    Fault(
        523,
        _SHAPING,
        "page.told = page.told or alone > self._bytes_max",
        "page.told = page.told and alone > self._bytes_max",
        "An item that no page can hold ends every page, and what follows it is never given.",
        (
            "tests/recall/test_paging.py::test_an_item_that_no_page_can_hold_is_announced_then_skipped_by_name",
        ),
    ),
    Fault(
        524,
        "read_api/given_pages.py",
        "skipped.update(record for record, _ in returned(fact).skipped)",
        "skipped.update(record for record, _ in returned(fact).items)",
        "An item that no page can hold is skipped again on every further page.",
        ("tests/recall/test_paging.py::test_what_was_skipped_for_its_size_is_not_skipped_again",),
    ),
    Fault(
        525,
        "read_api/recall.py",
        "private=private or any(edge.private for edge in edges),",
        "private=private,",
        "A recall that gave a private edge is shown to the whole workspace.",
        ("tests/recall/test_items.py::test_an_imported_private_edge_makes_an_answer_private",),
    ),
    Fault(
        531,
        _TOKENS,
        "context.settings.recall_policy if token is None else token.policy",
        "context.settings.recall_policy",
        "The next page of a question has the policy that the workspace has by then.",
        (
            "tests/http/test_workspace_policy.py::test_all_pages_of_a_question_have_the_policy_of_the_first",
        ),
    ),
    Fault(
        532,
        "read_api/slots.py",
        "policy[0] if policy else asked.policy or SURFACE_ALL",
        "asked.policy_in(context)",
        "The next page of slots has the policy that the workspace has by then.",
        (
            "tests/http/test_workspace_policy.py::test_all_pages_of_slots_have_the_policy_of_the_first",
        ),
    ),
)
