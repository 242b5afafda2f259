"""Answers of commands, and the log, for people."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from rich.text import Text

from domain.canonical import JsonObject
from ops.cli_text import DIM, ID, WARN, counted, line, plain


def mutation(result: JsonObject, key: str) -> Iterator[Text]:
    """What was committed, how to repeat it, and what else speaks of the same slot."""
    receipt = result["receipt"]
    yield committed(receipt, result.get("mode", ""))
    yield from _slot(result.get("slot"))
    yield from _erasure(result.get("erasure"))
    yield repeatable(key, receipt)


def committed(receipt: JsonObject, word: str) -> Text:
    """What a receipt names, and what was done."""
    return line(
        (receipt["committed_id"], ID),
        f"version {receipt['committed_version']}",
        f"position {receipt['position']}",
        word,
    )


def repeatable(key: str, receipt: JsonObject) -> Text:
    """The idempotency key, to send the command again."""
    replayed = "replayed: it had happened before" if receipt["replayed"] else ""
    return line((f"idempotency key {plain(key)}", DIM), replayed, indent=1)


def _slot(slot: JsonObject | None) -> Iterator[Text]:
    if not slot or not slot["others"]:
        return
    said = f"about {plain(slot['key'])}" if slot["key"] is not None else "about the same slot"
    conflicts = slot["conflicts"]
    others = counted(len(slot["others"]) + slot.get("more", 0), "other memory", "other memories")
    differ = counted(conflicts, "says", "say") + " something else" if conflicts else ""
    yield line(f"{said}: {others}", (differ, WARN), indent=1)
    for other in slot["others"]:
        same = "the same" if other["same_value"] else ("something else", WARN)
        yield line((f"{other['id']}@{other['version']}", ID), same, indent=2)


def _erasure(erasure: JsonObject | None) -> Iterator[Text]:
    """What a forget leaves, what it cannot reach, and which memories to look at."""
    if erasure is None:
        return
    if "completed" in erasure:
        destroyed = "the content is destroyed" if erasure["completed"] else ""
        yield line(destroyed or ("keys destroyed; copies are still being cleared", WARN), indent=1)
    for name, words in (("stays", "still here"), ("out_of_reach", "out of reach")):
        found = ", ".join(erasure[name]).replace("_", " ")
        yield line((f"{words}: {found}", DIM), indent=1)
    for name, words in (("derived", "made from it"), ("originals", "superseded by it")):
        if erasure[name]:
            more = erasure.get(f"more_{name}", 0)
            ids = ", ".join(erasure[name]) + (f" and {more} more" if more else "")
            yield line((f"{words}:", WARN), ids, indent=1)


def proposal(result: JsonObject) -> Iterator[Text]:
    """What was proposed, where it disagrees, and the command that applies it."""
    yield line((result["proposal_id"], ID), f"canonical {result['canonical_id']}")
    yield from disagreements(result["disagreements"])
    words = ["memoranda", "consolidate", "apply", result["proposal_id"]]
    words += [*result["originals_retained"], "--canonical", result["canonical_id"]]
    words += ["--reason", result["rationale"], "--policy"]
    yield line(("to apply it:", DIM), indent=1)
    yield line(plain(shlex.join(words)) + " POLICY", indent=1)


def applied(result: JsonObject, key: str) -> Iterator[Text]:
    """What was applied."""
    receipt = result["receipt"]
    yield committed(receipt, f"canonical {result['canonical_id']}")
    others = [one for one in result["originals_retained"] if one != result["canonical_id"]]
    yield line(f"superseded: {', '.join(others)}", indent=1)
    yield repeatable(key, receipt)


def disagreements(pairs: Iterable[JsonObject]) -> Iterator[Text]:
    """A line a pair of members that do not say the same, and what tells so."""
    for pair in pairs:
        by = pair.get("relationship_id") or pair.get("slot")
        if "validity" in pair:
            by = "validity: " + " and ".join(_period(one) for one in pair["validity"])
        where = "" if by is None else f"by {plain(by)}"
        yield line(("disagree", WARN), " and ".join(pair["memory_ids"]), where, indent=1)


def _period(said: JsonObject) -> str:
    return f"{said['valid_from'] or '…'} to {said['valid_until'] or '…'}"


def events(found: JsonObject) -> Iterator[Text]:
    """One line an event: position, append time, what, whose, by whom."""
    for event in found["events"]:
        head = event["head"]
        yield line(
            f"{event['position']:>6}",
            event["appended_at"],
            f"{head['topic']:<22}",
            (event["event"], ID),
            plain(head["ctx"]["actor"]),
        )
    if found["next_after"] < found["position"]:
        yield line((f"more: --after {found['next_after']}", DIM))
