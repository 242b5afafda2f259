"""A window that is sent as several parts of a session: a citation for each (spec §4.10).

Whatever became of it in between: what stands in the end is cited once for each part.
"""

from __future__ import annotations

from collections import Counter

import pytest

from domain.bundles.takeaways import apply_takeaway
from tests.bundles.scribes import CLOSE, RULE, UPDATE, saying


def part(number):
    """A part of the session, by its number."""
    return {"kind": "turns", "start": number, "end": number}


def as_part(body, number):
    return {**body, "history_window": part(number)}


def parts_of(scribe, claim_id, window_id):
    """By number of the part how often a window is cited for a claim."""
    state = None
    for event in scribe.store.log.stream(scribe.workspace, claim_id):
        state = apply_takeaway(state, event)
    cited = [one.citation for one in state.cited if one.window_id == window_id]
    return Counter(one["history_window"]["start"] for one in cited)


def test_rule_4_10_what_failed_as_one_part_and_applies_as_another_is_cited_for_both(scribe):
    body = scribe.window(saying("Charts are stored flat", action=UPDATE))
    failed = scribe.send(as_part(body, 1))
    assert failed["proposals"][0]["outcome"] == "rejected_scope"
    scribe.say("Charts are stored flat", on=2)

    [now] = scribe.send(as_part(body, 2))["proposals"]

    assert now["restated"]
    assert parts_of(scribe, now["claim_id"], failed["window_id"]) == {1: 1, 2: 1}


def test_rule_4_10_what_stands_in_a_window_that_fails_is_cited_for_each_part(scribe):
    body = scribe.window(saying("Oars hang by the door"), saying("Ropes are coiled", action=UPDATE))
    for number in (1, 2, 2, 1, 3):
        answer = scribe.send(as_part(body, number))
        assert answer["result"] == "failed"

    claim = answer["proposals"][0]["claim_id"]

    assert parts_of(scribe, claim, answer["window_id"]) == {1: 1, 2: 1, 3: 1}
    assert scribe.replay(answer["window_id"]) == "identical"


def test_rule_4_10_what_its_owner_decides_is_cited_for_each_part(scribe):
    scribe.ask_about(RULE, CLOSE)
    body = scribe.window(saying(CLOSE, title="Three"), observed_at="2024-06-13T10:00:00Z")
    for number in (1, 2):
        asked = scribe.send(as_part(body, number))
        assert asked["proposals"][0]["outcome"] == "skipped_ambiguous"
    chosen = asked["proposals"][0]["candidates"][0]["claim_id"]

    scribe.resolve(asked["window_id"], 0, chosen)

    assert parts_of(scribe, chosen, asked["window_id"]) == {1: 1, 2: 1}


@pytest.mark.parametrize("failed", [False, True])
def test_rule_4_10_what_was_forgotten_is_cited_for_no_further_part(scribe, failed):
    # Given a window, alone or beside what fails it, of which a memory was forgotten
    beside = [saying("Ropes are coiled", action=UPDATE)] if failed else []
    body = scribe.window(saying("Oars hang by the door"), *beside)
    first = scribe.send(as_part(body, 1))
    scribe.forget(first["proposals"][0]["memory_id"], "tombstone")

    # When it is sent as another part
    again = scribe.send(as_part(body, 2))

    # Then it has its result, and its words are not told again
    assert again["proposals"][0]["outcome"] == "applied"
    claim = again["proposals"][0]["claim_id"]
    assert parts_of(scribe, claim, first["window_id"]) == {1: 1}
