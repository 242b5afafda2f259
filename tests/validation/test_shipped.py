"""The policies that are shipped keep their definitions for ever."""

from __future__ import annotations

import json
from pathlib import Path

from domain.canonical import parse_json
from domain.validation.definition import check_policy_name, parse_definition
from domain.validation.judgement import judge
from domain.validation.shipped import SHIPPED, SINGLE_TRUSTED, TWO_INDEPENDENT
from tests.validation.evidence import NOW, against, evidence, piece, rival

GOLDEN = Path(__file__).with_name("shipped.json")


def test_a_shipped_policy_is_what_it_always_was() -> None:
    """Another meaning is another name: add one, and its line to the golden file."""
    golden = parse_json(GOLDEN.read_bytes())

    shipped = {
        name: {"definition": one.as_json(), "digest": one.digest} for name, one in SHIPPED.items()
    }

    assert shipped == golden, json.dumps(shipped, indent=2)


def test_what_is_shipped_would_be_taken_from_anybody() -> None:
    for name, definition in SHIPPED.items():
        assert check_policy_name(name) == name
        assert parse_definition(definition.as_json()) == definition


def recommended(name, *pieces, **fields):
    return judge(evidence(*pieces, **fields), name, SHIPPED[name]).recommended


def test_two_current_sources_of_different_origins_validate() -> None:
    name = TWO_INDEPENDENT
    copy = piece(2, origins=piece(1).origins)

    assert recommended(name, piece(1), piece(2)) == "validated"
    assert recommended(name, piece(1), copy) == "candidate"
    assert recommended(name, piece(1), piece(2, until_us=NOW)) == "candidate"
    assert recommended(name, piece(1), piece(2), against(3)) == "contested"
    assert recommended(name, piece(1), piece(2), rivals=(rival(3),)) == "contested"
    assert recommended(name, against(3)) == "rejected"
    assert recommended(name) == "candidate"


def test_one_source_is_enough_where_whoever_writes_is_trusted() -> None:
    name = SINGLE_TRUSTED

    assert recommended(name, piece(1)) == "validated"
    assert recommended(name, piece(1, until_us=NOW)) == "candidate"
    assert recommended(name, piece(1), against(3)) == "contested"
    assert recommended(name, against(3)) == "rejected"
