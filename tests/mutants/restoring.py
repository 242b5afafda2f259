"""Faults in backups, and in what is done before one takes the place of a store."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_ERASURES: Final = "tests/backup/test_erasures.py::"
_KILLED: Final = "tests/backup/test_killed.py::"
_REFUSALS: Final = "tests/backup/test_refusals.py::"
_ROUND_TRIP: Final = "tests/backup/test_round_trip.py::"

RESTORING: Final = (
    Fault(
        1401,
        "ops/backup_reapply.py",
        'if "erasure" in said and not beside',
        'if "erasures" in said and not beside',
        "What was only asked to be erased comes back with an older backup.",
        (_ERASURES + "test_an_erasure_that_was_only_asked_for_is_carried_out",),
    ),
    Fault(
        1402,
        "ops/backup_reapply.py",
        '            beside.keys.destroy(said["workspace"], said["destroyed"])\n',
        "            continue\n",
        "A restored key store does not know which keys were destroyed that it never had.",
        (_ERASURES + "test_on_a_new_machine_with_a_file_of_erasures[folder]",),
    ),
    Fault(
        1403,
        "ops/backup_reapply.py",
        "    if not wanted:\n",
        "    if wanted:\n",
        "What was erased comes back, or nothing is restored, where the log that says so is lost.",
        (_ERASURES + "test_beside_a_newer_key_store_alone[folder]",),
    ),
    Fault(
        1404,
        "ops/backup_reapply.py",
        "& in_force)",
        "- in_force)",
        "An API key that was revoked is in force again after a restore.",
        (_ERASURES + "test_over_the_store_that_has_forgotten[folder]",),
    ),
    Fault(
        1405,
        "ops/restore.py",
        "        if not target.despite_damage:\n",
        "        if False:\n",
        "A damaged store is replaced although nobody can tell what was erased in it.",
        (_ERASURES
         + "test_a_store_whose_erasures_cannot_be_read_is_replaced_only_despite_the_damage[folder]",
        ),
    ),
    Fault(
        1406,
        "ops/backup_stage.py",
        "(seen + LEAP,)",
        "(seen,)",
        "After a restore a position that clients have seen names another event.",
        (_ROUND_TRIP + "test_a_restored_store_answers_what_the_first_one_did[folder-folder]",),
    ),
    Fault(
        1407,
        "ops/backup_stage.py",
        "        if found != (said.bytes, said.sha256):\n",
        "        if found[0] != said.bytes:\n",
        "A damaged file of a backup is restored.",
        (_REFUSALS + "test_the_keys_of_another_backup",
         _REFUSALS + "test_a_flipped_bit_of_any_file"),
    ),
    Fault(
        1408,
        "ops/backup_stage.py",
        "    if report.wrong:\n",
        "    if report.wrong > report.events:\n",
        "A log takes the place of a store with the keys of another one.",
        (_REFUSALS + "test_another_stores_keys_with_a_manifest_that_names_them",),
    ),
    Fault(
        1409,
        "ops/backup_switch.py",
        "    new.rename(data / READY)\n    sync_folder(data)\n    finish(data)\n",
        "    for name in _PLACED:\n        (new / name).replace(data / name)\n",
        "A killed restore leaves the log of one store with the keys of another.",
        (_KILLED + "test_a_restore_of_a_folder",),
    ),
    Fault(
        1410,
        "ops/data_folder.py",
        "    _lock(lock, path, fcntl.LOCK_EX)\n    finish(path)\n",
        "    _lock(lock, path, fcntl.LOCK_EX)\n",
        "Nobody finishes a restore that was killed.",
        (_KILLED + "test_a_restore_of_a_folder",),
    ),
    Fault(
        1411,
        "ops/restore_database.py",
        "    if others:\n",
        "    if False:\n",
        "A database is replaced under a server that uses it.",
        (_REFUSALS + "test_a_database_in_use_or_filled",),
    ),
    Fault(
        1412,
        "ops/backup_load.py",
        "        part = part_of_workspace(workspace, PARTS)\n",
        "        part = 0\n",
        "Workers look for restored events in the wrong part.",
        (_ROUND_TRIP
         + "test_events_that_come_into_a_database_get_the_part_of_their_workspace",),
    ),
    Fault(
        1413,
        "ops/backup.py",
        "        _verify(draft, master_key)\n",
        "",
        "A damaged store takes the place of a good backup.",
        (_REFUSALS + "test_a_store_that_is_wrong_is_not_backed_up",),
    ),
    Fault(
        1414,
        "ops/backup.py",
        "            draft.rename(out)\n",
        "            out.mkdir(exist_ok=True)\n"
        "            for file in draft.iterdir():\n"
        "                file.rename(out / file.name)\n",
        "A backup that was killed looks like one.",
        (_KILLED + "test_a_backup",),
    ),
    Fault(
        1415,
        "ops/backup_erasures.py",
        'whole = end == {"lines": count - 1, "sha256": digest.hexdigest()}',
        "whole = bool(end)",
        "A file of erasures that was cut off is taken for all of it.",
        (_REFUSALS + "test_a_file_of_erasures_that_is_not_whole",),
    ),
)  # fmt: skip
