"""What stores without a policy answer: the newest append of everything, by arrival alone.

`append_only` is the baseline that the cases describe in their `meta`; `append_only_ranked` finds
words with our own ranker, so that what is left between it and ours is the policy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from projections.lexical.cosine import Cosine

Scores = Callable[[str, Sequence[str]], Sequence[float]]


def _overlap(question: str, texts: Sequence[str]) -> list[float]:
    asked = _words(question)
    return [len(asked & _words(text)) for text in texts]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _newest(case: Mapping[str, Any], scores: Scores) -> list[str]:
    query = case["query"]
    facts = [one for one in case["events"] if one["session"] == query["session"] and "value" in one]
    if "text" not in query:
        return [one["id"] for one in facts if one["key"] == query["key"]][-1:]
    found = scores(query["text"], [f"{one['key']} {one['value']}" for one in facts])
    best = max(enumerate(found), key=lambda at: (at[1], at[0]), default=(0, 0))
    return [facts[best[0]]["id"]] if best[1] else []


def append_only(case: Mapping[str, Any]) -> list[str]:
    """The newest append of the key; for words the one that shares most of them."""
    return _newest(case, _overlap)


def append_only_ranked(case: Mapping[str, Any]) -> list[str]:
    """The same, words ranked by `cosine/1` over all facts of the session."""
    return _newest(case, Cosine().scores)


BASELINES: Final = {"append-only": append_only, "append-only, our ranker": append_only_ranked}
