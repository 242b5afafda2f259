"""What an extractor answered, and how it is read: the same way now and in a replay. Pure.

Only what is kept of an answer is read, so that the record alone tells how it was understood.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from domain.bundles.redaction import redacted, redacted_text
from domain.bundles.sending import Author, as_json
from domain.bundles.window_body import ProposalBody, parse_proposals
from domain.canonical import JsonObject, canonical, parse_json
from domain.errors import MemorandaError

MODEL: Final = "model"
"""`kind` of an author that is no caller."""
Came: TypeAlias = Literal["content", "no_completion", "nothing"]
"""What came from an extractor: what a model wrote, something else, or no answer at all."""


class Extracted(NamedTuple):
    """What came from an extractor, redacted; `problem` says what was wrong with no content.

    `said` names the model and, by their hashes, the prompt and the request.
    """

    said: JsonObject
    came: Came
    raw: str | None
    problem: str = ""

    @property
    def author(self) -> Author:
        """Who wrote the proposals, as it is recorded."""
        return Author({"kind": MODEL, **self.said, "answer": self.came}, self.raw)


class Unread(NamedTuple):
    """Why an answer holds no proposals; the reason of the one verdict on its window."""

    reason: str


def kept(content: str) -> str:
    """What a model wrote, as it is kept: without secrets, canonical where it is JSON."""
    try:
        value = parse_json(content.encode())
    except MemorandaError:
        return redacted_text(content)[0]
    return canonical(redacted(value)[0]).decode()


def proposals_of(extracted: Extracted) -> Sequence[ProposalBody] | Unread:
    """The proposals of an answer, held to the schema of those of callers."""
    if extracted.came == "nothing":
        return Unread(f"the extractor did not answer: {extracted.problem}; send the window again")
    if extracted.came == "no_completion" or extracted.raw is None:
        return Unread(f"the extractor's answer is no chat completion: {extracted.problem}")
    try:
        value = parse_json(extracted.raw.encode())
    except MemorandaError:
        return Unread("what the extractor wrote is no JSON, or is cut off")
    if not isinstance(value, dict) or value.keys() != {"proposals"}:
        return Unread("what the extractor wrote is no object with the one key `proposals`")
    try:
        return parse_proposals(value["proposals"])
    except MemorandaError as refusal:
        return Unread(f"what the extractor wrote does not fit the schema: {refusal.message}")


def unread_verdict(unread: Unread) -> JsonObject:
    """The one verdict on a window whose extractor gave nothing that can be read."""
    return {
        "index": 0,
        "outcome": "parse_failed",
        "restated": False,
        "reason": unread.reason,
        "concept_id": None,
        "claim_id": None,
        "memory_id": None,
        "covered_concept_id": None,
        "covered_claim_id": None,
        "candidates": [],
    }


def by_model(author: JsonObject) -> bool:
    """Whether a model wrote the proposals of a window."""
    return bool(author.get("kind") == MODEL)


def read_again(author: JsonObject, raw: str | None) -> list[JsonObject] | None:
    """The proposals of a recorded answer, as they are stored; None where it holds none."""
    came: Came = author["answer"]
    found = proposals_of(Extracted({}, came, raw))
    return None if isinstance(found, Unread) else [as_json(one) for one in found]
