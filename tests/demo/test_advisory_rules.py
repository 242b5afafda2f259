from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.advisories import import_lines
from ops.advisory_ranges import intervals, sentence, symbols
from tests.demo.advisory_histories import (
    PATHS,
    RANGES,
    assert_lines_leave_what_rows_say,
    histories,
    row,
)


@settings(max_examples=150, deadline=None)
@given(histories())
def test_the_lines_of_any_history_leave_what_its_last_revisions_say(rows):
    assert_lines_leave_what_rows_say(rows)


@settings(max_examples=60, deadline=None)
@given(histories(), st.integers(0, 12))
def test_a_prefix_of_any_history_gives_a_prefix_of_its_lines(rows, length):
    whole, prefix = list(import_lines(rows)), list(import_lines(rows[:length]))

    assert prefix == whole[: len(prefix)]


def told(*rows):
    """The lines of the last row, as (operation, key or reason), after those of the others."""
    before, lines = len(list(import_lines(rows[:-1]))), list(import_lines(rows))
    return [
        (line["operation"], _named(line["input"]))
        for line in lines[before:]
        if line["input"].get("kind") != "source"
    ]


def _named(given):
    if "target" in given:
        return given["target"]["id"]["identity_key"]
    return given["identity_key"] if "identity_key" in given else given["memory_id"]["identity_key"]


def test_a_revision_that_changes_nothing_is_a_source_and_nothing_else():
    first = row(action="create", number=1)

    assert told(first, row(number=2, modified="2024-01-01T00:00:00Z")) == []


def test_a_range_in_another_spelling_is_no_correction():
    spelled = [{"type": "ECOSYSTEM", "events": [{"fixed": 1.2}]}]

    assert told(row(action="create", number=1), row(number=2, ranges=spelled)) == []


def test_a_changed_range_corrects_its_claim_and_supersedes_the_old_support():
    first = row(action="create", number=1)

    lines = told(first, row(number=2, ranges=[RANGES[1]]))

    claim = "claim:a/PYSEC-1:a:ECOSYSTEM:0"
    assert lines == [
        ("update", claim),
        ("update", f"supports:revision:c1:{PATHS[0]}:{claim}"),
        ("relate", f"supports:revision:c2:{PATHS[0]}:{claim}"),
    ]


def test_a_range_that_is_gone_expires_and_the_others_keep_their_claims():
    first = row(action="create", number=1, ranges=RANGES[:3])

    lines = told(first, row(number=2, ranges=[RANGES[0], RANGES[2]]))

    assert lines == [("forget", "claim:a/PYSEC-1:a:ECOSYSTEM:1")]


def test_a_range_that_is_back_is_a_new_version_of_its_claim():
    first, second = row(action="create", number=1), row(number=2, ranges=[])

    lines = told(first, second, row(number=3))

    assert ("remember", "claim:a/PYSEC-1:a:ECOSYSTEM:0") in lines


def test_a_withdrawal_expires_the_advisory_and_its_claims_at_its_date():
    first = row(action="create", number=1)

    lines = list(import_lines([first, row(number=2, withdrawn="2023-08-22 06:18:00+00:00")]))

    ended = [line["input"] for line in lines if line["operation"] == "forget"]
    assert [given["memory_id"]["identity_key"] for given in ended] == [
        "claim:a/PYSEC-1:a:ECOSYSTEM:0",
        "advisory:a/PYSEC-1",
    ]
    assert {given["expires_at"] for given in ended} == {"2023-08-22T06:18:00Z"}


def test_a_removal_names_the_advisory_that_covers_the_same_alias():
    rows = [row(action="create", number=1), row(PATHS[1], "create", 2), row(PATHS[2], "create", 3)]

    lines = list(import_lines([*rows, row(action="remove", number=4)]))

    merged = "merged_into:advisory:a/PYSEC-1:advisory:a/PYSEC-2"
    ended = [line["input"] for line in lines if line["operation"] == "forget"]
    assert [k for _, k in told(*rows, row(action="remove", number=4)) if "merged" in k] == [merged]
    assert len(ended) == 2
    assert {given["expires_at"] for given in ended} == {"2024-01-01T00:00:04+02:00"}
    assert all("PYSEC-2 covers the same vulnerability" in given["reason"] for given in ended)


def test_a_renamed_advisory_is_merged_into_the_one_of_the_same_commit():
    first, gone = row(action="create", number=1), row(action="remove", number=2)

    renamed = told(first, gone, row(PATHS[1], "create", 2))
    later = told(first, gone, row(PATHS[1], "create", 3))

    merged = ("relate", "merged_into:advisory:a/PYSEC-1:advisory:a/PYSEC-2")
    assert merged in renamed
    assert merged not in later


def test_an_alias_that_comes_later_is_related_and_one_that_is_dropped_expires():
    first = row(action="create", number=1)

    lines = told(first, row(number=2, aliases=["GHSA-3"]))

    assert lines == [
        ("update", "advisory:a/PYSEC-1"),
        ("remember", "alias:GHSA-3"),
        ("relate", "alias_of:alias:GHSA-3:advisory:a/PYSEC-1"),
        ("update", "alias_of:alias:CVE-1:advisory:a/PYSEC-1"),
    ]


@pytest.mark.parametrize(
    ("events", "symbol", "words"),
    [
        ([{"introduced": "0"}], "*", "X affects all p versions."),
        ([{"introduced": 2.1}], ">=2.1", "X affects p versions from 2.1."),
        ([{"fixed": "3"}], "<3", "X affects p versions before 3."),
        (
            [{"introduced": "1"}, {"last_affected": "2"}],
            ">=1,<=2",
            "X affects p versions from 1 up to and including 2.",
        ),
        (
            [{"introduced": "1", "fixed": "2"}, {"introduced": "3"}, {"introduced": "4"}],
            ">=1,<2 || >=3 || >=4",
            "X affects p versions from 1 before 2, and from 3, and from 4.",
        ),
    ],
)
def test_a_range_reads_as_symbols_and_as_words(events, symbol, words):
    found = intervals(events)

    assert symbols(found) == symbol
    assert sentence("X", "p", "ECOSYSTEM", found) == words


def test_a_commit_range_speaks_of_commits():
    assert sentence("X", "p", "GIT", intervals([{"fixed": "c0ffee"}])) == (
        "X affects p commits before c0ffee."
    )
