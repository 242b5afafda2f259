"""Faults in what operators may do over HTTP, and in a rebuild under those who read."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_KEYS: Final = "ops/http/key_routes.py"
_OPERATING: Final = "ops/http/operator_routes.py"
_IMPORTING: Final = "ops/http/importing.py"

OPERATING: Final = (
    Fault(
        901,
        _KEYS,
        "    if beyond:\n",
        "    if False:\n",
        "A key gives another one permissions that it does not have.",
        ("tests/http/test_keys.py::test_a_key_of_a_workspace_gives_no_more_than_it_has",),
    ),
    Fault(
        902,
        _KEYS,
        "names[name] = own if said is None else check_scope(said, name)",
        "names[name] = said",
        "A key of a workspace makes one that is bound to nobody.",
        ("tests/http/test_keys.py::test_a_key_of_a_workspace_makes_keys_like_itself",),
    ),
    Fault(
        903,
        _KEYS,
        "if own is not None and (end is None or end > own):",
        "if own is not None and end is not None and end > own:",
        "A key that ends makes one that never does.",
        ("tests/http/test_keys.py::test_a_key_does_not_outlast_the_one_that_made_it",),
    ),
    Fault(
        904,
        _KEYS,
        "if whole or info.workspace == operator.workspace]",
        "if whole or info.workspace]",
        "A key of a workspace sees and revokes the keys of others.",
        ("tests/http/test_keys.py::test_keys_of_another_workspace_are_neither_seen_nor_revoked",),
    ),
    Fault(
        905,
        _OPERATING,
        "    operator.require_whole()\n    wanted",
        "    wanted",
        "A key of one workspace starts jobs on all of them.",
        ("tests/http/test_jobs.py::test_jobs_are_for_those_who_see_the_whole_store",),
    ),
    Fault(
        906,
        _OPERATING,
        "measured(door.memoranda.folder.path, operator.workspace)",
        "measured(door.memoranda.folder.path)",
        "A key of one workspace is told what others hold, and where the files are.",
        ("tests/http/test_stats.py::test_a_workspace_is_counted_alone_and_its_place_is_not_told",),
    ),
    Fault(
        907,
        _IMPORTING,
        "if context.recorded_at is not None and not host:",
        "if False:",
        "Everybody dates what they import as they like.",
        ("tests/http/test_import.py::test_a_line_in_anothers_name_or_time_is_refused",),
    ),
    Fault(
        908,
        "ops/rebuild_beside.py",
        "        catch_up()\n",
        "",
        "A rebuild takes the read models back behind what they had seen.",
        (
            "tests/cli/test_rebuild_beside.py::test_the_last_events_are_caught_up_with_while_nobody_can_move_the_live_checkpoints",
        ),
    ),
    Fault(
        909,
        "ops/jobs.py",
        'job.state == "running"), None)',
        'job.state == "never"), None)',
        "Any number of jobs are at work at once.",
        (
            "tests/http/test_jobs.py::test_requests_are_answered_while_a_job_is_at_work_and_another_job_is_not_begun",
        ),
    ),
)
