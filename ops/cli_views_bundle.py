"""Concepts, claims of bundles and windows for people."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from domain.canonical import JsonObject
from ops.cli_text import DIM, ID, STRONG, WARN, counted, line, paragraph, plain


def many(said: JsonObject) -> Iterator[Text]:
    """A line for each concept."""
    for item in said["items"]:
        yield _topic(item)
    yield line(counted(len(said["items"]), "concept"))
    if said["next_cursor"] is not None:
        yield line((f"more: --cursor {said['next_cursor']}", DIM), indent=1)


def _topic(item: JsonObject) -> Text:
    return line(
        (item["id"], ID),
        (plain(item["title"]), STRONG) if item["title"] else ("(erased)", DIM),
        plain(item["concept_type"] or ""),
        plain(item["repo_identifier"] or "no repository"),
        counted(item["claim_count"], "claim"),
    )


def concept(said: JsonObject) -> Iterator[Text]:
    """The concept, then a block for each claim."""
    yield _topic(said)
    for one in said["claims"]:
        yield from _claim(one)
        for cited in one["citations"]:
            yield line(
                (plain(cited["citation_url"] or "(erased)"), DIM), cited["cited_as"], indent=1
            )


def claim(said: JsonObject) -> Iterator[Text]:
    """What it says now, what it said before, what it rests on, and what came too late."""
    yield from _claim(said)
    for was in said["former"]:
        by = f"until {was['replaced_at']}, {was['mode']} by {was['replaced_by']}"
        yield line(("before", STRONG), (was["memory_id"], ID), (by, DIM), indent=1)
        if was["reason"]:
            yield line(plain(was["reason"]), indent=2)
        for change in was["diff"] or ():
            yield line(plain(change), indent=2)
    for cited in said["citations"]:
        yield line(
            cited["cited_as"], (cited["window_id"], ID), cited["observed_at"] or "", indent=1
        )
        for event in cited["evidence"] or ():
            yield line(plain(event["id"]), plain(event["text"]), indent=2)
    for late in said["late"]:
        rule = (late["offered"] or {}).get("rule") or "(erased)"
        yield line(("came too late", WARN), (late["window_id"], ID), plain(rule), indent=1)


def _claim(said: JsonObject) -> Iterator[Text]:
    stands = said["memory_lifecycle"] or "not known"
    style = DIM if stands == "active" else WARN
    yield line((said["id"], ID), (said["memory_id"], ID), (stands, style))
    if said["erased"]:
        yield line(("(the text is gone)", DIM), indent=1)
        return
    yield from paragraph(said["claim_text"])
    for name in ("rule", "scope", "rationale"):
        if said[name]:
            yield line((name, STRONG), plain(said[name]), indent=1)


def window(said: JsonObject) -> Iterator[Text]:
    """Who sent it and what came out of it, proposal by proposal; then its events."""
    result = said["result"] or "waits for its extractor"
    yield line((said["id"], ID), (result, WARN if result == "failed" else STRONG))
    if said["erased"]:
        yield line(("(the text is gone)", DIM), indent=1)
    else:
        names = ("client", "session_id", "trigger", "repo_identifier", "branch", "observed_at")
        yield line(*(plain(said[name]) for name in names if said[name]), indent=1)
    yield from _proposals(said)
    for event in said["events"] or ():
        who = plain(event.get("actor") or "")
        yield line(plain(event["id"]), plain(event["kind"]), who, plain(event["text"]), indent=1)
    yield line((counted(len(said["attempts"]), "attempt"), DIM), indent=1)


def resolved(said: JsonObject) -> Iterator[Text]:
    """The window's result, and each proposal as it stands now."""
    result = said["result"]
    yield line((said["window_id"], ID), (result, WARN if result == "failed" else STRONG))
    yield from _proposals(said)


def _proposals(said: JsonObject) -> Iterator[Text]:
    for index, one in enumerate(said["proposals"]):
        ids = [one[name] for name in ("claim_id", "memory_id") if one.get(name)]
        reason = plain(one.get("reason") or "")
        yield line(f"{index}", (plain(one["outcome"]), STRONG), *ids, reason, indent=1)


def completeness(said: JsonObject) -> Iterator[Text]:
    """The counts, then a line for each failure."""
    of = "" if said["session_id"] is None else f"of session {plain(said['session_id'])}"
    yield line(counted(said["total"], "window"), of)
    share = said["no_output_share"]
    part = "" if share is None else f"{share:.0%} of what was processed"
    for name in ("knowledge_patched", "no_output", "failed", "waiting"):
        told = (part, DIM) if name == "no_output" else ""
        yield line(f"{said[name]:>6}", name.replace("_", " "), told, indent=1)
    for one in said["failures"]:
        outcome = (plain(one["outcome"] or "(erased)"), WARN)
        yield line((one["window_id"], ID), one["at"], outcome, plain(one["reason"] or ""), indent=1)
