"""Reports 4, 19, 21 and 44 of bugreports.md: what one forgets, and who else would notice."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from domain.context import Context
from ops.rebuild import rebuild
from ops.wiring import Memoranda, open_memoranda
from projections.database import open_views
from tests.builders import text
from tests.circumstances import context
from tests.laws.worlds import ask, caught_up
from tests.projections.views import tables
from tests.reports.asking import body, done, found, memory

COUNT = 50


def of(session: str) -> Context:
    return context(session=session)


def rebuilt(memoranda: Memoranda, path: Path) -> dict[str, list[tuple[object, ...]]]:
    rebuild(memoranda.log, path, lambda _done, _head: None)
    engine = open_views(path)
    try:
        return tables(engine)
    finally:
        engine.dispose()


def live(memoranda: Memoranda) -> dict[str, list[tuple[object, ...]]]:
    return tables(caught_up(memoranda).runner._engine)


def test_report_04_forgetting_all_of_one_session_leaves_the_other_as_it_was(
    memoranda: Memoranda, tmp_path: Path
) -> None:
    # Given two sessions with fifty memories each
    made = {
        session: [
            memory(memoranda, of(session), content=text(f"walrus {session} {number}"))
            for number in range(COUNT)
        ]
        for session in ("one", "two")
    }
    before = [memoranda.log.stream("w", name) for name in made["two"]]
    # When everything of the first is forgotten
    for name in made["one"]:
        done(memoranda, "forget", of("one"), memory_id=name, mode="application_delete")
    # Then it is gone, and the other has not changed by an event, a row or an answer
    assert found(memoranda, "walrus", session_id="one") == []
    assert sorted(found(memoranda, "walrus", session_id="two")) == sorted(made["two"])
    assert [memoranda.log.stream("w", name) for name in made["two"]] == before
    assert rebuilt(memoranda, tmp_path / "again.db") == live(memoranda)


def test_report_19_what_is_forgotten_stays_so_after_a_rebuild_and_a_restart(
    tmp_path: Path,
) -> None:
    # Given a memory that was recalled, so that every cache has it, and then forgotten
    memoranda = open_memoranda(tmp_path / "data")
    kept = memory(memoranda, content=text("canary walrus"))
    gone = memory(memoranda, content=text("canary heron"))
    assert sorted(found(memoranda, "canary")) == sorted([kept, gone])
    done(memoranda, "forget", memory_id=gone, mode="tombstone")
    assert found(memoranda, "canary", seed_ids=[gone]) == [kept]
    # When the store is closed, its read models are built anew, and it is opened again
    memoranda.close()
    (tmp_path / "data" / "views.db").unlink()
    again = open_memoranda(tmp_path / "data")
    # Then no way of asking brings it back
    assert found(again, "canary", seed_ids=[gone]) == [kept]
    assert found(again, "heron") == []
    again.close()


def test_report_21_fifty_commands_at_once_are_each_done_or_refused(
    memoranda: Memoranda, tmp_path: Path
) -> None:
    # Given a memory that many want to change at once
    shared = memory(memoranda, identity_key="shared")
    target = {"kind": "memory", "id": shared}
    mixed = [
        *(body("remember", identity_key="shared", content=text(f"v{n}")) for n in range(15)),
        *(body("remember", content=text(f"new {n}")) for n in range(15)),
        *(body("update", target=target, patch={"confidence": n / 20}) for n in range(10)),
        *(
            body("update", target=target, expected_version=1, patch={"add_tags": [str(n)]})
            for n in range(10)
        ),
    ]
    # When fifty commands come together
    with ThreadPoolExecutor(COUNT) as pool:
        answers = list(pool.map(lambda one: ask(memoranda, context(), one), mixed))
    # Then each has a receipt or a conflict, the log reads, and the read models are its fold
    codes = [answer["error"]["code"] for answer in answers if "error" in answer]
    receipts = [answer for answer in answers if "error" not in answer]
    assert len(codes) + len(receipts) == COUNT
    assert set(codes) <= {"VERSION_CONFLICT"}
    versions = [event.version for event in memoranda.log.stream("w", shared)]
    assert versions == list(range(1, len(versions) + 1))
    assert rebuilt(memoranda, tmp_path / "again.db") == live(memoranda)


def test_report_44_a_consolidation_leaves_no_moment_without_an_answer(
    memoranda: Memoranda,
) -> None:
    # Given two memories that are about to become one, and somebody who asks all the time
    one, two = (memory(memoranda, content=text("walrus lives here")) for _ in range(2))
    said = {"memory_ids": [one, two], "canonical_id": one}
    proposal = done(memoranda, "consolidate", **said)["proposal_id"]
    seen: list[list[str]] = []
    asking, applied = threading.Event(), threading.Event()

    def poll() -> None:
        while not applied.is_set():
            seen.append(sorted(found(memoranda, "walrus")))
            asking.set()
        seen.append(sorted(found(memoranda, "walrus")))

    # When it is applied meanwhile
    with ThreadPoolExecutor(1) as pool:
        polling = pool.submit(poll)
        assert asking.wait(30)
        mode = {"mode": "apply_approved", "proposal_id": proposal, "approval_policy": "p"}
        done(memoranda, "consolidate", **said, mode=mode)
        applied.set()
        polling.result(timeout=60)
    # Then every answer had the originals, or the canonical alone, and the change has its event
    assert {tuple(ids) for ids in seen} <= {tuple(sorted((one, two))), (one,)}
    assert seen[-1] == [one]
    assert [e.topic for e in memoranda.log.stream("w", two)][-1] == "memory.superseded"
