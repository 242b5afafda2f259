"""Faults in exports, in what they leave out, and in imports of events."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_EXPORTS: Final = "domain/exports.py"
_FOREIGN: Final = "commands/foreign_events.py"
_VERIFY: Final = "ops/standalone_verifier.py"
_EXPORT: Final = "tests/exports/test_export.py::"
_IMPORT: Final = "tests/exports/test_import_events.py::"
_TAMPERING: Final = "tests/exports/test_tampering.py::"
_EDIT: Final = f"{_TAMPERING}test_every_edit_is_found_and_its_row_is_named"
_FORGOTTEN: Final = (
    f"{_EXPORT}test_what_was_erased_is_in_no_file_and_what_was_hidden_in_no_sanitized_one"
)

_STORED: Final = (
    "tests/policy/test_stored_laws.py"
    "::test_i2_what_was_exported_and_imported_answers_as_the_resolver_does_at_every_basis"
)

EXPORTING: Final = (
    Fault(
        2001,
        _EXPORTS,
        'if sanitized or grave.mode == "application_delete"',
        'if grave.mode == "application_delete"',
        "A sanitized export shows what a tombstone hides.",
        (_FORGOTTEN,),
    ),
    Fault(
        2002,
        _EXPORTS,
        "return sanitized and (covered or grave.name ==",
        "return sanitized and (grave.name ==",
        "A sanitized export shows the reason of an expiry of what was forgotten later.",
        (f"{_EXPORT}test_the_reason_of_an_expiry_goes_with_the_memory_that_was_forgotten_later",),
    ),
    Fault(
        2003,
        _EXPORTS,
        "return known < self.position and reached",
        "return False",
        "An export keeps the question that found what was hidden since.",
        (_FORGOTTEN,),
    ),
    Fault(
        2004,
        "ops/exporting.py",
        "self._spool.use(grave.name)",
        "pass",
        "An older basis does not show the forget that took a text from it.",
        (f"{_EXPORT}test_an_erasure_changes_neither_structure_nor_chain_of_an_older_basis",),
    ),
    Fault(
        2005,
        "ops/export_source.py",
        "if following[0].appended_us == before:",
        "if following[0].appended_us == before + 1:",
        "Half of a transaction is exported.",
        (f"{_EXPORT}test_half_of_a_transaction_is_refused",),
    ),
    Fault(
        2006,
        _FOREIGN,
        "if one.alive and any(grave.versions is None",
        "if not one.alive and any(grave.versions is None",
        "An import says nothing of what was forgotten here.",
        (f"{_IMPORT}test_report_39_what_was_forgotten_since_stays_forgotten",),
    ),
    Fault(
        2007,
        _FOREIGN,
        "if any(row.workspace != self._workspace for row in rows):",
        "if not rows and self._workspace == '':",
        "An id of another workspace is taken for one's own.",
        (f"{_IMPORT}test_an_id_that_another_workspace_holds_is_not_free",),
    ),
    Fault(
        2008,
        "commands/foreign_event.py",
        "return self.head.version == version + 1 and self.head.prev == prev",
        "return True",
        "A record that went another way here is written over.",
        (f"{_IMPORT}test_a_record_that_went_another_way_here_is_refused_and_nothing_is_written",),
    ),
    Fault(
        2009,
        _FOREIGN,
        "elif one.head.topic == RecallRecorded.TOPIC and not self._is_placed(one):",
        "elif one.head.topic == RecallRecorded.TOPIC and one.head.version == 0:",
        "A recall is imported with a basis that means another one here.",
        (f"{_IMPORT}test_into_a_store_with_other_events_recalls_are_left_out",),
    ),
    Fault(
        2010,
        "commands/foreign_claims.py",
        "event=IdentityClaimed(target_id=one.head.stream),",
        "event=IdentityClaimed(target_id=guard),",
        "An identity key leads nowhere after an import.",
        (f"{_IMPORT}test_an_identity_key_leads_to_its_memory_as_before",),
    ),
    Fault(
        2011,
        "commands/key_levels.py",
        "secrets = replace(secrets, slots=slots)",
        "secrets = replace(secrets, slots=secrets.slots)",
        "An imported slot is another one than its events say.",
        ("tests/store/test_keystore.py", "-k", "imported_workspace_has_the_slots and sqlite"),
    ),
    Fault(
        2012,
        "domain/envelope.py",
        "if hashlib.sha256(sealed).digest() != check:",
        "if len(check) != _DIGEST_BYTES:",
        "A flipped byte of an imported event is not seen without a key.",
        (
            "tests/store/test_imported.py::test_a_flipped_byte_behind_the_head_is_seen_without_a_key",
        ),
    ),
    Fault(
        2013,
        "ops/event_import.py",
        "    if report.wrong:",
        "    if report.wrong and not report.findings:",
        "What does not verify is imported.",
        (f"{_IMPORT}test_what_does_not_verify_is_not_imported",),
    ),
    Fault(
        2014,
        _VERIFY,
        'self._expect(not by, "payload", "is there, and a forget covers the event")',
        "self._expect(True, '', '')",
        "The verifier passes a payload that was put back.",
        (f"{_TAMPERING}test_the_right_payload_that_is_put_back_is_found_too",),
    ),
    Fault(
        2019,
        "ops/exporting.py",
        "return left_out_by(*where, sanitized=False)",
        "return grave",
        "A sanitized export leaves out what told an expiry from a correction.",
        (_STORED,),
    ),
    Fault(
        2015,
        _VERIFY,
        "covered = not told or told in by",
        "covered = True",
        "The verifier believes a false erasure.",
        (f"{_EDIT}[false_erasure_claim-True]",),
    ),
    Fault(
        2016,
        _VERIFY,
        'self._expect(told, "payload", "is withheld: it is missing, and no forget is named")',
        "self._expect(True, '', '')",
        "The verifier passes a payload that is withheld.",
        (f"{_EDIT}[withheld_payload-True]",),
    ),
    Fault(
        2017,
        _VERIFY,
        'self._header.get("position") == self._end, "position"',
        'self._end > 0, "position"',
        "The verifier passes an export whose last row was dropped.",
        (f"{_EDIT}[dropped_last_row-True]",),
    ),
    Fault(
        2018,
        _VERIFY,
        'self._chain = bytes.fromhex(row["hash"])',
        "self._chain = bytes(32)",
        "The verifier does not chain the rows.",
        (f"{_EXPORT}test_a_file_verifies_and_its_decisions_are_recomputed",),
    ),
)
