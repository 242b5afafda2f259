"""Concepts, claims and windows as they are told. Pure: of the rows of the read model.

A claim is a takeaway of the domain. Where its words were erased they are null, and `erased` says
so; ids, times and the order of things stay.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, TypeAlias

from domain.bundles.verdicts import told_verdict, window_answer
from domain.bundles.windows import Attempt
from domain.canonical import Json, JsonObject, parse_stored
from domain.instants import server_time
from projections.bundle_rows import window_state

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
)
"""What may differ from one attempt to the next."""


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
    """A window with all of its attempts: a row of `bundle_window`.

    Status, result, receipt and proposals are those that its sender was told; `proposed` is what
    was sent.
    """
    state = window_state(row)
    decided = state.decided
    answer = window_answer(state, idempotent=False)
    said = None if decided.said is None else decided.said.model_dump()
    return {
        "id": state.id,
        "owner": state.home.owner,
        "visibility": state.home.visibility,
        **_picked(answer, ("status", "result")),
        "submitted_at": state.attempts[0].recorded_at,
        "processed_at": None if decided.mode == "accepted" else decided.recorded_at,
        "erased": state.verdicts is None,
        **_picked(said, (*_SENT, "events", "transcript")),
        "proposed": None if said is None else said["proposals"],
        **_picked(answer, ("receipt", "proposals")),
        "resolved": [
            {"index": index, "claim_id": claim} for index, claim in sorted(state.resolved.items())
        ],
        "attempts": [_attempt(one) for one in state.attempts],
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


def _attempt(one: Attempt) -> JsonObject:
    said = None if one.said is None else one.said.model_dump()
    return {
        "version": one.version,
        "result": one.mode,
        "recorded_at": one.recorded_at,
        "erased": said is None,
        "counts": one.counts,
        "memories": [key for key, _ in one.targets],
        **_picked(said, _SENT),
        "sent": None if said is None else said["receipt"],
        "proposals": None if said is None else [told_verdict(v) for v in said["verdicts"]],
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
