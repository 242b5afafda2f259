"""Erasing a memory erases what its claim says, and the words that were its evidence (§6)."""

from __future__ import annotations

from contextlib import closing

from domain.bundle_events import WindowRecorded
from ops.wiring import open_memoranda
from tests.bundles.scribes import UPDATE, Scribe, about, saying
from tests.bundles.windows import says
from tests.verify.stores import verifier

SECRET = "Zimtschnecke"


def erased(scribe, stream):
    return [event.erased for event in scribe.store.log.stream(scribe.workspace, stream)]


def test_an_erasure_reaches_the_claim_its_citations_and_every_attempt_of_its_window(scribe):
    # Given a window that failed at first, and a claim that others have spoken of since
    body = scribe.window(
        saying(f"The {SECRET} is served at noon"),
        saying("Rope", claim_text=" "),
        events=[says(f"Serve the {SECRET} at noon")],
    )
    first = scribe.send(body)["proposals"][0]
    scribe.send(body)
    repeated = scribe.send({**body, "history_window": {"kind": "turns", "start": 1, "end": 2}})
    other = scribe.say("Charts are stored flat", title="Charts")
    # When its memory is erased
    scribe.forget(first["memory_id"])
    # Then no event holds the words any more, and the rest is as it was
    assert all(erased(scribe, repeated["window_id"]))
    assert all(erased(scribe, first["claim_id"]))
    assert not any(erased(scribe, other["claim_id"]))
    assert not any(erased(scribe, other["window_id"]))
    for event in scribe.store.log.after(0, 1000):
        assert all(SECRET not in str(fact.sealed()) for fact in event.facts)


def test_an_attempt_that_came_to_nothing_loses_its_words_with_the_memory_of_a_later_one(scribe):
    # Given a window that failed as a whole, and one that told the same since
    body = scribe.window(saying(f"The {SECRET} is served at noon", action=UPDATE))
    assert scribe.send(body)["proposals"][0]["outcome"] == "rejected_scope"
    known = scribe.say(f"The {SECRET} is served at noon", on=5)
    again = scribe.send(body)
    assert again["proposals"][0]["memory_id"] == known["memory_id"]
    # When the memory is erased
    scribe.forget(known["memory_id"])
    # Then both attempts have lost their words
    assert erased(scribe, again["window_id"]) == [True, True]


def test_the_words_before_a_change_go_alone(scribe):
    first = scribe.say(f"The {SECRET} is served at noon", on=1)
    now = scribe.say("The soup is served at six", action=UPDATE, on=2, **about(first))
    scribe.forget(first["memory_id"])
    assert erased(scribe, first["claim_id"]) == [True, False]
    assert not any(erased(scribe, now["window_id"]))
    assert set(scribe.found("soup served")) == {now["memory_id"]}
    assert scribe.replay(first["window_id"]) == "identical_except_erased"
    assert scribe.replay(now["window_id"]) in {"identical", "identical_except_erased"}


def test_a_window_that_was_erased_is_not_brought_back_by_sending_it_again(scribe):
    body = scribe.window(saying(f"The {SECRET} is served at noon"))
    scribe.forget(scribe.send(body)["proposals"][0]["memory_id"])
    again = scribe.send(body)
    assert (again["idempotent"], again["erased"], again["proposals"]) == (True, True, [])
    assert scribe.found(SECRET) == {}


def test_a_forgotten_claim_is_not_matched_and_its_words_begin_it_anew(scribe):
    first = scribe.say("Lanterns burn rape oil", on=1)
    scribe.forget(first["memory_id"], "tombstone")
    again = scribe.say("Lanterns burn rape oil", on=2)
    assert not again["restated"]
    assert again["claim_id"] == first["claim_id"]
    assert set(scribe.found("lanterns")) == {again["memory_id"]}


def test_the_verifier_knows_why_the_words_of_a_window_are_gone(tmp_path):
    with closing(open_memoranda(tmp_path / "data")) as store:
        scribe = Scribe(store)
        body = scribe.window(saying("Charts are stored flat"), saying("Rope", claim_text=" "))
        first = scribe.send(body)["proposals"][0]
        scribe.say("Charts are rolled", action=UPDATE, on=12, **about(first))
        scribe.forget(first["memory_id"])
        attempts = scribe.store.log.after(0, 1000, topics=(WindowRecorded.TOPIC,))
        assert [event.erased for event in attempts] == [True, False]
    files = tmp_path / "data"
    master = bytes.fromhex((files / "master.key").read_text())
    report = verifier.verify(files / "log.db", files / "keys.db", master)
    assert report.findings == []
    assert report.wrong == 0
    assert report.erased > 0
