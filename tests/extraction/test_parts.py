"""A window that is sent as several parts of a session while it waits (spec/bundle.md §4)."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.bundles.scribes import saying
from tests.bundles.test_parts import as_part, parts_of
from tests.extraction.endpoint import proposes, writes

STEPS = st.lists(st.one_of(st.integers(1, 3), st.sampled_from(["fails", "answers"])), max_size=8)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_rule_4_10_however_parts_and_answers_of_a_model_follow_each_part_is_cited_once(desk, steps):
    # Given parts of one window that are sent while it waits, fails, and stands
    good = proposes(saying(f"Charts are stored flat in cellar {next(desk.scribe.remarks)}"))
    body = desk.scribe.window()
    first = desk.send(as_part(body, 1))
    for step in steps:
        if isinstance(step, int):
            desk.send(as_part(body, step))
            continue
        desk.endpoint.will(writes("prose") if step == "fails" else good)
        desk.extract(first)
    # When it is sent once more, and its extractor answers
    desk.send(as_part(body, 1))
    desk.endpoint.will(good)
    desk.extract(first)
    # Then each part that was sent is cited
    [now] = desk.send(as_part(body, 1))["proposals"]
    sent = {1, *(step for step in steps if isinstance(step, int))}
    assert now["outcome"] == "applied"
    assert parts_of(desk.scribe, now["claim_id"], first["window_id"]) == dict.fromkeys(sent, 1)
    assert desk.scribe.replay(first["window_id"]) == "identical"
