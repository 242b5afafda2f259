"""The evidence graph and reviews over HTTP: forms, limits, refusals."""

from __future__ import annotations

import pytest

from ops.http.evidence_models import EvidenceGraphAnswer, ReviewPage
from tests.http.api import edge, host_headers
from tests.http.test_records import problem_of

GRAPH = "/v1/evidence/graph"


@pytest.fixture
def claim(api):
    """A claim, with a source whose text would be more than a text."""
    made = api.remember("Tea helps.", kind="claim")
    api.do("relate", edge(api.remember('"]; x[`end`\n-->'), made))
    return made


def test_the_graph_is_json_or_a_flowchart(api, claim):
    said = api.get(f"{GRAPH}?seed={claim}")
    drawn = api.get(f"{GRAPH}?seed={claim}&format=mermaid")

    assert EvidenceGraphAnswer.model_validate(said.json())
    assert drawn.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert drawn.headers["Cache-Control"] == said.headers["Cache-Control"]
    assert drawn.headers["X-Memoranda-Position"] == str(said.json()["position"])
    first, *lines = drawn.text.splitlines()
    assert first == "flowchart LR"
    assert len(lines) == 4
    assert lines[2] == '  n1 -->|"supports"| n0'


@pytest.mark.parametrize(
    "asked",
    [
        "seed=mem_x&depth=9",
        "seed=mem_x&depth=-1",
        "seed=mem_x&limit=0",
        "seed=mem_x&limit=1001",
        "seed=mem_x&edges=5001",
        "seed=mem_x&format=dot",
        "seed=mem_x&as_of=monday",
        "seed=mem_x&as_known_at=2026-01-01T00:00:00Z&as_known_position=1",
        "seed=mem_x&seed=mem_y",
        "seed=mem_x&more=1",
        "",
    ],
)
def test_a_question_that_is_wrong_is_refused(api, asked):
    problem_of(api.client.get(f"{GRAPH}?{asked}", headers=host_headers()), 400, "INVALID_REQUEST")


def test_what_is_no_memory_has_no_neighbourhood(api):
    assert problem_of(api.get(f"{GRAPH}?seed=mem_x"), 404, "NOT_FOUND")["field"] == "seed"


def test_reviews_say_how_far_they_saw(api, claim):
    response = api.get("/v1/reviews")

    assert ReviewPage.model_validate(response.json())
    assert response.headers["X-Memoranda-Position"] == str(response.json()["position"])
    for wrong in ("limit=201", "limit=0", "cursor=x"):
        refusal = problem_of(api.get(f"/v1/reviews?{wrong}"), 400, "INVALID_REQUEST")
        assert refusal["field"] == wrong.partition("=")[0]
