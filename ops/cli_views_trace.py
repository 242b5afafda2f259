"""A trace for people: a timeline, then what is missing, then the paths."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from domain.canonical import JsonObject
from ops.cli_text import DIM, ID, STRONG, WARN, content, counted, line, pairs, plain

_KNOWN = frozenset({"record_kind", "objective_trace"})


def traced(result: JsonObject) -> Iterator[Text]:
    """One line a version, oldest first."""
    versions = result["versions"]
    by = f"by {plain(result['actor_id'])} in session {plain(result['session_id'])}"
    yield line(
        result["target"]["kind"],
        (plain(result["target"]["id"]), ID),
        counted(len(versions), "version"),
        by,
    )
    yield from _details(result["details"])
    yield from _content(result)
    several = len({version["record_id"] for version in versions}) > 1
    for version in versions:
        yield _version(version, result, several=several)
        if version["reason"] is not None:
            yield line((f"reason: {plain(version['reason'])}", DIM), indent=2)
    yield from _gaps(result["gaps"])
    yield from _paths(result["paths"])


def _details(details: JsonObject) -> Iterator[Text]:
    for name, value in details.items():
        if name not in _KNOWN and value not in (None, [], {}):
            shown = pairs(value) if isinstance(value, dict) else plain(value)
            yield line((f"{name}:", DIM), shown, indent=1)


def _content(result: JsonObject) -> Iterator[Text]:
    """What a memory says now, for those who may read it."""
    if result["target"]["kind"] == "memory" and "record" in result["versions"][-1]:
        yield from content(result["versions"][-1]["record"]["content"])


def _version(version: JsonObject, result: JsonObject, *, several: bool) -> Text:
    changed = ", ".join(version["changed"])
    agent = f"with {plain(version['agent_id'])}" if version["agent_id"] is not None else ""
    own = version["record_id"] == result["target"]["id"] and not several
    return line(
        version["recorded_at"],
        f"v{version['version']}" if own else (f"{version['record_id']}@{version['version']}", ID),
        version["event"],
        ", ".join(version["meaning"]),
        f"by {plain(version['actor_id'])}",
        agent,
        (version["lifecycle"], "" if version["lifecycle"] == "active" else WARN),
        f"changed {changed}" if changed else "",
        indent=1,
    )


def _gaps(gaps: list[JsonObject]) -> Iterator[Text]:
    if gaps:
        yield line(("missing", STRONG))
    for gap in gaps:
        words = [", ".join(map(plain, ids)) for name, ids in gap.items() if name != "gap" and ids]
        yield line((gap["gap"].replace("_", " "), WARN), *words, indent=1)


def _paths(paths: list[JsonObject]) -> Iterator[Text]:
    if paths:
        yield line(("paths", STRONG))
    for path in paths:
        sources = ", ".join(map(plain, path["evidence_source_ids"]))
        yield line(
            " → ".join(path["memory_ids"]),
            (f"by {', '.join(path['relationship_ids'])}", ID),
            f"from {sources}" if sources else "",
            indent=1,
        )
