"""The evidence around a memory as a Mermaid flowchart, for people.

What memories say stands in quoted labels, of which nothing can break out: all but letters, digits
and a few signs is written as an entity code (`#34;`), and what cannot be seen is left out
(https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from domain.canonical import JsonObject

_SAFE: Final = frozenset(" .,:/=_")
_SHOWN: Final = 6
"""Characters of an id that are shown, its last ones: the first ones say when it was made."""


def flowchart(said: JsonObject) -> str:
    """The lines of `read_api.evidence_graph.EvidenceGraph.around`, each ended.

    Dotted is what does not stand. What was not followed is told in comments at the end.
    """
    return "".join(f"{line}\n" for line in _lines(said))


def _lines(said: JsonObject) -> Iterator[str]:
    names = {node["id"]: f"n{number}" for number, node in enumerate(said["nodes"])}
    yield "flowchart LR"
    for node in said["nodes"]:
        yield f"  {names[node['id']]}[{_label(node)}]"
    for edge in said["edges"]:
        arrow = "-->" if edge["stands"] else "-.->"
        ends = names[edge["source_id"]], names[edge["target_id"]]
        yield f'  {ends[0]} {arrow}|"{escaped(edge["kind"])}"| {ends[1]}'
    yield f"  style {names[said['seed']]} stroke-width:3px"
    for node in said["nodes"]:
        if not node["stands"]:
            yield f"  style {names[node['id']]} stroke-dasharray:4"
    for cut in said["skipped_expansions"]:
        limit = "" if cut["raise"] is None else f", raise {cut['raise']}"
        yield f"  %% {names[cut['memory_id']]}: {cut['why']}{limit}"


def _label(node: JsonObject) -> str:
    """What a memory is, its status where it has one, its id shortened; then what it says."""
    words = [node["kind"], node["status"], f"…{node['id'][-_SHOWN:]}", f"v{node['version']}"]
    head = escaped(" ".join(word for word in words if word))
    return f'"{head}<br/>{escaped(node["text"] or "")}"'


def escaped(text: str) -> str:
    """A text that means nothing but itself between the quotes of a label."""
    return "".join(_escaped(character) for character in text)


def _escaped(character: str) -> str:
    if character.isspace():
        return " "
    category = unicodedata.category(character)
    if category.startswith("C"):
        return ""
    if category[0] in "LMN" or character in _SAFE:
        return character
    return f"#{ord(character)};"
