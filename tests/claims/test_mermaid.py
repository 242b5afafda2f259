"""Evidence as a flowchart: what a memory says can do nothing to it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.mermaid import escaped, flowchart

EVIL = [
    'a "quoted" word',
    "]; n0 --> n1; x[",
    "two\nlines\r\nand\u2028a third",
    "end",
    "`**bold**`",
    "<script>alert(1)</script>",
    "%%{init: {}}%% %% no comment",
    "#quot; &quot; #34;",
    "back\\slash | pipe {brace} (round) ((circle))",
    "\u202eturned\u0000\x1b[31m",
    "click n0 href javascript:x",
]
NODE = re.compile(r'  n\d+\["[^"]*<br/>[^"]*"\]')
EDGE = re.compile(r'  n\d+ (?:-->|-\.->)\|"[^"]*"\| n\d+')


def node(number, text, kind="claim", **more):
    said = {"id": f"mem_{number:026}", "version": 1, "kind": kind, "status": None, "text": text}
    return {**said, "stands": True, "holds": True, "depth": 0, **more}


def drawn(*nodes, edges=(), skipped=()):
    said = {
        "seed": nodes[0]["id"],
        "nodes": list(nodes),
        "edges": [
            {"kind": kind, "stands": stands, "source_id": one["id"], "target_id": other["id"]}
            for kind, stands, one, other in edges
        ],
        "skipped_expansions": list(skipped),
    }
    return flowchart(said).splitlines()


def test_a_chart_has_a_line_for_each_memory_and_relationship():
    one, other = node(1, "PostgreSQL 17", status="candidate"), node(2, None, "source", stands=False)
    cut = {"memory_id": other["id"], "why": "max_depth_reached", "raise": "depth"}

    lines = drawn(one, other, edges=[("supports", False, other, one)], skipped=[cut])

    assert lines == [
        "flowchart LR",
        '  n0["claim candidate …000001 v1<br/>PostgreSQL 17"]'.replace("…", "#8230;"),
        '  n1["source …000002 v1<br/>"]'.replace("…", "#8230;"),
        '  n1 -.->|"supports"| n0',
        "  style n0 stroke-width:3px",
        "  style n1 stroke-dasharray:4",
        "  %% n1: max_depth_reached, raise depth",
    ]


@pytest.mark.parametrize("text", EVIL)
def test_nothing_in_a_memory_breaks_out_of_its_label(text):
    one, other = node(1, text, kind=text, status=text), node(2, text)

    lines = drawn(one, other, edges=[(text, True, one, other)])

    assert len(lines) == 5
    assert NODE.fullmatch(lines[1])
    assert NODE.fullmatch(lines[2])
    assert EDGE.fullmatch(lines[3])


@given(st.text())
def test_a_label_has_letters_digits_and_entity_codes_alone(text):
    said = escaped(text)

    rest = re.sub(r"#\d+;", "", said)
    assert not re.search(r"""["'`#;<>&\[\](){}|\\%*~^$@!?+-]""", rest)
    assert rest.isprintable()
    assert "\n" not in said


def test_words_of_every_script_are_written_as_they_are():
    assert escaped("Ärger 日本 عربى 17.2") == "Ärger 日本 عربى 17.2"
    assert escaped("a-b") == "a#45;b"
