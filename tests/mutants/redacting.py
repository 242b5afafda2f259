"""Faults in what is read of a window: secrets, canonical events, repositories, shapes."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_BUNDLES: Final = "domain/bundles/"
_REDACTION: Final = "tests/bundles/test_redaction.py::"
_EVIDENCE: Final = "tests/bundles/test_evidence.py::"
_REPOSITORIES: Final = "tests/bundles/test_repositories.py::"
_BODY: Final = "tests/bundles/test_window_body.py::"

REDACTING: Final = (
    Fault(
        3501,
        _BUNDLES + "redaction.py",
        "done[_another(run.text(key), done, numbers)] =",
        "done[run.text(key)] =",
        "Of two members whose keys hold secrets one is lost.",
        (_REDACTION + "test_keys_of_objects_are_redacted_and_stay_apart",),
    ),
    Fault(
        3502,
        _BUNDLES + "redaction.py",
        "(first, max(last, end), known)",
        "(first, last, known)",
        "The end of a secret that begins with another one comes through.",
        (_REDACTION + "test_secrets_that_overlap_are_put_out_as_one",),
    ),
    Fault(
        3503,
        _BUNDLES + "redaction.py",
        'return kind if before.startswith("-") else _listed(kind, item)',
        "return _listed(kind, item)",
        "A token behind its option in a list comes through, if it is a word.",
        (_REDACTION + "test_a_member_beside_it_names_a_secret",),
    ),
    Fault(
        3504,
        _BUNDLES + "redaction.py",
        "secret_kind(said))\n        ),\n        kind,",
        "None)\n        ),\n        kind,",
        "The value beside a name of a secret comes through.",
        (_REDACTION + "test_a_member_beside_it_names_a_secret",),
    ),
    Fault(
        3505,
        _BUNDLES + "secret_reading.py",
        "slashes % (2 * (depth + 1)) == depth",
        "slashes == depth",
        "A password that ends with a backslash, in JSON, is read beyond its end.",
        (_REDACTION + "test_no_part_of_an_odd_password_is_left_in_json",),
    ),
    Fault(
        3506,
        _BUNDLES + "secret_reading.py",
        "        end = more.end()\n",
        "        break\n",
        "Of a long token the end comes through.",
        (_REDACTION + "test_a_secret_of_any_length_is_put_out_whole",),
    ),
    Fault(
        3507,
        _BUNDLES + "secret_blocks.py",
        "        end = short.end()\n",
        "        pass\n",
        "The last line of a private key without END comes through.",
        (_REDACTION + "test_a_private_key_is_put_out_to_its_last_line",),
    ),
    Fault(
        3508,
        _BUNDLES + "secret_blocks.py",
        "inside and _LINE.fullmatch(line)",
        "False",
        "The lines of a private key in a list come through.",
        (_REDACTION + "test_a_private_key_in_a_list_of_lines_is_put_out",),
    ),
    Fault(
        3509,
        _BUNDLES + "secret_shapes.py",
        "                    yield from _aws_secrets(text, found.end())\n",
        "                    pass\n",
        "The secret that stands beside its access key id comes through.",
        (_REDACTION + "test_the_secret_of_an_access_key_id_stands_near_it",),
    ),
    Fault(
        3510,
        _BUNDLES + "secret_shapes.py",
        '        at = text.find("@", colon, end)',
        "        pass",
        "A password with a slash in a URL comes through.",
        (_REDACTION + "test_a_password_in_a_url_may_hold_the_signs_that_end_one",),
    ),
    Fault(
        3511,
        _BUNDLES + "secret_assignments.py",
        "    if _IN_PLACEHOLDER.search(",
        "    if False and _IN_PLACEHOLDER.search(",
        "A placeholder names what stands behind it, which is put out as well.",
        (_REDACTION + "test_what_stands_behind_a_placeholder_is_not_named_by_it",),
    ),
    Fault(
        3512,
        _BUNDLES + "secret_values.py",
        "        return not _TECHNICAL.fullmatch(part)",
        "        return True",
        "Names of techniques are taken for passwords.",
        (_REDACTION + "test_what_only_looks_like_a_secret_is_kept",),
    ),
    Fault(
        3513,
        _BUNDLES + "secret_judging.py",
        "or (value.quoted and is_prose(said))",
        "or False",
        "A sentence about a password is put out.",
        (_REDACTION + "test_what_only_looks_like_a_secret_is_kept",),
    ),
    Fault(
        3514,
        _BUNDLES + "evidence.py",
        'event.actor == "user"',
        'event.actor != "assistant"',
        "A message that states no actor can authorise a takeaway.",
        (_EVIDENCE + "test_only_what_the_user_said_has_authority_and_the_user_is_stated",),
    ),
    Fault(
        3515,
        _BUNDLES + "evidence.py",
        "[event.hashed() for event in events]",
        "[event.as_json() for event in events]",
        "A key that nobody knows makes another window.",
        (_EVIDENCE + "test_what_is_not_known_is_kept_beside_and_not_hashed",),
    ),
    Fault(
        3516,
        _BUNDLES + "evidence.py",
        "    elif transcript is not None and",
        "    if transcript is not None and",
        "The transcript makes another window of the same events.",
        (_EVIDENCE + "test_the_transcript_counts_only_where_no_event_survives",),
    ),
    Fault(
        3517,
        _BUNDLES + "native.py",
        "    if any(record.get(mark) for mark in _NOT_TYPED):\n        return\n",
        "",
        "What a client wrote in the user's place has the user's authority.",
        (_EVIDENCE + "test_records_of_claude_code_are_read",),
    ),
    Fault(
        3518,
        _BUNDLES + "repositories.py",
        "if first.isdecimal() and not named:",
        "if first.isdecimal():",
        "An organisation that is called by a number is taken for a port.",
        (_REPOSITORIES + "test_what_names_another_place_stays_apart",),
    ),
    Fault(
        3519,
        _BUNDLES + "repositories.py",
        "    while said != before:\n",
        "    if said != before:\n",
        "An identifier that is sent as an address becomes another one.",
        (_REPOSITORIES + "test_an_identifier_is_its_own_identifier",),
    ),
    Fault(
        3520,
        _BUNDLES + "window_body.py",
        "or getattr(self, name) is None:",
        "or False:",
        "A proposal without a confidence is taken.",
        (_BODY + "test_a_malformed_proposal_is_refused_whoever_wrote_it",),
    ),
    Fault(
        3521,
        _BUNDLES + "window_body.py",
        "redacted_text(told.message)[0], field=told.field and redacted_text(told.field)[0]",
        "told.message, field=told.field",
        "A secret that was sent as a key is told back.",
        (_BODY + "test_a_secret_that_is_sent_as_a_key_is_not_told_back",),
    ),
    Fault(
        3522,
        _BUNDLES + "redaction.py",
        "self.known[text] = done",
        "self.known[text] = (done[0], Counter())",
        "A secret that is sent twice is counted once.",
        (_REDACTION + "test_texts_that_come_again_are_redacted_and_counted_each_time",),
    ),
)
