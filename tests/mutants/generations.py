"""Faults where read models are in PostgreSQL, and where they are built anew there."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_REBUILD = "ops/rebuild_postgres.py"
_VIEWS = "projections/views_postgres.py"
_REBUILDING = "tests/projections/test_rebuild_postgres.py::"
_POSTGRES = "tests/projections/test_postgres.py::"
_ERASED = "tests/erasure/test_postgres_views.py::"

GENERATIONS: Final = (
    Fault(
        1301,
        _REBUILD,
        "            self._compare(connection, touched)\n",
        "",
        "What went wrong while a rebuild was compared goes live.",
        (f"{_REBUILDING}test_a_row_that_went_wrong_after_the_comparison_stops_the_flip_too",),
    ),
    Fault(
        1302,
        _REBUILD,
        "        growing.check_all()\n",
        "",
        "A rebuild is not compared with what is live.",
        (f"{_REBUILDING}test_a_wrong_row_stops_the_flip",),
    ),
    Fault(
        1303,
        "projections/vacuuming.py",
        "    while readers & _readers(engine):",
        "    while False:",
        "Tables are dropped under who reads them.",
        (f"{_REBUILDING}test_a_retired_generation_is_not_dropped_while_it_is_read",),
    ),
    Fault(
        1304,
        _VIEWS,
        "    connection = _begun(engine, LIVE_KEPT)\n",
        "    connection = _begun(engine, LIVE)\n",
        "A writer goes on in tables that a flip has retired.",
        (f"{_POSTGRES}test_a_writer_waits_for_a_flip_and_goes_on_in_the_new_generation",),
    ),
    Fault(
        1305,
        _VIEWS,
        'isolation_level="REPEATABLE READ", ',
        "",
        "An answer is read from several states of the read models.",
        (f"{_POSTGRES}test_a_reader_sees_one_state_while_a_writer_commits",),
    ),
    Fault(
        1306,
        "projections/columns.py",
        'Text(collation="C") if dialect.name == POSTGRES else Text()',
        "Text()",
        "Text is sorted by the locale of the cluster.",
        (f"{_POSTGRES}test_the_migrated_tables_are_those_that_the_program_describes",),
    ),
    Fault(
        1307,
        "projections/documents.py",
        '        if "\\\\u0000" in said or "\\\\u0001" in said:\n',
        "        if False:\n",
        "A NUL in a tag stops the projection.",
        (f"{_POSTGRES}test_the_longest_names_fit_the_indexes",),
    ),
    Fault(
        1308,
        "ops/erasing_postgres.py",
        "number in behind and state != State.LIVE",
        "number in behind and state == State.RETIRED",
        "What an interrupted rebuild left keeps the text that is erased.",
        (f"{_ERASED}test_what_an_interrupted_rebuild_left_is_emptied",),
    ),
)
