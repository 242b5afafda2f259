"""Proposals for people."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Final

from rich.text import Text

from domain.canonical import JsonObject
from ops.cli_text import DIM, ID, STRONG, WARN, counted, damaged, line, plain
from ops.cli_views import committed, disagreements, repeatable

_LOUD: Final = {"stale": WARN, "open": STRONG}


def many(said: JsonObject) -> Iterator[Text]:
    """A block for each proposal: how it stands, whom it is about, and why."""
    for item in said["items"]:
        status = item["status"]
        by = (f"by {plain(item['proposed']['actor_id'])} {item['proposed']['at']}", DIM)
        yield line((item["proposal_id"], ID), (status, _LOUD.get(status, DIM)), by)
        members = ", ".join(_version(one) for one in item["members"])
        yield line(members, f"canonical {item['canonical_id']}", indent=1)
        if item["rationale"] is not None:
            yield line(plain(item["rationale"]), indent=1)
        for one in item["changed"]:
            now = "was forgotten" if one["forgotten"] else f"has version {one['version']} by now"
            yield line((one["memory_id"], ID), (now, WARN), indent=1)
        yield from disagreements(item["disagreements"])
        yield from _ended(item)
    yield line(counted(len(said["items"]), "proposal"))
    yield from damaged(said["damaged"])
    yield from _more(said)


def _ended(item: JsonObject) -> Iterator[Text]:
    ended = item["ended"]
    if ended is None:
        return
    by = f"{item['status']} by {plain(ended['actor_id'])} {ended['at']}"
    why = ended["reason"] if ended["policy"] is None else f"under {ended['policy']}"
    yield line((by, DIM), "" if why is None else plain(why), indent=1)


def suggested(said: JsonObject) -> Iterator[Text]:
    """A block for each group of duplicates, and the command that proposes it."""
    for item in said["items"]:
        name = (plain(item["slot"]), STRONG) if item["slot"] is not None else ("(erased)", DIM)
        yield line(name, counted(len(item["members"]), "memory says", "memories say") + " the same")
        for proposal_id in item["proposals"]:
            yield line("proposed already:", (proposal_id, ID), indent=1)
        ids = [one["memory_id"] for one in item["members"]]
        words = ["memoranda", "consolidate", "propose", *ids, "--canonical", item["canonical_id"]]
        yield line(f"{shlex.join(words)} --reason REASON", indent=1)
    yield line(counted(len(said["items"]), "suggestion"), ("nothing is proposed yet", DIM))
    yield from _more(said)


def decided(said: JsonObject, key: str) -> Iterator[Text]:
    """What was rejected."""
    yield committed(said["receipt"], "rejected")
    yield repeatable(key, said["receipt"])


def _version(one: JsonObject) -> str:
    return f"{one['memory_id']}@{one['version']}"


def _more(said: JsonObject) -> Iterator[Text]:
    if said["next_cursor"] is not None:
        yield line((f"more: --cursor {said['next_cursor']}", DIM), indent=1)
