"""A recall for people."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rich.text import Text

from domain.canonical import JsonObject
from ops.cli_text import DIM, ID, STRONG, WARN, content, counted, line, pairs, plain, source


def recalled(result: JsonObject) -> Iterator[Text]:
    """Each item with why it is there; then what the answer is a function of."""
    explained = {one["id"]: one for one in result.get("explained", ())}
    for number, item in enumerate(result["items"], 1):
        yield from _item(number, item)
        if item["record"]["id"] in explained:
            yield from _why(explained[item["record"]["id"]])
    for edge in result["relationships"]:
        ends = f"{edge['source_id']} → {edge['target_id']}"
        yield line((edge["id"], ID), plain(edge["kind"]), ends)
    yield from _explained(result)
    yield from _summary(result)


def missed(said: JsonObject) -> Iterator[Text]:
    """Why a memory was no item; the limits to raise as options of `recall`."""
    place = {"rank": said["rank"], "page": said["page"]}
    version = "" if said["version"] is None else f"@{said['version']}"
    yield line((f"{said['memory_id']}{version}", ID), (said["reason"], STRONG), pairs(place))
    yield line(said["detail"], indent=1)
    for name in ("by", "filter", "limit"):
        if said[name] is not None:
            yield line(f"{name} {said[name]}", indent=1)
    for name, to in said["raise"].items():
        least = "more than is allowed" if to is None else f"{to}"
        yield line(f"--{name.replace('_', '-')} {least}", indent=1)


def replayed(said: JsonObject) -> Iterator[Text]:
    """The verdict, and where the two answers differ first."""
    items = counted(len(said["recorded"]["items"]), "item")
    yield line((said["recall_id"], ID), (said["verdict"], STRONG), items)
    if said["detail"] is not None:
        yield line(f"{said['reason']}: {said['detail']}", indent=1)
    first = said["first_difference"]
    if first is not None:
        yield line(first["path"], indent=1)
        for name in ("recorded", "replayed"):
            yield line(f"{name} {json.dumps(first[name], ensure_ascii=False)}", indent=2)


def _item(number: int, item: JsonObject) -> Iterator[Text]:
    record = item["record"]
    yield line(
        (f"{number}.", STRONG),
        (f"{record['id']}@{record['version']}", ID),
        plain(record["kind"]),
        f"score {item['score']:.3f}",
        ("contested", WARN) if item["contested"] else "",
        ("a source is stale", WARN) if item["stale_sources"] else "",
    )
    yield from content(record["content"])
    yield line((_circumstances(record), DIM), indent=1)
    yield line((", ".join(item["selection_reasons"]), DIM), indent=1)


def _circumstances(record: JsonObject) -> str:
    names = ("valid_from", "valid_until", "expires_at", "confidence")
    said = [f"recorded {record['recorded_at']}"]
    said += [f"{name} {record[name]}" for name in names if record[name] is not None]
    if record["tags"]:
        said.append(f"tags {', '.join(map(plain, record['tags']))}")
    if record["provenance"]:
        said.append(f"from {', '.join(map(source, record['provenance']))}")
    return "; ".join(said)


def _why(explained: JsonObject) -> Iterator[Text]:
    """What `--explain` says of an item: what its score is made of, its way, what disputes it."""
    parts = explained["parts"]
    summed = "no time to say" if parts is None else " + ".join(map(_part, parts))
    yield line((f"score = {summed}", DIM), indent=1)
    for step in explained["path"]:
        yield line((f"{step['from']} → {step['to']}  by {step['relationship_id']}", DIM), indent=1)
    for one in explained["contested_by"] or ():
        by = one["relationship_id"] or "the same slot"
        yield line(("contested by", WARN), one["memory_id"], f"by {by}", indent=1)
    if explained["more_contests"]:
        yield line(("contested by", WARN), f"{explained['more_contests']} more", indent=1)


def _part(part: JsonObject) -> str:
    said = f"{part['score']:.3f}"
    if part["part"] != "term":
        return f"{said} {part['part'].replace('_', ' ')}"
    where = ", ".join(part["fields"] or ())
    lent = f" of {part['memory_id']}@{part['version']}" if part["lent"] else ""
    return f"{said} {plain(part['term'])} ({where}{lent})"


def _explained(result: JsonObject) -> Iterator[Text]:
    """What `--explain` adds: one line each."""
    excluded = result.get("excluded") or {"items": [], "counts": {}}
    listed = {
        "left out": [*excluded["items"], excluded["counts"]],
        "conflicts": result.get("conflicts") or [],
        "not followed": result.get("skipped_expansions") or [],
    }
    for title, found in listed.items():
        shown = [pairs(one) for one in found if one]
        if shown:
            yield line((title, STRONG))
        for words in shown:
            yield line(words, indent=1)


def _summary(result: JsonObject) -> Iterator[Text]:
    completeness, basis = result["completeness"], result["basis"]
    whole = "complete" if completeness["complete"] else ("not complete", WARN)
    yield line(
        counted(len(result["items"]), "item"),
        whole,
        ", ".join(completeness["outcomes"]),
        (f"as of {basis['as_of']}, position {basis['position']}", DIM),
        (result["recall_id"], ID),
    )
    if result["skipped_items"]:
        yield line(("too large:", WARN), ", ".join(result["skipped_items"]), indent=1)
    if result["next_page_token"] is not None:
        yield line((f"more: --page-token {result['next_page_token']}", DIM), indent=1)
