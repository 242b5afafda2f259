"""Ambiguous windows wait for their owner in the one inbox, until they are resolved."""

from __future__ import annotations

from read_api.inbox import InboxFilters
from tests.bundles.scribes import CLOSE, RULE


def waiting(scribe, **asked):
    """What waits, once all of the log is followed."""
    scribe.store.runner.wait_for(scribe.workspace, scribe.store.log.head(), 10)
    page = scribe.store.read.reviews(scribe.context, InboxFilters(**asked))
    return [one for one in page["items"] if one["what"] == "ambiguous_window"]


def test_an_ambiguous_window_waits_for_its_owner_alone(scribe, stranger):
    asked = scribe.ask_about(RULE, CLOSE)
    [item] = waiting(scribe)
    assert item["id"] == asked["window_id"]
    assert item["command"] == f"memoranda bundle resolve {asked['window_id']} 0 CLAIM"
    assert set(item["because"].split()) == {one["claim_id"] for one in asked["candidates"]}
    assert waiting(stranger) == []
    scribe.resolve(asked["window_id"], 0, "new")
    assert waiting(scribe) == []


def test_every_ambiguous_window_is_on_one_page(scribe):
    first = scribe.ask_about(RULE, CLOSE)
    windows = [first["window_id"]]
    for number in range(3):
        window = scribe.say(CLOSE, title="Three", on=13 + number)["window_id"]
        windows.append(window)
    found = []
    cursor = None
    for _ in range(6):
        scribe.store.runner.wait_for(scribe.workspace, scribe.store.log.head(), 10)
        page = scribe.store.read.reviews(scribe.context, InboxFilters(limit=1, cursor=cursor))
        found += [one["id"] for one in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == windows
