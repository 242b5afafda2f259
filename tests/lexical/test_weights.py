"""One file holds every weight."""

from __future__ import annotations

import ast
from pathlib import Path

from projections.lexical import parameters
from projections.lexical.irregular import BASE_FORMS
from tests.lexical.builders import document, found

ROOT = Path(parameters.__file__).parents[2]
SCORERS = [*(ROOT / "projections" / "lexical").glob("*.py"), ROOT / "read_api" / "selecting.py"]


def fractions(path):
    """The numbers of a module that are no whole ones."""
    tree = ast.parse(path.read_text())
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return {value for value in values if isinstance(value, float) and not value.is_integer()}


def test_every_weight_stands_in_one_file():
    found = {path.name: fractions(path) for path in SCORERS if path.name != "parameters.py"}

    # The halves of Lucene's idf are of its definition.
    assert {name: numbers for name, numbers in found.items() if numbers} == {"scoring.py": {0.5}}
    assert fractions(Path(parameters.__file__)) > {0.5}


def test_an_irregular_form_is_found_by_its_word_and_the_other_way_round(index):
    index.add(document("m1", "she bought a kite"))
    index.add(document("m2", "she buys a boat"))
    index.add(document("m3", "a buyer of the children"))

    assert found(index, "buy") == ["m1", "m2"]
    assert found(index, "bought") == ["m1", "m2"]
    assert found(index, "child") == ["m3"]


def test_no_word_of_the_table_of_irregular_forms_is_a_form_itself():
    assert not BASE_FORMS.keys() & set(BASE_FORMS.values())
