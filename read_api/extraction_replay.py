"""A model's recorded answer, read again without the model (docs/spec/bundle.md §4)."""

from __future__ import annotations

from domain.bundle_events import Window
from domain.bundles.extracting import by_model, read_again
from domain.canonical import JsonObject


def read_otherwise(said: Window) -> JsonObject | None:
    """How a model's answer, read again, differs from what was made of it; None where it does not.

    An answer that cannot be read has no proposals, and fails its window.
    """
    if not by_model(said.author):
        return None
    again = read_again(said.author, said.raw)
    if (again or []) != said.proposals:
        return {"index": None, "field": "proposals", "recorded": said.proposals, "now": again}
    outcomes = [one["outcome"] for one in said.verdicts]
    if again is None and outcomes != ["parse_failed"]:
        return {"index": 0, "field": "outcome", "recorded": outcomes, "now": "parse_failed"}
    return None
