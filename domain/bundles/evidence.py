"""Canonical events: what of a session can be evidence, and the hash of it (docs/spec/bundle.md §2).

Takes events that are redacted: a secret must not be cut in two before it is recognised.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from domain.bundles.kinds import EVIDENCE_KINDS
from domain.bundles.native import from_record
from domain.canonical import JsonObject, canonical

TEXT_CHARACTERS_MAX: Final = 4_000
_CUT: Final = "\n[… {missing} characters cut …]\n"
_KNOWN: Final = frozenset({"kind", "actor", "text", "name"})
_HASHED_AS: Final = "agent-session-window/v1"


@dataclass(frozen=True, slots=True)
class CanonicalEvent:
    """One event that can be cited, as `E1`, `E2` … of its window.

    `text` is as sent, at most 4 000 characters; `more` holds the keys that this system knows
    nothing of: they are kept, and are no part of the hash.
    """

    id: str
    kind: str
    actor: str | None
    text: str
    name: str | None
    more: JsonObject

    def as_json(self) -> JsonObject:
        """The event as it is stored and shown."""
        return {**self.hashed(), "more": self.more}

    def hashed(self) -> JsonObject:
        """What of the event is its window's content."""
        return {
            "id": self.id,
            "kind": self.kind,
            "actor": self.actor,
            "text": self.text,
            "name": self.name,
        }


def canonical_events(events: Sequence[JsonObject]) -> tuple[CanonicalEvent, ...]:
    """The events that survive, in their order, named E1…En without a gap.

    Noise and blank texts are dropped. An event without `kind` but with `type` is read as a native
    record of Codex or Claude Code (domain/bundles/native.py). Takes events of a window that was
    checked (domain/bundles/window_body.py); raises nothing.
    """
    found: list[CanonicalEvent] = []
    for event in events:
        for said in _evidence(event):
            more = {key: value for key, value in said.items() if key not in _KNOWN}
            found.append(
                CanonicalEvent(
                    id=f"E{len(found) + 1}",
                    kind=said["kind"],
                    actor=said.get("actor"),
                    text=cut_in_the_middle(said["text"]),
                    name=said.get("name"),
                    more=more,
                )
            )
    return tuple(found)


def _evidence(event: JsonObject) -> Iterator[JsonObject]:
    """Of one event as sent, the canonical ones with a text; native records hold several."""
    for said in (event,) if "kind" in event else from_record(event):
        text = said.get("text")
        if said["kind"] in EVIDENCE_KINDS and isinstance(text, str) and text.strip():
            yield said


def cut_in_the_middle(text: str, left_out: int = 0) -> str:
    """The text, or its begin and end around a mark that says how many characters are missing.

    What matters of long outputs is how they begin and how they end. At most 4 000 characters.
    `left_out` characters are missing in its middle already.
    """
    if len(text) <= TEXT_CHARACTERS_MAX:
        return text
    # The mark has at most as many digits as the length of the text.
    kept = TEXT_CHARACTERS_MAX - len(_CUT.format(missing=len(text) + left_out))
    head = (kept + 1) // 2
    mark = _CUT.format(missing=len(text) - kept + left_out)
    return text[:head] + mark + text[len(text) - kept + head :]


def authority(events: Sequence[CanonicalEvent]) -> frozenset[str]:
    """The ids of the events that may authorise a takeaway: what the user said in own words.

    The actor has to be stated. Nothing in a text grants authority, whatever it imitates.
    """
    return frozenset(
        event.id for event in events if event.kind == "user_message" and event.actor == "user"
    )


def window_hash(events: Sequence[CanonicalEvent], transcript: str | None) -> str:
    """SHA-256, as 64 hex digits, of the canonical JSON of the content.

    The transcript counts only where no event survives; a blank one is none.
    """
    content: JsonObject = {"schema_version": _HASHED_AS}
    if events:
        content["events"] = [event.hashed() for event in events]
    elif transcript is not None and transcript.strip():
        content["transcript_markdown"] = transcript
    return hashlib.sha256(canonical(content)).hexdigest()
