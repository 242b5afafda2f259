"""memoranda import: order, references, refusals, repetition."""

from __future__ import annotations

import json

import pytest

from domain.limits import BODY_BYTES_MAX
from ops.import_source import UnreadableFileError
from ops.importer import import_file, import_lines_into
from tests.importer.lines import (
    WHEN,
    forget,
    line,
    memories,
    ref,
    refused_rows,
    relate,
    relationships,
    remember,
    update,
    written,
)


@pytest.fixture
def load(store, tmp_path):
    """Import rows from a file of the given name."""

    def run(rows, name="lines.jsonl", **given):
        path = written(tmp_path / name, rows, packed=name.endswith(".gz"))
        return import_file(store, path, actor="cli:tests", **given), path

    return run


@pytest.mark.parametrize("name", ["lines.jsonl", "lines.jsonl.gz"])
def test_lines_are_executed_with_the_time_at_which_they_were_recorded(load, store, name):
    report, _ = load([remember("a", recorded := "one"), remember("b", "two")], name)

    found = memories(store)
    assert (report.lines, report.accepted, report.replayed, report.refused) == (2, 2, 0, 0)
    assert found["a"]["content"]["value"] == recorded
    assert found["a"]["recorded_at"] == WHEN
    assert (found["a"]["owner"], found["a"]["session"]) == ("cli:tests", "import")


def test_a_line_names_its_own_workspace_actor_agent_and_session(load, store):
    context = {"workspace": "w", "actor": "ann", "agent": "bot", "session": "monday"}

    load([remember("a", context=context)])

    item = memories(store, workspace="w")["a"]
    assert (item["owner"], item["session"]) == ("ann", "monday")
    event = store.log.stream("w", item["id"])[0]
    assert event.context.agent == "bot"
    assert memories(store) == {}


def test_keys_stand_for_the_ids_of_earlier_lines(load, store):
    report, _ = load(
        [
            remember("a"),
            remember("b"),
            relate("a", "b", identity_key="e"),
            update("a", confidence=0.5),
            update("e", kind="relationship", lifecycle="expired"),
            relate("b", "b"),
            forget("b", "expire", expires_at=WHEN),
        ]
    )

    found = memories(store)
    first, loop = relationships(store)
    assert (report.accepted, report.refused) == (7, 0)
    assert (first["source_id"], first["target_id"]) == (found["a"]["id"], found["b"]["id"])
    assert (first["lifecycle"], first["version"]) == ("expired", 2)
    assert loop["source_id"] == loop["target_id"] == found["b"]["id"]
    assert found["a"]["confidence"] == 0.5
    assert found["b"]["lifecycle"] == "expired"


def test_consolidations_take_keys_too(load):
    proposed = {
        "mode": {"mode": "propose"},
        "memory_ids": [ref("a"), ref("b")],
        "canonical_id": ref("b"),
        "reason": "r",
        "preserve_disagreements": True,
    }

    report, _ = load([remember("a"), remember("b"), line("consolidate", proposed)])

    assert (report.accepted, report.refused) == (3, 0)


def test_questions_are_asked_after_the_lines_before_them(load):
    limits = {
        "max_items": 1,
        "max_depth": 1,
        "max_payload_bytes": 65536,
        "max_cost": 10,
        "timeout_ms": 60000,
        "supernode_threshold": 5,
    }
    asked = {"objective": "zzz", "seed_ids": [ref("a")], "limits": limits}
    traced = {"target": {"kind": "memory", "id": ref("a")}}

    report, _ = load([remember("a"), line("recall", asked), line("trace", traced)])

    assert (report.accepted, report.refused) == (3, 0)


def test_a_key_follows_its_memory_when_it_changes_hands(load, store):
    load(
        [
            remember("k", "first"),
            remember("n"),
            relate("k", "n"),
            forget("k"),
            remember("k", "second"),
            relate("k", "n"),
        ]
    )

    # The first edge went out of sight with the memory that it led from.
    (edge,) = relationships(store)
    assert edge["source_id"] == memories(store)["k"]["id"]


def test_keys_of_records_that_were_there_before_are_found(load, store):
    load([remember("a"), remember("b")], "first.jsonl")
    load([relate("a", "b", identity_key="e")], "second.jsonl")

    report, _ = load([update("a", confidence=0.5), update("e", kind="relationship")], "third.jsonl")

    assert (report.accepted, report.refused) == (2, 0)
    assert memories(store)["a"]["version"] == 2


def test_a_key_of_somebody_elses_private_memory_stands_for_nothing(load):
    load([remember("a", visibility="private", context={"actor": "ann"})], "first.jsonl")

    report, _ = load([update("a")], "second.jsonl")

    assert [refused.code for refused in report.refusals] == ["NOT_FOUND"]


def test_every_line_is_accepted_or_refused_and_every_refusal_is_told(load):
    rows = [
        remember("a"),
        b"{not json\n",
        b"\n",
        b"  \r\n",
        remember(" ", " "),
        b"\xff\xfe\n",
        b"[]\n",
        b'{"a":1,"a":2}\n',
        relate("a", "nobody"),
        line("remember", {}, surprise="x"),
        remember("b", context={"recorded_at": "yesterday"}),
        remember("c", context={"workspace": "system"}),
        remember("d", context={"actor": " "}),
        remember("e", context={"session": "a\x00"}),
        line("teleport", {}),
        relate({"identity_key": 5}, "a"),
        remember("f"),
    ]

    report, path = load(rows)

    assert (report.accepted, report.refused, report.lines) == (2, 13, 15)
    told = {row["line"]: (row["code"], row["field"]) for row in refused_rows(path)}
    assert told == {
        2: ("INVALID_REQUEST", None),
        5: ("INVALID_REQUEST", "content.value"),
        6: ("INVALID_REQUEST", None),
        7: ("INVALID_REQUEST", None),
        8: ("INVALID_REQUEST", None),
        9: ("NOT_FOUND", "target_id"),
        10: ("INVALID_REQUEST", "context"),
        11: ("INVALID_REQUEST", "context.recorded_at"),
        12: ("PERMISSION_DENIED", "context.workspace"),
        13: ("INVALID_REQUEST", "context.actor"),
        14: ("INVALID_REQUEST", "context.session"),
        15: ("INVALID_REQUEST", "operation"),
        16: ("INVALID_REQUEST", "source_id"),
    }
    assert [refused.line for refused in report.refusals] == sorted(told)
    assert report.refused_file == path.with_name("lines.jsonl.refused.jsonl")


def test_a_refused_line_is_kept_whole(load):
    row = relate("a", "nobody")

    _, path = load([remember("a"), row, b'"\xff"\n'])

    first, second = refused_rows(path)
    assert first["said"] == row
    assert first["message"]
    assert second["said"] == '"\\xff"'


def test_the_file_of_refused_lines_is_that_of_the_last_import(load):
    _, path = load([b"x\n"])
    assert len(refused_rows(path)) == 1

    report, path = load([remember("a")])

    assert (refused_rows(path), report.refused_file) == ([], None)


def test_a_line_may_have_the_size_of_a_request_and_no_more(load):
    whole = json.dumps(remember("a", "x" * 1000)).encode()
    fits = whole + b" " * (BODY_BYTES_MAX - len(whole)) + b"\n"

    report, path = load([fits, b" " + fits, remember("b")])

    assert (report.accepted, report.refused) == (2, 1)
    assert refused_rows(path)[0]["line"] == 2


def test_a_byte_order_mark_and_a_missing_last_line_end_do_no_harm(load):
    row = json.dumps(remember("a")).encode()

    report, _ = load([b"\xef\xbb\xbf" + row + b"\r\n", json.dumps(remember("b")).encode()])

    assert (report.accepted, report.refused) == (2, 0)


def test_an_empty_file_is_no_lines(load):
    report, _ = load([])

    assert (report.lines, report.refused) == (0, 0)


def test_importing_again_replays_everything_and_changes_nothing(load, store):
    rows = [
        remember("k", "first"),
        remember("n"),
        relate("k", "n", identity_key="e", key=None),
        update("k", confidence=0.5, key=None),
        forget("k"),
        remember("k", "second", key=None),
        relate("k", "n"),
    ]
    load(rows)
    head = store.log.head()

    report, _ = load(rows)

    assert (report.accepted, report.replayed, report.refused) == (7, 7, 0)
    assert store.log.head() == head


def test_a_line_without_a_key_happens_once_even_if_its_key_has_changed_hands(load, store):
    load([remember("k", "first"), remember("n")], "first.jsonl")
    rows = [relate("k", "n", key=None), forget("k", key=None), remember("k", "2", key=None)]
    load(rows, "second.jsonl")
    head = store.log.head()

    report, _ = load(rows, "second.jsonl")

    assert (report.replayed, report.refused) == (3, 0)
    assert store.log.head() == head


def test_equal_lines_of_two_files_are_two_commands(load, store):
    row = remember(None, key=None)

    load([row], "first.jsonl")
    report, _ = load([row, remember("b")], "second.jsonl")

    assert report.replayed == 0
    assert store.log.head() > 0


def test_a_file_has_the_same_lines_whether_it_is_packed_or_not(load):
    rows = [remember("a", key=None)]
    load(rows)

    report, _ = load(rows, "lines.jsonl.gz")

    assert (report.accepted, report.replayed) == (1, 1)


def test_a_key_that_was_used_for_something_else_is_a_refused_line(load):
    report, path = load([remember("a", key="k"), remember("b", key="k")])

    assert (report.accepted, report.refused) == (1, 1)
    assert refused_rows(path)[0]["code"] == "IDEMPOTENCY_CONFLICT"


def test_progress_reaches_the_end(load):
    seen = []

    load(
        [remember(str(number)) for number in range(450)],
        on_progress=lambda done, total: seen.append((done, total)),
    )

    assert seen[-1] == (450, 450)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize(
    "content", [None, b"\x1f\x8bnot gzip at all", b"\x1f\x8b\x08\x00\x00\x00\x00\x00"]
)
def test_a_file_that_cannot_be_read_is_named(store, tmp_path, content):
    path = tmp_path / "lines.jsonl.gz"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(UnreadableFileError, match=r"lines\.jsonl\.gz cannot be read"):
        import_file(store, path)


def test_lines_can_come_from_memory(store):
    report = import_lines_into(
        store,
        [remember("a"), remember("b"), relate("a", "b"), {"x": 1}],
        name="some lines",
        workspace="w",
        actor="ann",
    )

    assert (report.accepted, report.refused, report.refused_file) == (3, 1, None)
    assert memories(store, workspace="w", actor="ann").keys() == {"a", "b"}


def test_each_line_can_be_traced_to_the_import(load, store):
    _, _ = load([remember("a")])

    event = store.log.stream("default", memories(store)["a"]["id"])[0]

    assert event.context.correlation.startswith("import:")
    assert event.context.correlation.endswith(":1")
