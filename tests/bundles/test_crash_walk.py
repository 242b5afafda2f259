"""A window at every point where a commit can fail, sent again after each: as without the fault."""

from __future__ import annotations

from collections import Counter
from contextlib import closing

import pytest

from domain.errors import MemorandaError
from ops.settings import ServerMode
from ops.wiring import open_memoranda, open_server
from tests.bundles.scribes import SUPERSEDE, UPDATE, Scribe, about, day, saying
from tests.laws.faults import FaultyConnection, faults, losses
from tests.server_mode.conftest import MASTER_KEY

__all__ = ["faults", "losses"]

FAULTS = {"before": ["before"] * 3, "after": ["after"], "begin": ["begin"]}
POINTS_MAX = 60
WINDOWS = 6
"""Of the story: each is appended at least once."""


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
    """What the workspace holds, but for ids and times."""
    events = scribe.store.log.after(0, 1000, workspace=scribe.workspace)
    topics = Counter(event.topic for event in events)
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


def walked(kind, live):
    """`live` with a fault at each point ends as without one; how many points there were."""
    calm, _ = live("calm", [])
    for point in range(POINTS_MAX):
        after, came = live(f"{kind} {point}", ["well"] * point + FAULTS[kind])
        assert after == calm, f"point {point}"
        if not came:
            return point
    raise AssertionError("the points do not end")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_at_any_commit_changes_nothing_once_the_window_is_sent_again(
    faults, tmp_path, kind
):
    assert walked(kind, lambda name, planned: lived(tmp_path / name, planned)) >= WINDOWS


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["before", "after"])
def test_a_connection_that_is_lost_at_any_append_changes_nothing_once_the_window_is_sent_again(
    losses, postgres_url, redis_url, tmp_path, kind
):
    mode = ServerMode(postgres_url, redis_url, bytes.fromhex(MASTER_KEY))
    with closing(open_server(mode, tmp_path / "data")) as store:

        def live(name, planned):
            """In a workspace of its own."""
            scribe = Scribe(store, workspace=name)
            losses.planned[:] = planned
            story(scribe)
            left = list(losses.planned)
            losses.planned.clear()
            return ended(scribe), not left

        assert walked(kind, live) >= WINDOWS
