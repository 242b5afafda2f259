"""Faults where events cannot be handled, and where workers are woken."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_CATCH_UP = "workers/catch_up.py"
_PARKING = "projections/parking.py"
_PARKED = "tests/workers/test_parking.py::"
_TOGETHER = "tests/workers/test_following_together.py::"

WAKING: Final = (
    Fault(
        1101,
        "workers/poison.py",
        "        return isinstance(error, (DataError, IntegrityError))"
        " and not error.connection_invalidated",
        "        return True",
        "Memories are parked because a connection was lost.",
        (f"{_PARKED}test_errors_of_disk_and_connection_never_count",),
    ),
    Fault(
        1102,
        _PARKING,
        "                self._withdraw(connection, *lineage)\n",
        "",
        "The text of a memory whose forget is parked stays in the read models.",
        (f"{_PARKED}test_the_text_of_a_memory_whose_forget_is_parked_is_gone",),
    ),
    Fault(
        1103,
        _CATCH_UP,
        "events = [one for one in events if lineage_of(one) not in known]",
        "events = list(events)",
        "Later events of a parked stream are handled before it.",
        (f"{_PARKED}test_later_events_of_a_parked_stream_are_parked_in_order",),
    ),
    Fault(
        1104,
        _PARKING,
        "        connection.execute(\n"
        "            delete(PARKED).where("
        "self._parked, *_of(lineage), _ROW.position == position)\n"
        "        )\n",
        "",
        "A parked event that is read again stops the projection.",
        (f"{_PARKED}test_a_parked_event_that_is_read_again_stays_as_it_is",),
    ),
    Fault(
        1105,
        _CATCH_UP,
        "if event.position < released.position and event.topic in self.projection.topics",
        "if event.topic in self.projection.topics",
        "A stream that is tried again shows what its checkpoint has not reached.",
        (
            "tests/workers/test_releasing.py::test_a_stream_that_is_tried_again_is_read_up_to_its_release_and_no_further",
        ),
    ),
    Fault(
        1106,
        "workers/pages.py",
        "                if (about.projection, part) == (self.projection.name, self.part):",
        "                if part == self.part:",
        "Passing a stream in one read model takes it out of the other.",
        (
            "tests/workers/test_releasing.py::test_a_release_reaches_only_the_projection_that_it_names",
        ),
    ),
    Fault(
        1107,
        "projections/withdrawing.py",
        "    connection.execute(update(DEGREE).where(*ends).values(edges=DEGREE.c.edges - 1))\n",
        "",
        "A relationship that is tried again counts twice at its ends.",
        ("tests/workers/test_releasing.py::test_a_relationship_that_is_tried_again_counts_once",),
    ),
    Fault(
        1108,
        "projections/checkpoints.py",
        "_READ.with_for_update(skip_locked=True)",
        "_READ",
        "Two workers handle the same batch.",
        (f"{_TOGETHER}test_who_holds_a_checkpoint_holds_it_alone_until_the_transaction_ends",),
    ),
    Fault(
        1109,
        "workers/jobs.py",
        "    bench.doorbell.take(projection, part)\n",
        "",
        "What is appended while a job runs waits for a sweep.",
        (f"{_TOGETHER}test_a_job_follows_the_log_to_its_head_and_lets_itself_be_woken_again",),
    ),
    Fault(
        1110,
        "workers/jobs.py",
        '{type(error).__name__}") from None',
        '{error}") from error',
        "What was said stands in Redis, in the traceback of a failed job.",
        (f"{_TOGETHER}test_what_a_job_raises_says_no_more_than_the_class_of_the_error",),
    ),
    Fault(
        1111,
        "workers/doorbell.py",
        "            except RedisError:\n"
        "                self._redis.delete(key)\n"
        "                raise",
        "            except RedisError:\n                raise",
        "A wake that could not be queued keeps others from being queued.",
        ("tests/workers/test_doorbell.py::test_a_job_that_cannot_be_queued_holds_nobody_up",),
    ),
    Fault(
        1112,
        "workers/sweeper.py",
        "            if away:\n                if self._stopping",
        "            if away:\n                return\n                if self._stopping",
        "Nobody follows the log while Redis is away.",
        (f"{_TOGETHER}test_a_sweep_follows_the_log_itself_while_redis_is_away",),
    ),
    Fault(
        1113,
        "workers/sweeper.py",
        "pg_try_advisory_xact_lock(:key)",
        "true OR :key IS NULL",
        "All processes sweep at once.",
        (f"{_TOGETHER}test_one_process_sweeps_at_a_time",),
    ),
    Fault(
        1114,
        "workers/waiting.py",
        "        return max(head, reached) if reached >= last else reached",
        "        return max(head, reached)",
        "A reader is told that it sees what nobody has followed yet.",
        (f"{_TOGETHER}test_a_reader_waits_for_its_own_workspace_and_no_other",),
    ),
)
