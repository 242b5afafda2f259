"""A destroyed key is an erasure where somebody asked for it, and a finding elsewhere."""

from __future__ import annotations

from tests.verify.stores import (
    first,
    forget,
    propose,
    recall,
    receipt,
    remember,
    request_erasure,
    rules,
    update,
    verdict,
)

OUT_OF_ORDER = "is not the step of an erasure that comes next"
NOT_DESTROYED = "says that keys are destroyed; one is not"
FALSE_ERASURE = "false erasure: its key is destroyed, nobody asked for it"


def test_an_erasure_that_was_asked_for_is_counted(writer):
    memory = remember(writer)
    later = update(writer, memory.stream)
    forget(writer, memory.stream, "application_delete")
    request_erasure(writer, (memory.stream, 2))

    writer.destroy(memory.key)
    writer.destroy(later.key)

    report = verdict(writer)
    assert (report.wrong, report.erased) == (0, 2)
    assert verdict(writer, keys=False).wrong == 0


def test_a_key_that_was_destroyed_without_an_erasure_is_a_false_erasure(furnished, copy_of):
    for event in furnished.written:
        if event.key is None or event.version > 1 or event.stream.startswith(("rec", "sys")):
            continue
        if event.stream == furnished.written[0].stream:
            continue  # its erasure was asked for
        copy = copy_of(furnished)

        copy.change_keys(
            "UPDATE data_key SET wrapped = NULL, state = 'destroyed' WHERE key_id = ?", event.key
        )

        report = copy.report(keys=True)
        assert first(report) == (event.position, event.name, "state")
        assert rules(report) == [FALSE_ERASURE]


def test_the_keys_of_receipts_are_never_destroyed(writer):
    memory = remember(writer)
    kept = receipt(writer, memory)
    request_erasure(writer, (memory.stream, 1), (kept.stream, 1))

    writer.destroy(kept.key)

    report = verdict(writer)
    assert report.wrong == 2
    assert {finding["event"][:8] for finding in report.findings} == {"receipt_"}


def test_an_erasure_ends_at_the_version_that_it_names(writer):
    memory = remember(writer)
    later = update(writer, memory.stream)
    request_erasure(writer, (memory.stream, 1))

    for event in (memory, later):
        writer.destroy(event.key)

    report = verdict(writer)
    assert (report.erased, rules(report)) == (2, [FALSE_ERASURE])
    assert first(report) == (later.position, later.name, "state")


def test_an_erasure_of_one_version_covers_no_other(writer):
    memory = remember(writer)
    later = [update(writer, memory.stream) for _ in range(2)]
    request_erasure(writer, (memory.stream, 2), scope="event")

    for event in (memory, *later):
        writer.destroy(event.key)

    wrong = [finding["position"] for finding in verdict(writer).findings]
    assert wrong == [memory.position, later[1].position]


def step(writer, stream, mode, *targets, scope="lineage"):
    structure = {"mode": mode, "scope": scope, "targets": [list(pair) for pair in targets],
                 "counts": {"keys": len(targets)}}  # fmt: skip
    return writer.append(stream, "erasure.step", structure)


def complete(writer, stream, *targets):
    structure = {"scope": "lineage", "targets": [list(pair) for pair in targets], "counts": {}}
    payload = {"stays": ["structure"], "out_of_reach": []}
    return writer.append(stream, "erasure.completed", structure, payload, audit=True)


def test_a_step_that_says_that_keys_were_destroyed_asks_for_nothing(writer):
    memory = remember(writer)
    step(writer, writer.new_id("erasure_"), "keys_destroyed", (memory.stream, 1))

    writer.destroy(memory.key)

    assert rules(verdict(writer)) == [OUT_OF_ORDER, FALSE_ERASURE]


def test_an_erasure_takes_its_steps_in_order_and_each_once(writer):
    memory = remember(writer)
    target = (memory.stream, 1)
    writer.destroy(memory.key)
    stream = request_erasure(writer, target).stream
    for mode in ("keys_destroyed", "views_cleared", "caches_cleared", "questions_destroyed"):
        step(writer, stream, mode, target)
    complete(writer, stream, target)
    assert verdict(writer).wrong == 0

    again = complete(writer, stream, target)

    report = verdict(writer, keys=False)
    assert (first(report), rules(report)) == ((again.position, again.name, "state"), [OUT_OF_ORDER])


def test_a_step_that_is_left_out_is_named_where_the_next_one_stands(writer):
    memory = remember(writer)
    stream = request_erasure(writer, (memory.stream, 1)).stream

    skipping = step(writer, stream, "views_cleared", (memory.stream, 1))

    report = verdict(writer)
    assert (first(report), rules(report)) == (
        (skipping.position, skipping.name, "state"),
        [OUT_OF_ORDER],
    )


def test_an_erasure_that_says_what_it_did_not_do_is_named(writer):
    memory = remember(writer)
    later = update(writer, memory.stream)
    stream = request_erasure(writer, (memory.stream, 2)).stream
    writer.destroy(memory.key)

    said = step(writer, stream, "keys_destroyed", (memory.stream, 2))

    report = verdict(writer)
    assert (first(report), rules(report)) == ((said.position, said.name, "state"), [NOT_DESTROYED])
    assert verdict(writer, keys=False).wrong == 0
    writer.destroy(later.key)
    assert verdict(writer).wrong == 0


def test_an_erasure_of_another_workspace_covers_nothing(writer):
    memory = remember(writer)
    request_erasure(writer, (memory.stream, 1), workspace="Zürich")

    writer.destroy(memory.key)

    assert rules(verdict(writer)) == [FALSE_ERASURE]


def test_the_reason_of_a_forget_stays(writer):
    memory = remember(writer)
    forgotten = forget(writer, memory.stream, "tombstone")
    request_erasure(writer, (memory.stream, 2))

    writer.destroy(memory.key)
    writer.destroy(forgotten.key)

    report = verdict(writer)
    assert first(report) == (forgotten.position, forgotten.name, "state")
    assert report.wrong == 1


def test_the_question_of_a_recall_may_go_with_what_it_found(writer):
    memory, other = remember(writer), remember(writer)
    covered, foreign = recall(writer, other, memory), recall(writer, other)
    request_erasure(writer, (memory.stream, 1))

    writer.destroy(memory.key)
    writer.destroy(covered.key)
    assert verdict(writer).wrong == 0

    writer.destroy(foreign.key)
    assert first(verdict(writer)) == (foreign.position, foreign.name, "state")


def test_a_question_that_found_what_came_of_a_version_may_go_with_it(writer):
    memory = remember(writer)
    later = [update(writer, memory.stream) for _ in range(2)]
    before, after = recall(writer, memory), recall(writer, later[1])
    request_erasure(writer, (memory.stream, 2), scope="event")

    writer.destroy(after.key)
    assert verdict(writer).wrong == 0

    writer.destroy(before.key)
    assert first(verdict(writer)) == (before.position, before.name, "state")


def test_the_reason_of_a_proposal_may_go_with_a_member(writer):
    memory, other = remember(writer), remember(writer)
    covered, foreign = propose(writer, memory, other), propose(writer, other, other)
    request_erasure(writer, (memory.stream, 1))

    writer.destroy(covered.key)
    assert verdict(writer).wrong == 0

    writer.destroy(foreign.key)
    assert first(verdict(writer)) == (foreign.position, foreign.name, "state")


def test_a_recall_that_names_nothing_is_covered_by_nothing(writer):
    structure = {"session": "s1", "visibility": "workspace", "owner": "ann"}
    recalled = writer.append(
        writer.new_id("recall_"), "recall.recorded", structure, {"objective": "?"}
    )

    writer.destroy(recalled.key)

    assert rules(verdict(writer)) == [FALSE_ERASURE]


def test_what_is_wrong_in_itself_comes_before_a_false_erasure(writer, copy_of):
    memory = remember(writer)
    asked = request_erasure(writer, (memory.stream, 1))
    writer.destroy(memory.key)
    copy = copy_of(writer)

    copy.change("UPDATE event SET part = 7 WHERE position = ?", asked.position)

    report = copy.report(keys=True)
    assert first(report) == (asked.position, asked.name, "part")
    assert rules(report)[1:] == [FALSE_ERASURE]
