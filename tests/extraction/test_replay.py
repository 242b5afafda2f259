"""A recorded answer of a model is read again, and what was made of it must be the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.bundles.extracting import Extracted, Unread, kept, proposals_of, read_again
from domain.bundles.sending import as_json
from domain.bundles.window_body import parse_proposals
from ops.extraction.chat import content_of
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


TOKEN = "gh" + "p_" + "a1B2" * 9
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(TOKEN),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["proposals", "action", "tags", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)
PROPOSALS = st.lists(
    st.builds(
        lambda changes: proposal(**changes),
        st.dictionaries(st.sampled_from(["title", "reason", "confidence", "tags"]), JSON),
    ),
    max_size=2,
).map(lambda items: {"proposals": items})
CONTENTS = st.text() | (JSON | PROPOSALS).map(json.dumps)
BODIES = st.binary() | CONTENTS.map(
    lambda text: json.dumps({"choices": [{"message": {"content": text}}]}).encode()
)


@settings(max_examples=150, deadline=None)
@given(BODIES)
def test_any_answer_is_read_in_one_way_then_and_later_and_holds_no_secret(body):
    came, raw, problem = content_of(body)
    extracted = Extracted({"model": "scribe-1"}, came, raw, problem)
    found = proposals_of(extracted)
    again = read_again(extracted.author.said, raw)
    assert TOKEN not in (raw or "")
    if isinstance(found, Unread):
        assert found.reason
        assert again is None
    else:
        assert again == [as_json(one) for one in found]


@settings(max_examples=60, deadline=None)
@given(CONTENTS)
def test_what_is_kept_of_an_answer_is_kept_as_it_is(content):
    text = content.encode(errors="replace").decode()
    assert kept(kept(text)) == kept(text)
