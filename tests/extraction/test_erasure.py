"""Words of a window that waited go with the memory that was made of them, from every attempt."""

from __future__ import annotations

from tests.bundles.scribes import saying
from tests.bundles.windows import says
from tests.extraction.endpoint import proposes, writes

GOOD = saying("Charts are stored flat", reason="Rosebud said so")


def test_an_erasure_takes_the_words_of_every_attempt_and_the_models_answers(desk):
    # Given a window that waited, failed, waited again and came to a memory
    body = desk.scribe.window(events=[says("Rosebud: charts are stored flat")])
    desk.endpoint.will(writes("Rosebud, I think"))
    desk.extract(desk.send(body))
    desk.endpoint.will(proposes(GOOD))
    answer = desk.send(body)
    assert desk.extract(answer)["mode"] == "knowledge_patched"
    # When its memory is erased
    (memory,) = desk.scribe.found("charts")
    desk.scribe.forget(memory)
    # Then no word is left of any attempt, and the replay says why
    for event in desk.store.log.after(0, 1000):
        assert "Rosebud" not in str(event.facts), event.topic
    assert desk.scribe.replay(answer["window_id"]) == "identical_except_erased"
    desk.store.runner.wait_for("w", desk.store.log.head(), 30)
    read = desk.store.read.bundles.window(desk.scribe.context, answer["window_id"])
    assert read["erased"] is True
    assert "Rosebud" not in str(read)
