"""Faults in the engine, the batch, the plans and the log."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_BATCH = "commands/batch.py"
_ENGINE = "commands/engine.py"
_PLANS = "commands/plans.py"
_WRITER = "commands/store_writer.py"

WRITING: Final = (
    Fault(
        301,
        "domain/receipts.py",
        "if state.said.fingerprint != fingerprint:",
        "if fingerprint is None:",
        "A key that was used for another request is answered with what that one did.",
        ("tests/engine/test_receipts.py::test_a_key_that_was_used_for_something_else_is_refused",),
    ),
    Fault(
        302,
        _ENGINE,
        "stored = self._looked_up(batch.rows)",
        "stored = None",
        "After a lost connection the rows are appended again without a look for them.",
        (
            "tests/engine/test_outcomes.py::test_what_was_committed_before_the_connection_was_lost_is_answered_as_done",
        ),
    ),
    Fault(
        303,
        _ENGINE,
        "if stored is None or stored.event_hash != row.event_hash:",
        "if stored is None:",
        "After a lost connection somebody else's event is taken for one's own.",
        (
            "tests/engine/test_outcomes.py::test_what_another_process_did_meanwhile_is_not_taken_for_ones_own",
        ),
    ),
    Fault(
        304,
        _ENGINE,
        "raise OutcomeUnknownError(str(failure)) from failure",
        "raise",
        "A commit that nobody could look up is reported as not recorded.",
        (
            "tests/engine/test_outcomes.py::test_an_outcome_that_cannot_be_looked_up_is_not_told_as_nothing_done",
        ),
    ),
    Fault(
        305,
        _ENGINE,
        "return any(not isinstance(job, RecordJob) or job.durable for job in group.jobs)",
        "return any(isinstance(job, RecordJob) and job.durable for job in group.jobs)",
        "A mutation is answered before it is on the disk.",
        ("tests/engine/test_durability.py",),
    ),
    Fault(
        306,
        _ENGINE,
        "if len(groups) == 1 or _is_about_the_disk(fault):",
        "if groups:",
        "A damaged stream refuses the commands of everybody who waits beside it.",
        ("tests/engine/test_crowds.py::test_a_damaged_memory_costs_only_who_asked_for_it",),
    ),
    Fault(
        307,
        _BATCH,
        "self.not_before_us = max(self.not_before_us, micros)",
        "self.not_before_us = max(self.not_before_us, 0)",
        "An event is appended before the time at which it says that it was recorded.",
        ("tests/engine/test_batches.py::test_no_event_is_appended_before_it_was_recorded",),
    ),
    Fault(
        308,
        _BATCH,
        "del self.rows[marks[0] :], self.events[marks[0] :], self.refs[marks[1] :]",
        "del self.rows[marks[0] :], self.events[marks[0] :]",
        "A refused atomic group leaves its references on the events of the next one.",
        ("tests/engine/test_batches.py::test_a_refused_atomic_group_leaves_no_reference",),
    ),
    Fault(
        309,
        _BATCH,
        "self.working.restore(saved)",
        "self.working.snapshot()",
        "What a refused atomic group decided is seen by the commands behind it.",
        (
            "tests/engine/test_batches.py::test_what_a_refused_atomic_group_decided_is_unknown_to_the_commands_behind_it",
        ),
    ),
    Fault(
        310,
        "commands/working.py",
        "return [*self._stored_refs[key], *self._refs[key]]",
        "return [*self._stored_refs[key]]",
        "Forgetting a slot misses what the same batch remembered in it.",
        (
            "tests/engine/test_batches.py::test_forgetting_a_slot_reaches_what_the_same_batch_remembered_in_it",
        ),
    ),
    Fault(
        311,
        "commands/working.py",
        "if aggregate is None or aggregate.workspace != self.workspace:",
        "if aggregate is None:",
        "A command reaches a memory of another workspace by its id.",
        ("tests/engine/test_workspaces.py",),
    ),
    Fault(
        312,
        "commands/aggregates.py",
        "if _covers_a_version(event) or tangles(state, event):",
        "if tangles(state, event):",
        "An update after a forgotten version answers with the forgotten text.",
        (
            "tests/engine/test_batches.py::test_the_text_of_a_forgotten_version_is_in_no_later_answer",
        ),
    ),
    Fault(
        313,
        _PLANS,
        'owner = viewer.actor if said.visibility == "private" else None',
        "owner = None",
        "A private identity key stands in the way of the same key of others.",
        ("tests/engine/test_identity_keys.py::test_a_private_key_is_its_owners_alone",),
    ),
    Fault(
        314,
        _PLANS,
        "key, owner = self.said.identity_key, self.viewer.actor if private else None",
        "key, owner = self.said.identity_key, None",
        "The key of a private edge leads others to it, and lets them change it.",
        (
            "tests/engine/test_identity_keys.py::test_the_key_of_a_private_edge_does_not_lead_others_to_it",
        ),
    ),
    Fault(
        315,
        _PLANS,
        "and state.home.visible_to(self.viewer)",
        "and state.home.visibility",
        "A slot that somebody forgot in private is closed to everybody.",
        (
            "tests/laws/test_isolation.py::test_a_slot_that_another_owner_forgot_in_private_takes_late_facts",
        ),
    ),
    Fault(
        316,
        "commands/answers.py",
        "return state if states[-1].forgotten is None else state.without_text()",
        "return state",
        "A command that is sent again after a tombstone answers with the forgotten text.",
        (
            "tests/engine/test_receipts.py::test_a_replay_after_a_forget_does_not_say_what_was_forgotten",
        ),
    ),
    Fault(
        317,
        _WRITER,
        "appended_us = max(self._clock.now_us(), not_before_us, last_us + 1)",
        "appended_us = max(self._clock.now_us(), not_before_us)",
        "Append times go back with the clock, and as_known_at cuts the log in the wrong place.",
        (
            "tests/store/test_log_contract.py::TestAppendTimes::test_they_grow_when_the_clock_stands_or_jumps_back",
        ),
    ),
    Fault(
        318,
        _WRITER,
        "(SELECT seq FROM sqlite_sequence WHERE name = 'event')",
        "(SELECT max(position) FROM event)",
        "The position of an event that was taken away is given to another one.",
        (
            "tests/store/test_log_is_append_only.py::test_no_position_is_used_twice_even_where_somebody_removed_the_guard",
        ),
    ),
    Fault(
        319,
        "commands/store_reads.py",
        "if _at(connection, middle)[1] <= known_at:",
        "if _at(connection, middle)[1] < known_at:",
        "What was appended at the very instant of as_known_at is not known then.",
        (
            "tests/store/test_log_contract.py::TestAppendTimes::test_what_was_known_at_a_time_is_every_event_appended_until_then",
        ),
    ),
    Fault(
        320,
        "commands/sqlite_writer.py",
        "            self._discard()\n            raise OutcomeUnknownError(",
        "            self._discard()\n            raise StoreError(",
        "A connection lost at the commit is told as if nothing had been written.",
        (
            "tests/store/test_log_failures.py::test_a_connection_lost_after_the_commit_leaves_the_outcome_open_and_the_rows_there",
        ),
    ),
)
