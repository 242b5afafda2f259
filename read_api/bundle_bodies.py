"""Concepts, claims and windows as they are told. Pure: from the rows of the read model.

A claim is a takeaway of the domain. Where its words were erased they are null, and `erased` says
so; ids, times and the order of things stay.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, TypeAlias

from domain.canonical import Json, JsonObject, parse_stored
from domain.instants import server_time

Row: TypeAlias = Mapping[str, Any]
"""Values by column name."""

_OPENING: Final = ("source_id", "repo_identifier", "concept_type", "concept_path", "title")
_WORDS: Final = (
    "claim_text",
    "rule",
    "scope",
    "rationale",
    "memory_type",
    "tags",
    "confidence",
)
_CITATION: Final = ("citation_url", "observed_at", "history_window", "evidence", "citations")
_SENT: Final = (
    "client",
    "session_id",
    "trigger",
    "workspace",
    "repo_identifier",
    "branch",
    "commit_sha",
    "history_window",
    "window_hash",
    "observed_at",
    "author",
    "raw",
    "basis",
    "redactions",
    "receipt",
)
"""What may differ from one attempt to the next."""
_CONTENT: Final = ("events", "transcript", "proposals")
"""What a window is known by, and so is the same in all attempts."""
_WAITING: Final = "accepted"


def concept_body(row: Row, claims: int, changed_us: int | None) -> JsonObject:
    """A concept: a row of `bundle_concept`, its number of claims, and when the last one changed."""
    record = _record(row)
    opened = record["opened_at"]
    return {
        "id": row["concept_id"],
        **_picked(record["said"], _OPENING),
        "owner": row["owner"],
        "visibility": row["visibility"],
        "claim_count": claims,
        "created_at": opened,
        "updated_at": opened if changed_us is None else server_time(changed_us),
    }


def claim_body(row: Row, lifecycles: Mapping[str, str]) -> JsonObject:
    """A claim as it stands: a row of `bundle_claim`; lifecycles of memories by their ids."""
    sayings = _record(row)["sayings"]
    now = sayings[-1]
    anchors = [one["said"]["display_anchor"] for one in sayings if one["said"] is not None]
    return {
        "id": row["claim_id"],
        "concept_id": row["concept_id"],
        "display_anchor": anchors[-1] if anchors else None,
        **_picked(now["said"], _WORDS),
        "memory_id": now["memory_id"],
        "memory_lifecycle": lifecycles.get(now["memory_id"]),
        "erased": now["said"] is None,
        "created_at": sayings[0]["recorded_at"],
        "updated_at": now["recorded_at"],
    }


def former_bodies(row: Row, lifecycles: Mapping[str, str]) -> list[JsonObject]:
    """What a claim said before, oldest first: with which memory, and why it does not any more."""
    return [
        {
            "memory_id": was["memory_id"],
            "memory_lifecycle": lifecycles.get(was["memory_id"]),
            **_picked(was["said"], _WORDS),
            "erased": was["said"] is None,
            "recorded_at": was["recorded_at"],
            "window_id": was["window_id"],
            "mode": then["mode"],
            "reason": None if then["said"] is None else then["said"]["reason"],
            "replaced_at": then["recorded_at"],
            "replaced_by": then["memory_id"],
            "replaced_in": then["window_id"],
            "diff": _diff(was, then),
        }
        for was, then in pairwise(_record(row)["sayings"])
    ]


def citation_bodies(rows: Sequence[Row]) -> list[JsonObject]:
    """Citations in their order, with the events that they open: rows of `bundle_citation`."""
    records = [(_record(row), row["erased"]) for row in rows]
    return [
        {
            "window_id": one["window_id"],
            "cited_as": one["cited_as"],
            "memory_id": one["memory_id"],
            "recorded_at": one["recorded_at"],
            **_picked(one["citation"], _CITATION),
            "reason": one["reason"],
            "erased": erased,
        }
        for one, erased in records
    ]


def late_bodies(rows: Sequence[Row]) -> list[JsonObject]:
    """Evidence that is older than the current one and says something else, and what it says."""
    records = [_record(row) for row in rows if row["cited_as"] == "late"]
    return [
        {
            "window_id": one["window_id"],
            "recorded_at": one["recorded_at"],
            **_picked(one["citation"], ("citation_url", "observed_at")),
            "reason": one["reason"],
            "offered": one["offered"],
        }
        for one in records
    ]


def window_body(row: Row) -> JsonObject:
    """A window with all of its attempts: a row of `bundle_window`."""
    record = _record(row)
    attempts: list[JsonObject] = record["attempts"]
    decided = next(one for one in reversed(attempts) if one["mode"] != "repeated")
    verdicts = record["verdicts"]
    return {
        "id": row["window_id"],
        "owner": row["owner"],
        "visibility": row["visibility"],
        "status": "accepted" if row["mode"] == _WAITING else "processed",
        "result": None if row["mode"] == _WAITING else row["mode"],
        "submitted_at": attempts[0]["recorded_at"],
        "processed_at": decided["recorded_at"],
        "erased": row["erased"],
        **_picked(decided["said"], _SENT),
        **_picked(decided["said"], _CONTENT),
        "outcomes": verdicts,
        "resolved": [
            {"index": int(index), "claim_id": claim} for index, claim in record["resolved"].items()
        ],
        "attempts": [_attempt(one) for one in attempts],
    }


def failure_bodies(row: Row) -> list[JsonObject]:
    """Why a window failed, one for each proposal that did; without words where they are erased."""
    told = {
        "window_id": row["window_id"],
        "session_id": row["session_id"],
        "at": next(
            one["recorded_at"]
            for one in reversed(_record(row)["attempts"])
            if one["mode"] != "repeated"
        ),
    }
    nothing = {"index": None, "outcome": None, "reason": None}
    failures = [nothing] if row["failures"] is None else parse_stored(row["failures"].encode())
    return [{**told, **one} for one in failures]


def memories_of(row: Row) -> list[str]:
    """The memories that a claim has had; a row of `bundle_claim`."""
    return [one["memory_id"] for one in _record(row)["sayings"]]


def _attempt(one: JsonObject) -> JsonObject:
    said = one["said"]
    return {
        "version": one["version"],
        "result": one["mode"],
        "recorded_at": one["recorded_at"],
        "erased": said is None,
        "counts": one["counts"],
        "memories": [key for key, _ in one["targets"]],
        **_picked(said, _SENT),
        "outcomes": None if said is None else said["verdicts"],
    }


def _diff(was: JsonObject, then: JsonObject) -> list[str] | None:
    """How the wording changed, as lines of a unified diff; None where one of both was erased."""
    if was["said"] is None or then["said"] is None:
        return None
    return list(
        difflib.unified_diff(
            _lines(was["said"]),
            _lines(then["said"]),
            was["memory_id"],
            then["memory_id"],
            lineterm="",
        )
    )


def _lines(said: JsonObject) -> list[str]:
    return [
        f"{name}: {line}"
        for name in ("rule", "scope", "rationale")
        for line in (said[name] or "").splitlines()
    ]


def _picked(said: JsonObject | None, names: Sequence[str]) -> JsonObject:
    """Members by these names; all null where nothing is said any more."""
    return {name: None if said is None else said.get(name) for name in names}


def _record(row: Row) -> Json:
    return parse_stored(row["record"].encode())
