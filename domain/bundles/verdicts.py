"""What is told of a proposal and of its window (docs/spec/bundle.md §2). Pure."""

from __future__ import annotations

from domain.bundles.reconciling import Begin, Judged
from domain.bundles.windows import WindowState
from domain.canonical import JsonObject

_RECEIPT = ("outcome", "reason", "concept_id", "claim_id", "memory_id")


def verdict_of(
    index: int, judged: Judged, memory_id: str | None, compared: list[JsonObject]
) -> JsonObject:
    """The verdict on one proposal as it is stored; `candidates` are what it was compared with."""
    effect = judged.effect
    concept_id: str | None = None
    claim_id: str | None = None
    if isinstance(effect, Begin):
        concept_id, claim_id = effect.concept_id, effect.takeaway_id
    elif effect is not None:
        concept_id, claim_id = effect.before.concept_id, effect.before.id
    return {
        "index": index,
        "outcome": judged.outcome,
        "restated": judged.restated,
        "reason": judged.reason,
        "concept_id": concept_id,
        "claim_id": claim_id,
        "memory_id": memory_id,
        "covered_concept_id": judged.covered[0],
        "covered_claim_id": judged.covered[1],
        "candidates": compared,
    }


def window_answer(state: WindowState, *, idempotent: bool) -> JsonObject:
    """What the sender of a window is told: `{accepted, status, result, window_id, …}`.

    Of a window whose words were erased with one of its memories no verdicts are left: `erased`.
    """
    said = state.decided.said
    waits = state.mode == "accepted"
    verdicts = [told_verdict(one) for one in state.verdicts or ()]
    answer: JsonObject = {
        "accepted": True,
        "status": "accepted" if waits else "processed",
        "result": None if waits else state.mode,
        "window_id": state.id,
        "window_hash": None if said is None else said.window_hash,
        "idempotent": idempotent,
        "receipt": _receipt(state, verdicts),
        "proposals": verdicts,
    }
    if state.verdicts is None:
        answer["erased"] = True
    return answer


def told_verdict(verdict: JsonObject) -> JsonObject:
    """A verdict without what only a replay needs."""
    return {name: value for name, value in verdict.items() if name != "kept"}


def _receipt(state: WindowState, verdicts: list[JsonObject]) -> JsonObject:
    """What the window did; the caller's own receipt comes back in it, redacted, as `sent`."""
    said = state.decided.said
    failed = [one["reason"] for one in verdicts if one["reason"]]
    return {
        "window_id": state.id,
        "outcome": state.mode,
        "reason": failed[0] if state.mode != "knowledge_patched" and failed else None,
        "redactions": {} if said is None else said.redactions,
        "author": None if said is None else said.author,
        "proposals": [
            {
                **{name: one[name] for name in _RECEIPT},
                "covered_concept_id": one["covered_concept_id"],
                "covered_claim_id": one["covered_claim_id"],
            }
            for one in verdicts
        ],
        "sent": None if said is None else said.receipt,
    }
