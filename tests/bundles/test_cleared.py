"""After an erasure nobody reads the words of a claim, and no file of the read models has them."""

from __future__ import annotations

from read_api.bundle_questions import CompletenessQuestion
from tests.bundles.scribes import UPDATE, about, saying
from tests.bundles.windows import says

SECRET = "Zimtschnecke"


def test_an_erasure_takes_the_words_from_all_that_is_told_and_from_the_files(scribe):
    # Given a claim that was corrected, and its first window in two attempts
    body = scribe.window(
        saying(f"The {SECRET} is served at noon"),
        saying("Rope", claim_text=" "),
        events=[says(f"Serve the {SECRET} at noon")],
        session_id="s-7",
    )
    first = scribe.send(body)["proposals"][0]
    scribe.send(body)
    now = scribe.say("The soup is served at six", action=UPDATE, on=12, **about(first))
    read = scribe.store.read
    read.wait(scribe.workspace, scribe.store.log.head())
    window_id = read.bundles.claim(scribe.context, first["claim_id"])["citations"][0]["window_id"]
    assert SECRET in str(read.bundles.window(scribe.context, window_id))

    # When the memory of its first wording is erased
    scribe.forget(first["memory_id"])
    read.wait(scribe.workspace, scribe.store.log.head())

    # Then the claim stands with what it says now, and nothing tells the words
    claim = read.bundles.claim(scribe.context, first["claim_id"])
    window = read.bundles.window(scribe.context, window_id)
    counts = read.bundles.completeness(scribe.context, CompletenessQuestion())
    assert (claim["memory_id"], claim["rule"]) == (now["memory_id"], "The soup is served at six")
    assert [one["memory_lifecycle"] for one in claim["former"]] == ["forgotten"]
    assert window["erased"]
    assert [one["erased"] for one in window["attempts"]] == [True, True]
    assert (counts["total"], counts["failed"]) == (2, 1)
    assert counts["failures"][0]["outcome"] is None
    assert SECRET not in str((claim, window, counts))
    held = [file for file in scribe.store.folder.path.glob("views*") if file.is_file()]
    assert all(SECRET.encode() not in file.read_bytes() for file in held)
