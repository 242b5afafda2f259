"""Faults in what an event makes of a record, and in what of it may be seen."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_MEMORY = "domain/memory_events.py"
_VISIBILITY = "domain/visibility.py"

FOLDING: Final = (
    Fault(
        201,
        _VISIBILITY,
        "ended(self.from_us, self.until_us, self.expires_us, as_of_us)",
        "ended(self.from_us, self.until_us, FOREVER, as_of_us)",
        "What has expired still answers.",
        ("tests/domain/test_visibility.py::test_the_earlier_of_two_ends_counts",),
    ),
    Fault(
        202,
        _VISIBILITY,
        'min(at, self.expired_us) if before == "expired" else at',
        "at",
        "What expired long ago answers again for the time until it was touched once more.",
        (
            "tests/domain/test_what_later_events_keep.py::test_what_is_expired_once_more_has_ended_when_it_was_expired_first",
        ),
    ),
    Fault(
        203,
        _VISIBILITY,
        "return self._replace(expired_us=FOREVER)",
        "return self",
        "A memory that is made active again stays expired.",
        ("tests/domain/test_forget.py::test_a_later_active_version_ends_an_expiry_by_update",),
    ),
    Fault(
        204,
        _MEMORY,
        "provenance=appended(state.provenance, said.provenance),",
        "provenance=tuple(said.provenance),",
        "An upsert replaces the sources of a memory where it should append to them.",
        (
            "tests/domain/test_what_later_events_keep.py::test_an_upsert_appends_its_sources_to_those_that_were_there",
        ),
    ),
    Fault(
        205,
        _MEMORY,
        "state = state._replace(bounds=first_bounds(fact, stamp), lifecycle=fact.lifecycle)",
        "state = state._replace(bounds=first_bounds(fact, stamp))",
        "An upsert leaves a hidden memory hidden.",
        ("tests/domain/test_remember.py::test_an_upsert_makes_active_whatever_was_only_hidden",),
    ),
    Fault(
        206,
        _MEMORY,
        "confidence=state.confidence if said.confidence is None else said.confidence,",
        "confidence=said.confidence or state.confidence,",
        "An upsert that says a confidence of zero keeps the old one.",
        (
            "tests/domain/test_remember.py::test_an_upsert_replaces_a_confidence_that_is_said_even_by_zero",
        ),
    ),
    Fault(
        207,
        _MEMORY,
        "from_us = now_us if start is None else parse_instant(start",
        "from_us = 0 if start is None else parse_instant(start",
        "A memory whose start is cleared holds since the beginning of time.",
        ("tests/domain/test_patched_bounds.py::test_a_cleared_start_acts_as_the_recording_time",),
    ),
    Fault(
        208,
        _MEMORY,
        'if "valid_from" in changed:',
        "if fact.valid_from is not None:",
        "A start that an update clears is inherited.",
        ("tests/domain/test_patches.py::test_each_field_alone_changes_itself_and_keeps_the_rest",),
    ),
    Fault(
        209,
        _MEMORY,
        "return state._replace(content=None) if patch is None else _patched(state, patch)",
        "return state if patch is None else _patched(state, patch)",
        "Where a correction was erased, the text that it corrected comes back.",
        (
            "tests/domain/test_forget_scopes.py::test_a_forgotten_tip_is_addressable_without_content_and_answers_nothing",
        ),
    ),
    Fault(
        210,
        _MEMORY,
        "dead_versions=state.dead_versions | dead)",
        "dead_versions=frozenset(dead))",
        "Forgetting one version forgets that another one was forgotten before.",
        (
            "tests/domain/test_what_later_events_keep.py::test_a_memory_knows_all_versions_that_were_forgotten",
        ),
    ),
    Fault(
        211,
        _MEMORY,
        'slot_forgotten = state.recorded_us if fact.scope == "key" else state.slot_forgotten_us',
        'slot_forgotten = state.recorded_us if fact.scope == "key" else None',
        "Destroying a memory whose slot was forgotten opens that slot to late facts.",
        (
            "tests/domain/test_what_later_events_keep.py::test_a_slot_stays_forgotten_when_its_memory_is_destroyed_later",
        ),
    ),
    Fault(
        212,
        "domain/memory.py",
        "        if not self.erased:\n            return self\n",
        "        if not (self.erased and self.forgotten):\n            return self\n",
        "A version whose text is gone still shows its tags, kind and sources.",
        (
            "tests/domain/test_what_later_events_keep.py::test_a_version_whose_text_is_gone_shows_nothing_that_earlier_ones_said",
        ),
    ),
    Fault(
        213,
        _MEMORY,
        "if tag not in state.tags]",
        "]",
        "A tag that a memory has already is added a second time.",
        ("tests/domain/test_patches.py::test_each_field_alone_changes_itself_and_keeps_the_rest",),
    ),
    Fault(
        214,
        "domain/recorded.py",
        'if isinstance(fact, MemoryForgotten) and fact.scope == "event"',
        'if isinstance(fact, MemoryForgotten) and fact.scope == "event" and event is events[-1]',
        "The text of a forgotten version comes back with the next event of its memory.",
        (
            "tests/domain/test_what_later_events_keep.py::test_the_text_of_a_forgotten_version_stays_hidden_from_all_later_ones",
        ),
    ),
    Fault(
        215,
        "domain/relationship.py",
        "return state._replace(erased=True)",
        "return state",
        "An edge whose correction was erased is followed, as it was before.",
        (
            "tests/domain/test_what_later_events_keep.py::test_an_edge_whose_correction_was_erased_is_not_followed_as_it_was_before",
        ),
    ),
    Fault(
        216,
        "domain/guards.py",
        "elif isinstance(fact, IdentityReleased):",
        "elif isinstance(fact, IdentityReleased) and state is None:",
        "An identity key is never free again.",
        ("tests/domain/test_guards.py::test_a_key_is_held_from_its_claim_to_its_release",),
    ),
)
