"""What others share in the workspace is in nobody's way when a window is matched."""

from __future__ import annotations

from read_api.similar_memories import CANDIDATES_MAX

RULE = "Release notes are drafted by the person who merges the change"
MORE = "Release notes are always drafted by the person who merges the change"


def test_memories_that_all_see_do_not_hide_the_one_that_is_meant(scribe, stranger):
    # Given one claim, and more memories of others than are looked at, which match better
    first = scribe.say(RULE, on=1)
    for number in range(CANDIDATES_MAX + 6):
        said = {
            "kind": "convention",
            "schema_version": "1",
            "content": {
                "format": "text_and_properties",
                "value": {
                    "text": f"{MORE}\nthe whole repository",
                    "properties": {"repo": scribe.repo},
                },
            },
            "provenance": [],
            "tags": [f"t{number}"],
        }
        stranger._asked("remember", said)
    # When a window says it in other words
    moved = scribe.say(MORE, on=2)
    # Then it is about that claim
    assert moved["claim_id"] == first["claim_id"]
    assert [one["claim_id"] for one in moved["candidates"]] == [first["claim_id"]]
