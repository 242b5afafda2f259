"""Which keys an application_delete destroys, and that it is finished whatever happens."""

from __future__ import annotations

from domain.erasure import STEPS
from domain.events import ErasureStep
from ops.wiring import open_memoranda
from tests.builders import text
from tests.circumstances import context
from tests.engine.building import Caller


def steps(memoranda):
    events = memoranda.log.after(0, 1000, topics=(ErasureStep.TOPIC,))
    return [fact.mode for event in events for fact in event.facts]


def test_the_reasons_for_forgetting_outlive_the_text(ana, store):
    # Given a memory that was tombstoned first
    memory = ana.remember(content=text("canary"))
    ana.send("forget", memory_id=memory, reason="asked to")
    # When it is destroyed
    ana.send("forget", memory_id=memory, mode="application_delete", reason="asked again")
    # Then its text is gone, and why is still there
    told = ana.send("trace", target={"kind": "memory", "id": memory})["versions"]
    assert [version["reason"] for version in told] == [None, "asked to", "asked again"]
    assert [event.erased for event in store.log.stream("w", memory)] == [True, False, False]
    assert "canary" not in repr(store.log.stream("w", memory))


def test_destroying_one_version_destroys_no_other(ana, store):
    memory = ana.remember(content=text("one"))
    for number in ("two", "three"):
        target = {"kind": "memory", "id": memory}
        ana.send("update", target=target, patch={"content": text(number)})

    ana.send("forget", memory_id=memory, mode="application_delete", scope="event", version=2)

    erased = [event.erased for event in store.log.stream("w", memory)]
    assert erased == [False, True, False, False]


def test_an_erasure_that_is_done_is_not_done_again_at_the_next_start(tmp_path):
    # Given
    memoranda = open_memoranda(tmp_path / "data")
    caller = Caller(memoranda, context())
    memory = caller.remember()
    caller.send("forget", memory_id=memory, mode="application_delete")
    memoranda.close()
    # When
    for _ in range(2):
        open_memoranda(tmp_path / "data").close()
    # Then
    memoranda = open_memoranda(tmp_path / "data")
    found = steps(memoranda)
    memoranda.close()
    assert found == [step for step in STEPS if step != "completed"]
