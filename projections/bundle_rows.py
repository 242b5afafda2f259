"""Concepts, takeaways and windows as rows. What an erasure covers is None in their records.

| record | members |
| --- | --- |
| of a concept | `said`: the words of its opening, and `opened_at` |
| of a claim | `sayings`, the last one current: `{version, memory_id, window_id, mode, recorded_at, said}` |
| of a citation | `{version, memory_id, window_id, cited_as, recorded_at, citation, reason, offered}` |
| of a window | `attempts`: `{version, mode, recorded_at, position, targets, counts, said}`; `verdicts`, `resolved` |
"""  # noqa: E501 - a row of a table

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from domain.bundle_events import Window
from domain.bundles.concepts import ConceptState
from domain.bundles.takeaways import Cited, Saying, TakeawayState
from domain.bundles.windows import FAILED, Attempt, WindowState
from domain.canonical import Json, JsonObject, canonical, parse_stored
from domain.event_bases import Target
from domain.recorded import RecordedEvent
from domain.registry import Payload
from domain.visibility import Home
from projections.rows import Row

_CITED_APART: Final = "citation"
"""The member of a saying that its citation's row holds."""


def concept_columns(state: ConceptState, events: Sequence[RecordedEvent]) -> Row:
    """A row of `bundle_concept`; `events` are those of its stream."""
    said = state.said
    return {
        "workspace": events[0].context.workspace,
        "concept_id": state.id,
        "opened": events[0].position,
        **_home(state.home),
        "repo_identifier": None if said is None else said.repo_identifier,
        "concept_type": None if said is None else said.concept_type,
        "record": _json({"said": _words(said), "opened_at": state.opened_at}),
    }


def claim_columns(state: TakeawayState, events: Sequence[RecordedEvent]) -> Row:
    """A row of `bundle_claim`; `events` are all of its stream, in order."""
    return {
        "workspace": events[0].context.workspace,
        "claim_id": state.id,
        "concept_id": state.concept_id,
        "version": events[-1].version,
        "position": events[-1].position,
        "opened": events[0].position,
        "changed_us": events[state.now.version - 1].recorded_us,
        "memory_id": state.now.memory_id,
        **_home(state.home),
        "erased": state.now.said is None,
        "record": _json({"sayings": [_saying(one) for one in state.sayings]}),
    }


def citation_columns(state: TakeawayState, events: Sequence[RecordedEvent]) -> list[Row]:
    """Rows of `bundle_citation`; `events` are all of the takeaway's stream, in order."""
    return [citation_row(events[one.version - 1], state.id, one) for one in state.cited]


def citation_row(event: RecordedEvent, takeaway_id: str, cited: Cited) -> Row:
    """A row of `bundle_citation`; `event` is the one of the takeaway that brought it."""
    return {
        "workspace": event.context.workspace,
        "claim_id": takeaway_id,
        "version": cited.version,
        "position": event.position,
        "memory_id": cited.memory_id,
        "window_id": cited.window_id,
        "cited_as": cited.cited_as,
        "erased": cited.citation is None,
        "record": _json(_cited(cited)),
    }


def window_columns(state: WindowState, events: Sequence[RecordedEvent]) -> Row:
    """A row of `bundle_window`; `events` are those of its stream."""
    decided = state.decided
    said = decided.said
    record: JsonObject = {
        "attempts": [_attempt(one, decides=one is decided) for one in state.attempts],
        "verdicts": None if state.verdicts is None else list(state.verdicts),
        "resolved": {str(index): claim for index, claim in sorted(state.resolved.items())},
    }
    failures = _failures(state.verdicts or ()) if state.mode == "failed" else []
    return {
        "workspace": events[0].context.workspace,
        "window_id": state.id,
        "version": events[-1].version,
        "position": events[-1].position,
        "opened": events[0].position,
        "decided": decided.position,
        **_home(state.home),
        "session_id": None if said is None else said.session_id,
        "client": None if said is None else said.client,
        "repo_identifier": None if said is None else said.repo_identifier,
        "mode": state.mode,
        "failures": _json(failures) if failures else None,
        "erased": said is None,
        "record": _json(record),
    }


def window_state(row: Mapping[str, Any]) -> WindowState:
    """The state that a row of `bundle_window` holds: events and transcript of `decided` alone."""
    record = parse_stored(row["record"].encode())
    verdicts = record["verdicts"]
    return WindowState(
        id=row["window_id"],
        home=Home(row["session"], row["visibility"], row["owner"]),
        attempts=tuple(_read_attempt(one) for one in record["attempts"]),
        verdicts=None if verdicts is None else tuple(verdicts),
        mode=row["mode"],
        resolved={int(index): claim for index, claim in record["resolved"].items()},
        version=row["version"],
    )


def _read_attempt(one: JsonObject) -> Attempt:
    said = one["said"]
    targets: list[Target] = [(key, version) for key, version in one["targets"]]
    words = None if said is None else Window.model_validate(said)
    return Attempt(**{**one, "targets": tuple(targets), "said": words})


def _home(home: Home) -> Row:
    return {"visibility": home.visibility, "owner": home.owner, "session": home.session}


def _saying(one: Saying) -> JsonObject:
    said = _words(one.said)
    if said is not None:
        del said[_CITED_APART]
    return {**one._asdict(), "said": said}


def _cited(one: Cited) -> JsonObject:
    return one._asdict()


def _attempt(one: Attempt, *, decides: bool) -> JsonObject:
    said = _words(one.said)
    if said is not None and not decides:
        # A window has the same content each time that it is sent: it is kept once.
        said.update(events=[], transcript=None)
    return {**one._asdict(), "said": said}


def _failures(verdicts: Iterable[JsonObject]) -> list[JsonObject]:
    return [
        {"index": index, "outcome": one["outcome"], "reason": one.get("reason")}
        for index, one in enumerate(verdicts)
        if one["outcome"] in FAILED
    ]


def _words(said: Payload | None) -> JsonObject | None:
    return None if said is None else said.model_dump()


def _json(value: Json) -> str:
    return canonical(value).decode()
