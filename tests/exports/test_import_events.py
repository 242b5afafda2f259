"""What is exported can be imported elsewhere: it is the same history, and nothing comes back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.errors import MemorandaError
from domain.events import SettingsChange
from ops.event_import import import_events
from ops.standalone_verifier import verify_export
from tests.backup.worlds import said, texts
from tests.exports.history import (
    ERASED,
    HIDDEN,
    NEWEST,
    WORKSPACE,
    Tampered,
    exported,
    forget,
    imported,
    tell,
    text_of,
)
from tests.inputs import envelope


def test_it_goes_into_both_stores_and_out_again_byte_for_byte(new_world, files, tmp_path):
    for number, kind in enumerate(("folder", "postgresql")):
        world = new_world(kind)

        report = imported(world, files[True])

        assert (report.appended, report.known, report.unplaced) == (report.events, 0, 0)
        out = tmp_path / f"{number}.jsonl"
        exported(world, out, sanitized=True)
        assert out.read_bytes() == files[True].read_bytes()
        verified = world.verified(tmp_path / f"backup-{number}")
        assert (verified.wrong, verified.findings) == (0, [])
        assert verified.left_out == sum("erased_by" in row for row in Tampered(files[True]).rows)


def test_it_answers_as_the_store_that_it_came_from(new_world, told, files):
    world, _ = told
    copy = new_world()
    imported(copy, files[False])

    def answers(of):
        with of.open() as talk:
            basis = {"as_known_position": last, "as_of": "2031-01-01T00:00:00Z"}
            found = [
                talk.recall(words, policy=NEWEST, explain=True, **basis, **more)
                for words, more in (("mast hull", {}), ("mast", {"slot": "mast"}), (ERASED, {}))
            ]
            for one in found:
                for name in ("recall_id", "usage"):
                    del one[name]
            return found

    with world.open() as talk:
        last = talk.memoranda.log.head()
    assert answers(copy) == answers(world)


def test_a_recorded_recall_is_replayed_there(new_world, told, files):
    copy = new_world()
    imported(copy, files[False])

    with copy.open() as talk:
        for recall_id in told[1].recalls[1:]:
            assert talk.memoranda.replay.answer(talk.who, recall_id)["verdict"] == "identical"


def test_what_was_hidden_or_erased_is_in_no_file_of_a_store_that_imported(new_world, files):
    copy = new_world()
    imported(copy, files[True])
    with copy.open() as talk:
        texts(talk, f"{ERASED} {HIDDEN} mast")

    for file in copy.folder.rglob("*"):
        if file.is_file():
            assert HIDDEN.encode() not in file.read_bytes(), file
            # What was asked for here is recorded here, sealed.
            assert ERASED.encode() not in file.read_bytes(), file


def test_importing_again_changes_nothing(new_world, files):
    world = new_world()
    imported(world, files[True])

    again = imported(world, files[True])

    assert (again.appended, again.known) == (0, again.events)


def test_a_file_goes_back_into_the_store_that_it_came_from(new_world, tmp_path):
    world = new_world()
    with world.open() as talk:
        tell(talk)
    exported(world, tmp_path / "out.jsonl")

    report = imported(world, tmp_path / "out.jsonl")

    assert (report.appended, report.known) == (0, report.events)


def test_an_identity_key_leads_to_its_memory_as_before(new_world, told, files):
    copy = new_world()
    imported(copy, files[True])

    with copy.open() as talk:
        again = talk.send("remember", content=text_of("The hull is red."), identity_key="hull")
        fresh = talk.send("remember", content=text_of("Another jar."), identity_key="jar")

    assert again["record"]["id"] == told[1].ids["keyed"]
    assert again["record"]["version"] == 3
    assert fresh["record"]["id"] != told[1].ids["erased"]


def test_an_identity_key_stays_where_the_first_version_that_named_it_was_erased(
    new_world, tmp_path
):
    world, copy = new_world(), new_world()
    with world.open() as talk:
        memory = talk.remember(**said("one"), identity_key="k")
        talk.send("remember", **said("two"), identity_key="k")
        erased = {"mode": "application_delete", "scope": "event", "version": 1}
        talk.send("forget", memory_id=memory, reason="asked to", **erased)
    exported(world, tmp_path / "out.jsonl")
    imported(copy, tmp_path / "out.jsonl")

    with copy.open() as talk:
        again = talk.send("remember", **said("three"), identity_key="k")

    assert again["record"]["id"] == memory


def test_what_is_imported_can_be_forgotten_with_its_key(new_world, told, files, tmp_path):
    copy = new_world()
    imported(copy, files[False])

    with copy.open() as talk:
        talk.forget(told[1].ids["keyed"])
        assert texts(talk, "hull") == set()

    report = copy.verified(tmp_path / "backup")
    assert (report.wrong, report.findings) == (0, [])
    assert report.erased >= 1
    exported(copy, tmp_path / "out.jsonl")
    assert "hull is green" not in (tmp_path / "out.jsonl").read_text()


def test_report_39_what_was_forgotten_since_stays_forgotten(new_world, tmp_path):
    world = new_world()
    with world.open() as talk:
        memory = talk.remember(content=text_of("gone for good"))
        kept = talk.remember(content=text_of("still here"))
    exported(world, tmp_path / "old.jsonl")
    with world.open() as talk:
        forget(talk, memory, "application_delete", "asked to")

    report = imported(world, tmp_path / "old.jsonl")

    assert (report.appended, report.known, report.tombstoned) == (0, 1, 1)
    with world.open() as talk:
        assert texts(talk, "gone still") == {kept}


def test_report_39_a_forget_that_only_the_file_knows_comes_with_it(new_world, tmp_path):
    world, copy = new_world(), new_world()
    with world.open() as talk:
        memory = talk.remember(content=text_of("gone for good"))
    exported(world, tmp_path / "before.jsonl")
    imported(copy, tmp_path / "before.jsonl")
    with world.open() as talk:
        forget(talk, memory, "tombstone", "asked to")
    exported(world, tmp_path / "after.jsonl")

    imported(copy, tmp_path / "after.jsonl")

    with copy.open() as talk:
        assert texts(talk, "gone") == set()


def test_what_quotes_or_names_what_was_forgotten_here_does_not_come_in(new_world, tmp_path):
    world, copy = new_world(), new_world()
    with world.open() as talk:
        memory = talk.remember(content=text_of("the barnacle grows", "hull"), identity_key=None)
        other = talk.remember(content=text_of("the hull is clean", "hull"), identity_key=None)
    exported(world, tmp_path / "old.jsonl")
    imported(copy, tmp_path / "old.jsonl")
    with copy.open() as talk:
        talk.forget(memory)
    with world.open() as talk:
        for _ in range(9):  # so that what follows has places behind the end of the copy's log
            talk.send("remember", replace(talk.who, workspace="elsewhere"), **said("mine"))
        talk.update(memory, add_tags=["later"])
        talk.recall("barnacle")
        members = {"memory_ids": [memory, other], "canonical_id": other, "reason": "barnacle"}
        proposed = talk.send("consolidate", **members)
        talk.send("relate", source_id=memory, target_id=other, kind="supports")
        mode = {"mode": "apply_approved", "proposal_id": proposed["proposal_id"]}
        talk.send("consolidate", **members, mode={**mode, "approval_policy": "two-eyes"})
        late = talk.remember(**said("a late one"), identity_key=None)
    exported(world, tmp_path / "new.jsonl")

    imported(copy, tmp_path / "new.jsonl")

    exported(copy, tmp_path / "out.jsonl")
    assert "barnacle" not in (tmp_path / "out.jsonl").read_text()
    assert verify_export(tmp_path / "out.jsonl").wrong == 0
    assert copy.verified(tmp_path / "backup").findings == []
    with copy.open() as talk:
        assert texts(talk, "barnacle hull late") == {other, late}


def test_a_question_about_a_version_that_was_erased_here_does_not_come_in(new_world, tmp_path):
    world, copy = new_world(), new_world()
    with world.open() as talk:
        memory = talk.remember(content=text_of("the barnacle grows"), identity_key=None)
    exported(world, tmp_path / "old.jsonl")
    imported(copy, tmp_path / "old.jsonl")
    with copy.open() as talk:
        erased = {"mode": "application_delete", "scope": "event", "version": 1}
        talk.send("forget", memory_id=memory, reason="asked to", **erased)
    with world.open() as talk:
        for _ in range(9):
            talk.send("remember", replace(talk.who, workspace="elsewhere"), **said("mine"))
        talk.recall("barnacle")
    exported(world, tmp_path / "new.jsonl")

    report = imported(copy, tmp_path / "new.jsonl")

    assert (report.appended, report.tombstoned) == (0, 1)


def test_an_id_that_another_workspace_holds_is_not_free(new_world, tmp_path):
    world, other = new_world(), new_world()
    with world.open() as talk:
        talk.remember(**said("mine"))
    exported(world, tmp_path / "mine.jsonl")
    file = _of_workspace(tmp_path / "mine.jsonl", "elsewhere", tmp_path / "theirs.jsonl")
    imported(other, tmp_path / "mine.jsonl")

    with pytest.raises(MemorandaError) as refusal:
        imported(other, file)

    assert refusal.value.reason == "ID_TAKEN"


def test_into_a_store_with_other_events_recalls_are_left_out(new_world, told, files):
    other = new_world()
    with other.open() as talk:
        talk.send("remember", replace(talk.who, workspace="elsewhere"), **said("mine"))

    report = imported(other, files[False])

    recalls = [row for row in Tampered(files[False]).rows if _is_recall(row)]
    assert (report.unplaced, report.appended) == (len(recalls), report.events - len(recalls))
    with other.open() as talk:
        assert texts(talk, "hull") == {told[1].ids["keyed"]}


def test_a_record_that_went_another_way_here_is_refused_and_nothing_is_written(new_world, tmp_path):
    world = new_world()
    with world.open() as talk:
        memory = talk.remember(**said("one"))
    exported(world, tmp_path / "one.jsonl")
    copy = new_world()
    imported(copy, tmp_path / "one.jsonl")
    for one, words in ((world, "two"), (copy, "three")):
        with one.open() as talk:
            talk.update(memory, **said(words))
    with world.open() as talk:
        talk.remember(**said("also new"))
    exported(world, tmp_path / "two.jsonl")

    with pytest.raises(MemorandaError) as refusal:
        imported(copy, tmp_path / "two.jsonl")

    assert refusal.value.reason == "DIVERGED"
    with copy.open() as talk:
        assert texts(talk, "also new three") == {memory}


def test_what_was_recorded_before_its_slot_was_forgotten_does_not_come_in(new_world, tmp_path):
    world, copy = new_world(), new_world()
    with world.open() as talk:
        first = talk.remember(content=text_of("one", "mast"), identity_key=None)
    exported(world, tmp_path / "one.jsonl")
    imported(copy, tmp_path / "one.jsonl")
    with world.open() as talk:
        talk.remember(content=text_of("two", "mast"), identity_key=None)
    exported(world, tmp_path / "two.jsonl")
    with copy.open() as talk:
        talk.send("forget", memory_id=first, mode="tombstone", reason="r", scope="key")

    with pytest.raises(MemorandaError) as refusal:
        imported(copy, tmp_path / "two.jsonl")

    assert refusal.value.reason == "SLOT_FORGOTTEN"


def test_another_workspace_of_the_same_name_is_refused(new_world, files):
    other = new_world()
    with other.open() as talk:
        talk.remember(**said("mine"))

    with pytest.raises(MemorandaError) as refusal:
        imported(other, files[True])

    assert refusal.value.reason == "ANOTHER_WORKSPACE"


def test_what_does_not_verify_is_not_imported(new_world, files, tmp_path):
    file = Tampered(files[True])
    row = file.first(lambda row: "payload" in row and "content" in row["payload"])
    row["payload"]["content"]["value"]["text"] = "The mast is 99 m high."
    world = new_world()

    with pytest.raises(MemorandaError) as refusal:
        imported(world, file.write(tmp_path / "edited.jsonl", hashes=True))

    assert refusal.value.reason == "NOT_VERIFIED"
    with world.open() as talk:
        assert talk.memoranda.log.head() == 0


def test_a_file_without_what_an_import_needs_says_so(new_world, told, tmp_path):
    world = new_world()
    exported(told[0], tmp_path / "secret.jsonl", slot_secret=False)
    with told[0].open() as talk:
        position = next(
            event.position for event in talk.memoranda.log.after(0, 1000)
            if event.topic == "recall.recorded"
        )  # fmt: skip
    exported(told[0], tmp_path / "basis.jsonl", as_known=str(position))

    for name, words in (("secret", "slot secret"), ("basis", "--as-known")):
        with pytest.raises(MemorandaError, match=words):
            imported(world, tmp_path / f"{name}.jsonl")


def test_settings_come_with_the_workspace(new_world, tmp_path):
    world, copy = new_world(), new_world()
    with world.open() as talk:
        operator = replace(talk.who, permissions=talk.who.permissions | {"policy"})
        talk.memoranda.settings.change(operator, SettingsChange(session_isolation="strict"))
        strict = talk.memoranda.settings.trusted(talk.who)
        talk.send("remember", strict, **said("mine"), identity_key="k")
    exported(world, tmp_path / "out.jsonl")

    imported(copy, tmp_path / "out.jsonl")

    with copy.open() as talk:
        assert talk.memoranda.settings.read(WORKSPACE).settings.strict
        strict = talk.memoranda.settings.trusted(talk.who)
        again = talk.send("remember", strict, **said("mine again"), identity_key="k")
        other = replace(strict, session="other")
        apart = talk.send("remember", other, **said("theirs"), identity_key="k")
    assert again["record"]["version"] == 2
    assert apart["record"]["version"] == 1


@pytest.mark.parametrize("isolation", ["strict", "label"])
def test_settings_come_also_where_an_import_was_stopped_and_started_again(
    new_world, tmp_path, isolation
):
    world, copy = new_world(), new_world()
    with world.open() as talk:
        wanted = _set(talk, session_isolation=isolation, recall_policy=NEWEST)
        talk.send("remember", talk.memoranda.settings.trusted(talk.who), **said("mine"))
    exported(world, tmp_path / "out.jsonl")

    def stop(done, rows):
        if done > rows / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_events(copy.where, tmp_path / "out.jsonl", stop)
    imported(copy, tmp_path / "out.jsonl")

    with copy.open() as talk:
        assert talk.memoranda.settings.read(WORKSPACE).settings == wanted


def test_strict_sessions_come_also_where_no_place_is_free_before_the_first_event(
    new_world, tmp_path
):
    world, copy = new_world(), new_world()
    with world.open() as talk:
        wanted = _set(talk, session_isolation="strict")
        talk.send("remember", talk.memoranda.settings.trusted(talk.who), **said("mine"))
    exported(world, tmp_path / "out.jsonl")
    with copy.open() as talk:
        elsewhere = replace(talk.who, workspace="elsewhere")
        _set(replace(talk, who=elsewhere), require_source=True)
        assert talk.memoranda.log.head() == Tampered(tmp_path / "out.jsonl").rows[0]["position"] - 1

    report = imported(copy, tmp_path / "out.jsonl")

    assert report.appended == report.events
    with copy.open() as talk:
        assert talk.memoranda.settings.read(WORKSPACE).settings == wanted


def test_places_far_behind_the_end_of_the_log_are_not_taken_over(new_world, files, tmp_path):
    file, world = Tampered(files[False]), new_world("postgresql")
    last = file.rows[-1]
    last["position"] = 2**53
    file.rehash()

    report = imported(world, file.write(tmp_path / "far.jsonl", hashes=True))

    assert report.unplaced == sum(_is_recall(row) for row in file.rows)
    assert report.appended == report.events - report.unplaced
    with world.open() as talk:
        assert talk.memoranda.log.head() < 2 * report.events


def test_no_log_is_put_ahead_of_its_clock(new_world, files, tmp_path):
    file, world = Tampered(files[False]), new_world()
    for row in file.rows:
        row["appended_at"] = "9999-12-31T23:59:59.999999Z"
    file.rehash()

    with pytest.raises(MemorandaError) as refusal:
        imported(world, file.write(tmp_path / "ahead.jsonl", hashes=True))

    assert refusal.value.field == "appended_at"
    with world.open() as talk:
        assert talk.memoranda.log.head() == 0


def _set(talk, **settings):
    """Settings of the workspace of somebody who may set them."""
    operator = replace(talk.who, permissions=talk.who.permissions | {"policy"})
    return talk.memoranda.settings.change(operator, SettingsChange(**settings)).settings


def test_a_memory_that_names_one_of_another_session_is_no_fault_of_the_store(new_world, tmp_path):
    world, copy = new_world(), new_world()
    with world.open() as talk:
        mine = talk.remember(**said("mine"), identity_key=None)
        other = replace(talk.who, session="another")
        theirs = talk.send("remember", other, **said("theirs"), identity_key=None)["record"]["id"]
        members = {"memory_ids": [mine, theirs], "canonical_id": theirs, "reason": "the same"}
        mode = {"mode": "apply_approved", "approval_policy": "two-eyes"}
        mode["proposal_id"] = talk.send("consolidate", **members)["proposal_id"]
        talk.send("consolidate", **members, mode=mode)
    exported(world, tmp_path / "out.jsonl", session=talk.who.session)

    report = imported(copy, tmp_path / "out.jsonl")

    assert report.appended == report.events
    assert verify_export(tmp_path / "out.jsonl").inert
    assert copy.verified(tmp_path / "backup").findings == []


def test_a_receipt_does_not_travel(new_world, tmp_path):
    world, copy = new_world(), new_world()
    body = envelope("remember", envelope_changes={"idempotency_key": "k"})
    with world.open() as talk:
        talk.memoranda.execute(talk.who, body)
    exported(world, tmp_path / "out.jsonl")
    imported(copy, tmp_path / "out.jsonl")

    with copy.open() as talk:
        talk.memoranda.execute(talk.who, body)
        assert len(texts(talk, body["input"]["content"]["value"])) == 2


def _is_recall(row):
    return row["structure"]["topic"] == "recall.recorded"


def _of_workspace(file, workspace, out):
    """A file that says that its events are of another workspace, all hashes computed again."""
    changed = Tampered(file)
    changed.lines[0]["workspace"] = workspace
    for row in changed.rows:
        row["structure"]["ctx"]["workspace"] = workspace
    changed.rehash()
    return changed.write(out, hashes=True)
