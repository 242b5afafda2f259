"""Evidence for tests: every field has a default, and ids are told by a number."""

from __future__ import annotations

from domain.claims.pieces import CONTRADICTS, SUPPORTS, Approval, Claim, Evidence, Piece, Rival
from domain.claims.statement import Statement
from domain.ids import DECISION, MEMORY, RELATIONSHIP, encode_id
from domain.instants import FOREVER

NOW = 1_800_000_000_000_000
DAY_SECONDS = 86_400
DAY = DAY_SECONDS * 1_000_000
POLICY = "own/v1"


def target(prefix, number):
    return encode_id(prefix, number), 1


def piece(number, stance=SUPPORTS, **fields):
    """A piece of its own origin that meets every rule of `test_blockers`."""
    given = {
        "stance": stance,
        "edge": target(RELATIONSHIP, number),
        "memory": target(MEMORY, number),
        "standing": True,
        "from_us": 0,
        "until_us": FOREVER,
        "names": frozenset({f"lab:{number}"}),
        "origins": frozenset({f"lab:{number}"}),
        "kinds": frozenset({"observation"}),
        "located": True,
        "observed_us": NOW - DAY,
        "authors": frozenset({"writer"}),
    }
    return Piece(**{**given, **fields})


def against(number, **fields):
    return piece(number, CONTRADICTS, **fields)


def withdrawn(number, **fields):
    return against(number, standing=False, **fields)


def rival(number):
    return Rival(target(MEMORY, number))


def approval(actor="reviewer", approved=True, position=100, policy=POLICY):
    return Approval(encode_id(DECISION, position), approved, actor, policy, position)


def claim(scope=None, **fields):
    said = Statement("db", "engine", "postgres", scope, None, None, None)
    given = {
        "target": target(MEMORY, 0),
        "statement": said,
        "from_us": 0,
        "until_us": FOREVER,
        "authors": frozenset({"claimant"}),
        "confidence": 0.9,
    }
    return Claim(**{**given, **fields})


def evidence(*pieces, rivals=(), approvals=(), about=None, **fields):
    """Of a claim at `NOW`, all of it read."""
    given = {"read": (), "complete": True, "as_of_us": NOW, "withdrawn_at": 0}
    return Evidence(about or claim(), pieces, rivals, approvals, **{**given, **fields})
