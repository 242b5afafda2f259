"""A window at every point where a commit can fail, sent again after each: as without the fault."""

from __future__ import annotations

from collections import Counter
from contextlib import closing

import pytest

from domain.errors import MemorandaError
from ops.wiring import open_memoranda
from tests.bundles.scribes import SUPERSEDE, UPDATE, Scribe, about, day, saying
from tests.laws.faults import FaultyConnection, faults

__all__ = ["faults"]

FAULTS = {"before": ["before"] * 3, "after": ["after"], "begin": ["begin"]}
POINTS_MAX = 60


def story(scribe):
    """A claim begins, moves, is restated, is late; a window fails in part."""
    first = sent(scribe, scribe.window(saying("Charts are stored flat"), observed_at=day(2)))
    named = about(first["proposals"][0])
    for rule, action, on in (
        ("Charts are stored in tubes", UPDATE, 5),
        ("charts ARE stored in tubes", UPDATE, 6),
        ("Charts are stored on racks", UPDATE, 3),
        ("Charts are scanned and thrown away", SUPERSEDE, 9),
    ):
        said = saying(rule, action=action, **named)
        sent(scribe, scribe.window(said, observed_at=day(on)))
    sent(scribe, scribe.window(saying("Rope", claim_text=" "), saying("Oars hang by the door")))


def sent(scribe, body):
    """Until there is an answer."""
    for _ in range(5):
        try:
            return scribe.send(body)
        except MemorandaError as error:
            if not error.retryable:
                raise
    raise AssertionError("no answer after five tries")


def ended(scribe):
    """What the store holds, but for ids and times."""
    topics = Counter(event.topic for event in scribe.store.log.after(0, 1000))
    return topics, sorted(scribe.found("charts stored scanned oars").values())


def lived(folder, planned):
    """The story with faults; what it ended in, and whether all of them came."""
    with closing(open_memoranda(folder)) as store:
        FaultyConnection.planned[:] = planned
        scribe = Scribe(store)
        story(scribe)
        left = list(FaultyConnection.planned)
        FaultyConnection.planned.clear()
        return ended(scribe), not left


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_at_any_commit_changes_nothing_once_the_window_is_sent_again(
    faults, tmp_path, kind
):
    calm, _ = lived(tmp_path / "calm", [])
    for point in range(POINTS_MAX):
        after, came = lived(tmp_path / f"{kind} {point}", ["well"] * point + FAULTS[kind])
        assert after == calm
        if not came:
            return
    raise AssertionError("the points do not end")
