"""What is asked about some records costs what these records cost, however many others there are."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import event

from projections.database import open_views, reading
from read_api import duplicates, evidence_pages, evidence_view, known_in_views, proposals
from read_api.basis import Basis

STATEMENTS = {
    "memories": (known_in_views._MEMORIES, {}),
    "edges": (known_in_views._EDGES, {}),
    "slots": (known_in_views._SLOTS, {}),
    "degrees": (known_in_views._DEGREES, {}),
    "origins": (known_in_views._ORIGINS.first, {"most": 1000}),
    "both": (known_in_views._BOTH.first, {"most": 1000}),
    "speaking": (known_in_views._SPEAKING.first, {"most": 1000}),
    "few origins": (known_in_views._ORIGINS.few, {"most": 1000}),
    "few of both": (known_in_views._BOTH.few, {"most": 1000}),
    "contradicted": (known_in_views._CONTRADICTED, {}),
    "against": (evidence_pages._AGAINST, {"claim": "c", "after": "", "most": 1000}),
    "for": (evidence_pages._FOR, {"claim": "c", "after": "", "most": 1000}),
    "links together": (evidence_view._TOGETHER, {}),
    "links alone": (evidence_view._ALONE, {"most": 1000, "after": ""}),
    "ends": (evidence_view._SEEN, {}),
    "links told": (evidence_view._EDGES, {}),
    "nodes": (evidence_view._NODES, {}),
    "duplicates": (duplicates._MEMORIES, {}),
    "members": (proposals._CURRENT, {"workspace": "w"}),
}
WHOLE = re.compile(
    r"SCAN (memory|edge)_version|SEARCH (memory|edge)_version.*\(workspace=\?( AND \w+[<>]\?)*\)"
)
"""A step that goes through all rows of a table, or of a workspace."""


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    engine = open_views(tmp_path_factory.mktemp("plans") / "views.db")
    yield engine
    engine.dispose()


def plan(engine, statement, asked):
    """The steps in which SQLite answers a statement."""
    sent = []

    def keep(_connection, _cursor, text, parameters, *_):
        sent.append((text, parameters))

    with reading(engine) as connection:
        event.listen(engine, "before_cursor_execute", keep)
        connection.execute(statement, asked).all()
        event.remove(engine, "before_cursor_execute", keep)
        text, parameters = sent[-1]
        return [
            row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", parameters)
        ]


@pytest.mark.parametrize("ids", [["a"], ["a", "b"]], ids=["one", "two"])
@pytest.mark.parametrize("name", STATEMENTS)
def test_no_statement_about_some_records_goes_through_a_workspace(views, name, ids):
    statement, more = STATEMENTS[name]
    asked = {**Basis("w", "ann", 1, 1).binds, **more, "ids": ids}

    steps = plan(views, statement, asked)

    assert [step for step in steps if WHOLE.search(step)] == []
    assert steps


def test_what_rests_on_a_memory_is_found_without_going_through_a_workspace(told):
    claims = [told.claim("PostgreSQL"), told.claim("MySQL")]
    source = told.source("guide", claims[0])
    told.relate(source, claims[1])
    views = told.store.claims._views
    sent = []

    def keep(_connection, _cursor, text, parameters, *_):
        sent.append((text, parameters))

    event.listen(views, "before_cursor_execute", keep)
    first = told.page(rests_on=source, limit=1)
    event.remove(views, "before_cursor_execute", keep)
    second = told.page(rests_on=source, limit=1, cursor=first["next_cursor"])

    assert [page["items"][0]["id"] for page in (first, second)] == sorted(claims)
    assert second["next_cursor"] is None
    with reading(views) as connection:
        steps = [
            row[3]
            for text, parameters in sent
            if text.startswith("SELECT")
            for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", parameters)
        ]
    assert steps
    assert [step for step in steps if WHOLE.search(step)] == []
