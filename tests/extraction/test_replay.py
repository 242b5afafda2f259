"""A recorded answer of a model is read again, and what was made of it must be the same."""

from __future__ import annotations

import json

import pytest

from domain.bundles.sending import as_json
from domain.bundles.window_body import parse_proposals
from read_api.extraction_replay import read_otherwise
from tests import builders
from tests.bundles.windows import proposal

MODEL = {"kind": "model", "model": "scribe-1", "answer": "content"}
ANSWER = json.dumps({"proposals": [proposal()]})
STORED = [as_json(one) for one in parse_proposals([proposal()])]
FAILED = [{"outcome": "parse_failed"}]


def said(**changes):
    return builders.window(**{"author": MODEL, "raw": ANSWER, "proposals": STORED, **changes})


@pytest.mark.parametrize(
    "window",
    [
        said(),
        said(raw='{"proposals": []}', proposals=[]),
        said(raw="no JSON", proposals=[], verdicts=FAILED),
        said(raw=None, author={**MODEL, "answer": "nothing"}, proposals=[], verdicts=FAILED),
        said(author={**MODEL, "answer": "no_completion"}, proposals=[], verdicts=FAILED),
        said(author={"kind": "caller"}, raw=None),
    ],
)
def test_what_was_made_of_an_answer_is_found_again(window):
    assert read_otherwise(window) is None


@pytest.mark.parametrize(
    ("window", "field"),
    [
        (said(proposals=[]), "proposals"),
        (said(proposals=[{**STORED[0], "title": "Other"}]), "proposals"),
        (said(raw=ANSWER.replace("flat", "rolled")), "proposals"),
        (said(raw="no JSON"), "proposals"),
        (said(raw="no JSON", proposals=[], verdicts=[]), "outcome"),
        (said(raw="no JSON", proposals=[], verdicts=[{"outcome": "applied"}]), "outcome"),
    ],
)
def test_what_an_answer_does_not_say_is_told(window, field):
    assert read_otherwise(window)["field"] == field
