"""Faults on the way from the log to the read models."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_CATCH_UP = "workers/catch_up.py"
_PAGES = "workers/pages.py"
_RECORDS = "projections/records.py"
_EVIDENCE = "projections/evidence.py"
_LINEAGES = "projections/lineages.py"

FOLLOWING: Final = (
    Fault(
        401,
        _CATCH_UP,
        "        with self._held(position) as connection:\n            if not parking.is_clear",
        "        with self._held(position) as early:\n"
        "            checkpoints.move(\n"
        "                early, self.projection, self.part, reached, wall_clock_us()\n"
        "            )\n"
        "        with writing(self.engine) as connection:\n"
        "            if not parking.is_clear",
        "The checkpoint moves in a transaction before the rows, which a crash then loses.",
        (
            "tests/workers/test_catch_up.py::test_a_failing_batch_leaves_rows_and_checkpoint_as_they_were",
        ),
    ),
    Fault(
        402,
        _PAGES,
        "last if len(events) == batch else max(head, last)",
        "max(head, last)",
        "Events beyond the first full batch are passed without being handled.",
        ("tests/workers/test_catch_up.py::test_stop_ends_between_two_batches_and_nothing_is_lost",),
    ),
    Fault(
        403,
        _PAGES,
        "last if len(events) == batch else max(head, last)",
        "last if len(events) == batch else max(self.log.head(), last)",
        "Events that were appended while a batch was read are passed without being handled.",
        (
            "tests/workers/test_meanwhile.py::test_what_is_appended_while_a_batch_is_read_is_handled_next",
        ),
    ),
    Fault(
        404,
        _CATCH_UP,
        "            if stored != position:",
        "            if stored < position:",
        "A follower sets the checkpoint back where another one has gone further.",
        (
            "tests/workers/test_meanwhile.py::test_a_follower_that_is_behind_does_not_take_the_checkpoint_back",
        ),
    ),
    Fault(
        405,
        "workers/runner.py",
        "                self._position = min(self._reached)",
        "                self._position = max(self._reached)",
        "Who waits is told that all have arrived when the first projection has.",
        ("tests/workers/test_runner.py::test_what_was_in_the_log_before_the_start_is_followed",),
    ),
    Fault(
        406,
        "projections/checkpoints.py",
        "if last is not None and last > head:",
        "if last is not None and last > reached:",
        "Read models of another log are followed as if they were of this one.",
        ("tests/projections/test_checkpoints.py::test_read_models_of_another_log_are_refused",),
    ),
    Fault(
        407,
        "projections/checkpoints.py",
        "    move(connection, projection, part, head, now_us)",
        "    move(connection, projection, part, reached, now_us)",
        "Events at positions that a power cut had freed are never handled.",
        (
            "tests/projections/test_checkpoints.py::test_positions_of_recalls_that_a_power_cut_took_are_given_again_and_seen",
        ),
    ),
    Fault(
        408,
        _LINEAGES,
        "        if event.version == known + 1:",
        "        if event.version >= known:",
        "An event that is delivered twice is written, and counted, twice.",
        ("tests/projections/test_delivered_again.py",),
    ),
    Fault(
        409,
        _LINEAGES,
        "        if event.version > known + 1:",
        "        if event.version > known + 2:",
        "A version that is missing in between goes unnoticed.",
        (
            "tests/projections/test_records.py::test_a_missing_version_is_refused_and_nothing_is_written",
        ),
    ),
    Fault(
        410,
        _RECORDS,
        "older = [] if whole or known is None else _VERSIONS.versions(connection, lineage)",
        "older: list[Row] = []",
        "The text of a forgotten memory stays in the rows of its earlier versions.",
        (
            "tests/projections/test_forgetting.py::test_a_forgotten_memory_leaves_no_text_in_any_version",
        ),
    ),
    Fault(
        411,
        _RECORDS,
        "fresh = [event for event in log.stream(*lineage) if event.version <= last]",
        "fresh = log.stream(*lineage)",
        "A refolded memory has versions that its checkpoint has not reached yet.",
        ("tests/workers/test_rows_and_checkpoints.py",),
    ),
    Fault(
        412,
        _EVIDENCE,
        'row["owner"] if row["visibility"] == "private" else "")',
        '"")',
        "The degree of a memory tells others that it has a private edge.",
        (
            "tests/projections/test_evidence.py::test_private_edges_are_counted_for_their_owner_alone",
        ),
    ),
    Fault(
        413,
        _EVIDENCE,
        '[row for row in rows if row["version"] == 1]',
        "rows",
        "An edge counts once more at its ends with each of its versions.",
        (
            "tests/projections/test_evidence.py::test_a_relationship_counts_once_at_each_end_however_many_versions_it_has",
        ),
    ),
    Fault(
        414,
        _CATCH_UP,
        "        with self._held(position) as connection:\n            if not parking.is_clear",
        "        with self._held(position) as early:\n"
        "            checkpoints.move(\n"
        "                early, self.projection, self.part, reached, wall_clock_us()\n"
        "            )\n"
        "        with writing(self.engine) as connection:\n"
        "            if not parking.is_clear",
        "A crash of a worker between checkpoint and rows loses what a bundle tells.",
        (
            "tests/bundles/test_following_crash_walk.py::test_a_fault_at_any_point_of_a_worker_changes_nothing_that_is_told[before]",
        ),
    ),
    Fault(
        415,
        "projections/views_sqlite.py",
        "        with connection.begin():\n            yield connection",
        "        connection.begin()\n"
        "        try:\n"
        "            yield connection\n"
        "        finally:\n"
        "            connection.commit()",
        "What a batch wrote before it failed stays, and counts as handled.",
        (
            "tests/bundles/test_following_crash_walk.py::test_a_fault_at_any_point_of_the_runner_changes_nothing_that_is_told[before]",
        ),
    ),
)
