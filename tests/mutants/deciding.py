"""Faults in what may happen: commands in, facts out, or a refusal."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_MEMORIES = "domain/memory_decisions.py"
_EDGES = "domain/relationship_decisions.py"
_CONSOLIDATION = "domain/consolidation.py"

DECIDING: Final = (
    Fault(
        101,
        _MEMORIES,
        "if existing is not None and existing.addressable_by(d.context.viewer):",
        "if existing is not None:",
        "An upsert under the key of a forgotten memory brings that memory back.",
        ("tests/domain/test_remember.py::test_a_key_of_a_forgotten_memory_makes_a_new_one",),
    ),
    Fault(
        102,
        _MEMORIES,
        "if expected is not None and expected != current:",
        "if expected is not None and expected > current:",
        "An update decided on an older version than the current one is taken.",
        (
            "tests/domain/test_patches.py::test_an_update_of_another_version_is_told_the_current_one",
        ),
    ),
    Fault(
        103,
        _MEMORIES,
        "if named is not None and d.slot_ref(named) != state.slot_ref:",
        "if named is not None and state.slot is not None and named != state.slot:",
        "Slots are compared by their text, so that an erased memory may move to another slot.",
        ("tests/domain/test_remember.py::test_an_upsert_that_names_another_slot_is_refused",),
    ),
    Fault(
        104,
        _MEMORIES,
        "if count > most:",
        "if count >= most:",
        "A record that would just reach the limit of its tags or sources is refused.",
        ("tests/domain/test_patches.py::test_a_record_grows_up_to_a_limit",),
    ),
    Fault(
        105,
        _MEMORIES,
        "if start is not None and bounds.until_us <= start:",
        "if start is not None and bounds.until_us < start:",
        "A patch may leave an interval [t, t), in which the memory holds at no instant.",
        ("tests/domain/test_patches.py::test_a_new_end_must_lie_after_the_kept_start",),
    ),
    Fault(
        106,
        _MEMORIES,
        "if at is not None or name in patch.clear}",
        "if at is not None}",
        "A date that a patch clears keeps its old value.",
        ("tests/domain/test_patches.py::test_each_field_alone_changes_itself_and_keeps_the_rest",),
    ),
    Fault(
        107,
        _MEMORIES,
        'stronger = said.mode == "application_delete" and state.forgotten == "tombstone"',
        'stronger = said.mode == "application_delete"',
        "What was destroyed can be destroyed again, and its version grows.",
        (
            "tests/domain/test_forget.py::test_what_is_forgotten_is_not_forgotten_again_by_the_same_or_less",
        ),
    ),
    Fault(
        108,
        _MEMORIES,
        'for_good = said.mode != "expire" and said.scope != "event"',
        'for_good = said.scope != "event"',
        "A memory that is only hidden loses its identity key to the next one.",
        ("tests/domain/test_forget.py::test_expire_hides_at_once_and_keeps_all",),
    ),
    Fault(
        109,
        _MEMORIES,
        "if _forgettable(d, said, state) and state.recorded_us <= d.now_us",
        "if _forgettable(d, said, state)",
        "Forgetting a slot as of an earlier time takes what was recorded in it later.",
        (
            "tests/domain/test_forget_scopes.py::test_what_was_recorded_later_than_the_tombstone_stays",
        ),
    ),
    Fault(
        110,
        _MEMORIES,
        "if forgotten_us is not None and recorded_us <= forgotten_us:",
        "if forgotten_us is not None and recorded_us < forgotten_us:",
        "A late fact of the very instant of the tombstone re-enters a forgotten slot.",
        (
            "tests/domain/test_remember.py::test_a_late_fact_may_not_enter_a_slot_that_was_forgotten_after_it",
        ),
    ),
    Fault(
        111,
        _MEMORIES,
        "[(state.id, said.version or state.version)]",
        "[(state.id, state.version)]",
        "Destroying one version destroys the newest one in its place.",
        (
            "tests/domain/test_forget_scopes.py::test_destroying_one_version_asks_for_its_erasure_alone",
        ),
    ),
    Fault(
        112,
        _EDGES,
        'private = "private" in (source.home.visibility, target.home.visibility)',
        'private = source.home.visibility == "private"',
        "An edge that ends in a private memory is seen by the whole workspace.",
        ("tests/domain/test_relationships.py::test_an_edge_is_private_if_either_end_is",),
    ),
    Fault(
        113,
        _EDGES,
        'target = addressable(ends[1], viewer, "target_id")',
        'target = addressable(ends[1] or ends[0], viewer, "target_id")',
        "An edge to a memory that is not there is taken.",
        ("tests/domain/test_relationships.py::test_both_ends_must_be_addressable",),
    ),
    Fault(
        114,
        _CONSOLIDATION,
        "if state.version != seen[state.id]:",
        "if state.version < seen[state.id]:",
        "A proposal is applied although a member has changed since it was made.",
        (
            "tests/domain/test_consolidation_apply.py::test_a_member_that_changed_since_makes_the_proposal_stale",
        ),
    ),
    Fault(
        115,
        _CONSOLIDATION,
        'private = any(state.home.visibility == "private" for state in members)',
        'private = all(state.home.visibility == "private" for state in members)',
        "A proposal that names one private memory is shown to the workspace.",
        ("tests/domain/test_consolidation.py::test_a_proposal_with_a_private_member_is_private",),
    ),
    Fault(
        116,
        _CONSOLIDATION,
        "if proposal is not None and proposal.applied is not None:",
        "if proposal is not None and proposal.applied == proposal.members:",
        "A proposal that was applied is applied a second time.",
        (
            "tests/domain/test_consolidation_apply.py::test_applying_again_does_nothing_whatever_happened_since",
        ),
    ),
    Fault(
        117,
        "domain/requests.py",
        "self.input.model_dump(exclude_defaults=True)",
        "self.input.model_dump(exclude_unset=True)",
        "A default that is spelled out makes a repeated command another command.",
        ("tests/domain/test_fingerprints.py::test_a_default_that_is_spelled_out_is_the_same",),
    ),
    Fault(
        118,
        "domain/slots.py",
        "return named_slot(content) or _name(identity_key)",
        "return _name(identity_key) or named_slot(content)",
        "The identity key names the slot although the content names another one.",
        ("tests/domain/test_slots.py::test_the_identity_key_is_the_last_that_is_asked",),
    ),
    Fault(
        119,
        "domain/registry.py",
        "return {name: value for name, value in vars(said).items() if name in given}",
        "return dict(vars(said))",
        "An update stores what it did not say, and so clears it.",
        ("tests/domain/test_patches.py::test_what_was_not_set_is_not_stored",),
    ),
    Fault(
        120,
        "domain/ids.py",
        "digits = text[len(prefix) :]",
        "digits = text[len(prefix) :].lower()",
        "A near miss of an id is taken for the id.",
        ("tests/domain/test_ids.py::test_a_near_miss_of_an_id_is_a_miss",),
    ),
)
