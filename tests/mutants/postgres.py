"""Faults of the stores in PostgreSQL: order, durability, connections, keys, schema."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_WRITER = "commands/store_postgres_writer.py"
_CONNECTIONS = "commands/postgres_connections.py"
_SCHEMA = "ops/migrations/versions/v0001_log_and_keys.py"
_KEYS = "commands/key_postgres.py"

POSTGRES: Final = (
    Fault(
        1001,
        _WRITER,
        "SELECT pg_advisory_xact_lock(%(lock)s), set_config",
        "SELECT pg_advisory_xact_lock_shared(%(lock)s), set_config",
        "Writers do not wait for each other: a follower passes over what is committed late.",
        ("tests/store/test_gap.py::test_ours_lets_nobody_take_a_later_position_before_the_commit",),
    ),
    Fault(
        1002,
        _SCHEMA,
        "LANGUAGE plpgsql VOLATILE AS $$",
        "LANGUAGE plpgsql STABLE AS $$",
        "An append that waited does not see the append times of those it waited for.",
        (
            "tests/store/test_gap.py::test_an_append_time_is_later_than_one_that_was_committed_while_it_waited",
        ),
    ),
    Fault(
        1003,
        _WRITER,
        'asked["commit"] = "on" if durable else "off"',
        'asked["commit"] = "off"',
        "A mutation is acknowledged before it is on the disk.",
        (
            "tests/store/test_postgres_traps.py::TestTheAppend::test_waits_for_the_disk_where_it_is_asked_to_whatever_the_default",
        ),
    ),
    Fault(
        1004,
        _CONNECTIONS,
        "raise OutcomeUnknownError(",
        "raise StoreError(",
        "A connection lost at the commit is told as if nothing had been written.",
        (
            "tests/store/test_postgres_cut.py::test_the_outcome_of_an_append_is_open_and_the_store_goes_on",
        ),
    ),
    Fault(
        1005,
        _KEYS,
        "            connection.execute(_COUNT)\n",
        "",
        "A key destroyed by one process goes on to open its text in another.",
        (
            "tests/store/test_keystore.py::TestDestroying::test_a_key_that_another_process_has_in_memory_is_gone_there_too",
        ),
    ),
    Fault(
        1006,
        _SCHEMA,
        "BEFORE UPDATE OR DELETE OR TRUNCATE ON memoranda_log.{table}",
        "BEFORE UPDATE OR DELETE ON memoranda_log.{table}",
        "The log can be emptied in one statement.",
        ("tests/store/test_log_is_append_only.py::test_the_log_refuses_a_change_and_says_why",),
    ),
    Fault(
        1007,
        _SCHEMA,
        "FROM generate_series(1, 65536)",
        "FROM generate_series(1, 1)",
        "After a crash a position that a follower has passed is given to another event.",
        (
            "tests/store/test_postgres_crash.py::test_a_position_that_was_seen_and_lost_in_a_crash_is_not_used_again",
        ),
    ),
    Fault(
        1008,
        _SCHEMA,
        "    PERFORM set_config('synchronous_commit', 'on', true);\n",
        "",
        "The leap over lost positions is itself lost in the next crash.",
        (
            "tests/store/test_postgres_crash.py::test_a_position_that_was_seen_and_lost_in_a_crash_is_not_used_again",
        ),
    ),
    Fault(
        1009,
        _KEYS,
        "(workspace != %s OR state = 'audit')",
        "(workspace != %s)",
        "An erasure that names an audit key says that it destroyed it.",
        (
            "tests/store/test_keystore.py::TestDestroying::test_the_audit_key_is_never_destroyed_nor_what_is_named_with_it",
        ),
    ),
    Fault(
        1010,
        "ops/migrating.py",
        "if found is not None and found not in REVISIONS:",
        "if found is None and found not in REVISIONS:",
        "A program migrates a database that a newer one has migrated.",
        (
            "tests/store/test_migrations.py::TestChecking::test_a_newer_one_is_refused_and_not_migrated",
        ),
    ),
    Fault(
        1011,
        "commands/store_postgres_reads.py",
        "), 0) <= %(known_at)s AS found",
        "), 0) < %(known_at)s AS found",
        "What was appended at the very instant of as_known_at is not known then.",
        (
            "tests/store/test_log_contract.py::TestAppendTimes::test_what_was_known_at_a_time_is_every_event_appended_until_then",
        ),
    ),
    Fault(
        1012,
        "commands/postgres_readers.py",
        "            self._drop_idle()\n            rows, lent",
        "            raise store_error(error) from error\n            rows, lent",
        "After a restart of the database the first questions fail.",
        (
            "tests/store/test_postgres_cut.py::test_a_database_that_is_gone_between_appends_is_found_again",
        ),
    ),
)
