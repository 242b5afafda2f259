"""Builders of commands, and the strategy that draws whole sequences of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.projections.histories import Command


def text(value: str) -> dict[str, Any]:
    return {"format": "text", "value": value}


def properties(**value: Any) -> dict[str, Any]:
    return {"format": "properties", "value": value}


def remember(value: Any = "Tea at four", /, *, said: Any = None, **input: Any) -> Command:
    content = text(value) if isinstance(value, str) else value
    defaults = {"kind": "fact", "schema_version": "1", "provenance": [], "tags": []}
    given = {**defaults, "content": content, **input}
    return "remember", {"workspace": "acme", **(said or {}), "input": given}


def update(memory: int = 0, /, *, said: Any = None, **patch: Any) -> Command:
    return "update", {"workspace": "acme", **(said or {}), "memory": memory, "patch": patch}


def forget(memory: int = 0, mode: str = "tombstone", **said: Any) -> Command:
    if mode == "expire":
        said.setdefault("expires_at", "2026-05-01T00:00:00Z")
    return "forget", {"workspace": "acme", "memory": memory, "mode": mode, **said}


def relate(source: int = 0, target: int = 1, /, *, said: Any = None, **input: Any) -> Command:
    defaults = {"kind": "supports", "properties": {}, "provenance": [], "lifecycle": "active"}
    ends = {"source": source, "target": target}
    return "relate", {"workspace": "acme", **(said or {}), **ends, "input": {**defaults, **input}}


def update_edge(edge: int = 0, /, *, said: Any = None, **patch: Any) -> Command:
    return "update_edge", {"workspace": "acme", **(said or {}), "edge": edge, "patch": patch}


def consolidate(one: int = 0, other: int = 1, **said: Any) -> Command:
    return "consolidate", {"workspace": "acme", "one": one, "other": other, **said}


def recall(**said: Any) -> Command:
    return "recall", {"workspace": "acme", **said}


def burn(count: int) -> Command:
    return "burn", {"count": count}


# --- Strategies -----------------------------------------------------------------------------------

WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(str.strip)
EARLY = st.sampled_from([None, "2025-01-01T00:00:00Z", "2025-10-09T08:53:20.5+02:00"])
LATE = st.sampled_from([None, "2027-06-01T12:00:00-05:00", "2031-12-31T23:59:59.999999Z"])
CONFIDENCES = st.sampled_from([None, 0.0, 0.1, 1 / 3, 1.0])
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
CLAIMS = st.fixed_dictionaries(
    {},
    optional={
        "slot": st.sampled_from(["editor", "city"]),
        "object": WORDS,
        "epistemic_status": st.sampled_from(["asserted", 7]),
        "status": st.sampled_from(["verified", "disputed"]),
        "repo": st.sampled_from(["tools/one", None]),
    },
)
CONTENTS = st.one_of(
    st.builds(text, WORDS),
    st.builds(lambda claim: {"format": "properties", "value": claim}, CLAIMS),
    st.builds(
        lambda words, inner: {
            "format": "text_and_properties",
            "value": {"text": words, "properties": inner},
        },
        WORDS,
        CLAIMS | JSON,
    ),
)
TAGS = st.lists(st.sampled_from(["", "red", "Red", "blue"]), max_size=3)
PROVENANCE = st.lists(
    st.fixed_dictionaries(
        {"source_id": st.sampled_from(["a", "b"]), "locator": st.sampled_from([None, "p. 1"])}
    ),
    max_size=2,
)
SAID = st.fixed_dictionaries(
    {"workspace": st.sampled_from([*["acme"] * 7, "other"])},
    optional={
        "actor": st.sampled_from(["ann", "ann", "ann", "bob"]),
        "session": st.sampled_from(["monday", "tuesday"]),
        "agent": st.sampled_from([None, "crew"]),
    },
)
NUMBERS = st.integers(0, 5)
BOUNDS = {"valid_from": EARLY, "valid_until": LATE, "expires_at": LATE}
LIFECYCLES = st.sampled_from(["active", "expired", "superseded", "tombstoned"])
CLEARED = st.lists(
    st.sampled_from(["confidence", "expires_at", "valid_from", "valid_until"]), max_size=2
)
PATCHES = st.builds(
    lambda patch, clear: {**patch, "clear": [name for name in clear if patch.get(name) is None]},
    st.fixed_dictionaries(
        {},
        optional={
            **BOUNDS,
            "content": CONTENTS,
            "confidence": CONFIDENCES,
            "lifecycle": LIFECYCLES,
            "add_tags": TAGS,
            "add_provenance": PROVENANCE,
        },
    ),
    CLEARED,
)
REMEMBERED = st.fixed_dictionaries(
    {"tags": TAGS, "provenance": PROVENANCE},
    optional={
        **BOUNDS,
        "kind": WORDS,
        "identity_key": st.sampled_from(["k1", "k1", "k2", ""]),
        "confidence": CONFIDENCES,
        "visibility": st.sampled_from([None, None, "workspace", "private"]),
    },
)
RELATED = st.fixed_dictionaries(
    {"properties": JSON, "provenance": PROVENANCE, "lifecycle": LIFECYCLES},
    optional={
        **BOUNDS,
        "identity_key": st.sampled_from(["e1", "e2"]),
        "confidence": CONFIDENCES,
    },
)
FORGETS = st.sampled_from(
    [
        {"mode": "expire"},
        {"mode": "tombstone"},
        {"mode": "application_delete"},
        {"mode": "tombstone", "scope": "event"},
        {"mode": "application_delete", "scope": "event"},
        {"mode": "tombstone", "scope": "key"},
        {"mode": "application_delete", "scope": "key"},
    ]
)


def _forget(said: Any, how: Any, memory: int, version: int) -> Command:
    of = {"version": version} if how.get("scope") == "event" else {}
    return forget(memory, **said, **how, **of)


REMEMBER = st.builds(
    lambda said, content, more: remember(content, said=said, **more), SAID, CONTENTS, REMEMBERED
)
UPDATE = st.builds(
    lambda said, memory, patch: update(memory, said=said, **patch), SAID, NUMBERS, PATCHES
)
FORGET = st.builds(_forget, SAID, FORGETS, NUMBERS, NUMBERS)
RELATE = st.builds(
    lambda said, a, b, more: relate(a, b, said=said, **more), SAID, NUMBERS, NUMBERS, RELATED
)
UPDATE_EDGE = st.builds(
    lambda said, edge, patch: update_edge(edge, said=said, **patch), SAID, NUMBERS, PATCHES
)
CONSOLIDATE = st.builds(lambda said, a, b: consolidate(a, b, **said), SAID, NUMBERS, NUMBERS)
NOISE = st.builds(lambda said: recall(**said), SAID) | st.builds(burn, st.integers(1, 20_000))

# Each alternative of an alternative counts on its own, so what matters most is named twice.
COMMANDS = st.one_of(
    REMEMBER, UPDATE, UPDATE, FORGET, FORGET, RELATE, UPDATE_EDGE, CONSOLIDATE, NOISE
)
HISTORIES = st.builds(
    lambda first, more: [*first, *more],
    st.lists(REMEMBER, min_size=2, max_size=4),
    st.lists(COMMANDS, min_size=6, max_size=24),
)
"""Sequences of commands; those that the domain refuses record nothing."""
