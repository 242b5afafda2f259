"""Faults in seals, keys and erasure, and in the program that verifies a store."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_KEYS = "commands/keystore.py"
_TABLES = "commands/key_tables.py"
_SEALING = "commands/sealing.py"
_OPENING = "commands/opening.py"

SEALING: Final = (
    Fault(
        701,
        _OPENING,
        "if commitment(opened.salt, opened.payload) != found.head.commitment:",
        "if not commitment(opened.salt, opened.payload):",
        "A payload that its head has not committed to is read as genuine.",
        (
            "tests/store/test_sealing.py::TestTampering::test_a_payload_that_was_not_committed_to_is_seen",
        ),
    ),
    Fault(
        702,
        _SEALING,
        "take = self._keys.audit if event.AUDIT_KEY else self._keys.take",
        "take = self._keys.take",
        "Receipts are sealed with keys that an erasure can destroy.",
        (
            "tests/store/test_sealing.py::TestKeys::test_receipts_are_sealed_with_the_workspaces_audit_key",
        ),
    ),
    Fault(
        703,
        _OPENING,
        "if said != (row.originator_id, row.version, row.topic, row.workspace):",
        "if said[:3] != (row.originator_id, row.version, row.topic):",
        "An event whose row was moved to another workspace is read there.",
        ("tests/store/test_sealing.py::TestTampering::test_a_row_moved_to_another_place_is_seen",),
    ),
    Fault(
        704,
        _KEYS,
        "self._cache.drop((workspace, key_id))",
        "self._cache.get((workspace, key_id))",
        "A destroyed key stays in memory and goes on to open its text.",
        (
            "tests/store/test_keystore.py::TestDestroying::test_a_destroyed_key_is_gone_here_at_once_and_everywhere_after",
        ),
    ),
    Fault(
        705,
        _KEYS,
        "self._pool.discard(workspace, wanted)",
        "self._pool.discard(workspace, ())",
        "A key that was destroyed before its use still seals an event, which nobody can read.",
        (
            "tests/store/test_keystore.py::TestDestroying::test_a_destroyed_key_of_the_pool_is_not_handed_out",
        ),
    ),
    Fault(
        706,
        "commands/key_sqlite.py",
        '"PRAGMA wal_checkpoint(TRUNCATE)"',
        '"PRAGMA wal_checkpoint(PASSIVE)"',
        "The wrapped keys that were destroyed stay in the write-ahead log.",
        (
            "tests/store/test_keystore.py::TestFile::test_nothing_of_a_destroyed_key_stays_in_the_files",
        ),
    ),
    Fault(
        707,
        _TABLES,
        " ON k.key_id = wanted.value WHERE k.workspace = ?",
        " ON k.key_id = wanted.value WHERE ? IS NOT NULL",
        "A workspace is told that it has the keys of another one.",
        (
            "tests/store/test_keystore.py::TestOpening::test_a_key_of_another_workspace_is_not_there",
        ),
    ),
    Fault(
        708,
        _TABLES,
        "WHERE k.workspace != ? OR k.state = 'audit'",
        "WHERE k.workspace != ?",
        "An erasure that names an audit key says that it destroyed it.",
        (
            "tests/store/test_keystore.py::TestDestroying::test_the_audit_key_is_never_destroyed_nor_what_is_named_with_it",
        ),
    ),
    Fault(
        709,
        "commands/erasure_reach.py",
        "if covered and row_head.topic != MemoryForgotten.TOPIC:",
        "if covered:",
        "Destroying a tombstoned memory destroys the reason of its tombstone, too.",
        ("tests/engine/test_erasures.py::test_the_reasons_for_forgetting_outlive_the_text",),
    ),
    Fault(
        710,
        "domain/erasure.py",
        'return version == last if self.scope == "event" else version <= last',
        "return version <= last",
        "Destroying one version destroys all versions before it.",
        ("tests/engine/test_erasures.py::test_destroying_one_version_destroys_no_other",),
    ),
    Fault(
        711,
        "commands/erasure_steps.py",
        "keys[erasure.context.workspace] += reached.keys",
        "keys[erasure.context.workspace] = reached.keys",
        "Of memories that are destroyed together only the last one is.",
        ("tests/engine/test_erasures_together.py::test_every_memory_of_a_batch_is_destroyed",),
    ),
    Fault(
        712,
        "ops/wiring.py",
        "(eraser.resume, eraser.stop)",
        "(lambda: None, eraser.stop)",
        "An erasure that a crash interrupted is never finished, and the text stays.",
        ("tests/laws/test_keys_hindered.py::test_it_is_carried_out_at_the_next_start",),
    ),
)
