"""Every rule of docs/spec/bundle.md §2 to §6 has a test that is named after it.

A rule is a paragraph, a member of a list, or a row of a table, numbered from 1 in its section; the
numbered list of §4 keeps its numbers.
"""

from __future__ import annotations

import re
from pathlib import Path

SPECIFICATION = Path(__file__).parents[2] / "docs" / "spec" / "bundle.md"
TESTS = Path(__file__).parents[1]
NAMED = re.compile(r"^def test_rule_(\d)_(\d+)_", re.MULTILINE)


def rules() -> dict[tuple[int, int], str]:
    """The rules by section and number."""
    sections = re.split(r"(?m)^## (\d)\. .*$", SPECIFICATION.read_text(encoding="utf-8"))[1:]
    found: dict[tuple[int, int], str] = {}
    for number, text in zip(sections[::2], sections[1::2], strict=True):
        if int(number) >= 2:
            for at, rule in enumerate(blocks(text), 1):
                found[int(number), at] = rule
    return found


def blocks(text: str) -> list[str]:
    """Paragraphs, members of lists, and rows of tables below their heads."""
    found: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = paragraph.splitlines()
        if lines[0].startswith("|"):
            found.extend(lines[2:])
        elif re.match(r"(\d+\.|-) ", lines[0]):
            found.extend(re.split(r"\n(?=\d+\. |- )", paragraph))
        else:
            found.append(paragraph)
    return found


def test_every_rule_of_the_specification_has_a_test_of_its_name():
    known = {
        (int(section), int(rule))
        for path in TESTS.rglob("test_*.py")
        for section, rule in NAMED.findall(path.read_text(encoding="utf-8"))
    }
    missing = {rule: text[:60] for rule, text in rules().items() if rule not in known}
    assert missing == {}
    assert known <= set(rules())


def test_the_rules_of_reconciliation_keep_their_numbers():
    fourth = [text for (section, _), text in sorted(rules().items()) if section == 4]
    assert [text[:2] for text in fourth[:8]] == [f"{number}." for number in range(1, 9)]
