"""Texts that a database could stumble over come back as they were sent, on both stores."""

from __future__ import annotations

from read_api.bundle_questions import CompletenessQuestion, ConceptFilters
from tests.bundles.scribes import saying

ODD = "a\0b\x01\x7f\u2028\ufffe\U0010ffff"
LONG = 60.0


def test_control_characters_are_kept_and_asked_for(scribe):
    # Given a window that holds them in every place that becomes a column of a read model
    repo = f"github.com/{ODD}"
    sent = scribe.send(
        scribe.window(
            saying(f"Charts {ODD} are stored flat", title=ODD),
            session_id=ODD,
            client=ODD,
            branch=ODD,
            repo=repo,
        )
    )
    assert sent["proposals"][0]["outcome"] == "applied"
    store, context = scribe.store, scribe.context
    store.runner.wait_for("w", store.log.head(), LONG)

    # Then questions find it by them, and nothing of it is parked
    read = store.read.bundles
    assert read.completeness(context, CompletenessQuestion(session_id=ODD))["total"] == 1
    [concept] = read.concepts(context, ConceptFilters(repo=repo))["items"]
    window = read.window(context, sent["window_id"])
    claim = read.claim(context, sent["proposals"][0]["claim_id"])
    assert concept["title"] == window["session_id"] == window["client"] == window["branch"] == ODD
    assert ODD in claim["rule"]
    assert set(store.runner.parked().values()) <= {(0, 0)}
    # And the same in another case is the same claim
    again = scribe.send(
        scribe.window(saying(f"CHARTS {ODD} are stored flat", title=ODD), session_id=ODD, repo=repo)
    )
    assert again["proposals"][0]["restated"]
