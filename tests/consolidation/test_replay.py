"""A proposal is decided again from the log, and is seen to differ where it must."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from commands.clock import SystemClock
from domain import consolidation
from domain.errors import MemorandaError
from domain.events import (
    ConsolidationApplied,
    ConsolidationProposed,
    ConsolidationRejected,
    MemoryRemembered,
    MemorySuperseded,
    RelationshipRelated,
    SettingsChange,
)
from ops.wiring import open_memoranda
from read_api.proposal_replay import ProposalReplay
from tests.circumstances import context
from tests.engine.building import Caller
from tests.reports.handlers import handler, told

MAY = "2031-05-01T00:00:00Z"


@pytest.fixture
def folder(tmp_path):
    """A store in a folder."""
    with closing(open_memoranda(tmp_path / "data")) as opened:
        yield opened


def said(value):
    return {"format": "properties", "value": {"slot": "mast", "object": value}}


class Proposing(Caller):
    """Members that disagree by an edge, in a slot and in their validity, and one that does not."""

    def members(self, **more):
        one = self.remember(content=said(12), valid_until=MAY, **more)
        two = self.remember(content=said(11), **more)
        three = self.remember(**more)
        self.send("relate", source_id=three, target_id=two, kind="contradicts")
        self.send("relate", source_id=one, target_id=two, kind="supports")
        return [one, two, three]

    def propose(self, members, **more):
        return self.send("consolidate", memory_ids=members, **more)["proposal_id"]

    def apply(self, proposal, members, **more):
        mode = {"mode": "apply_approved", "proposal_id": proposal, "approval_policy": "p"}
        return self.send("consolidate", memory_ids=members, mode=mode, **more)

    def reject(self, proposal):
        return self.memoranda.reject_proposal(self.who, proposal, "no", f"no {proposal}")

    def replay(self, proposal):
        return self.memoranda.read.proposal_replay(self.who, proposal)

    def change(self, memory, **patch):
        self.send("update", target={"kind": "memory", "id": memory}, patch=patch)


def verdict(found):
    return found["verdict"], found["first_difference"]


def test_each_proposal_replays_however_it_ended_and_whatever_came_after(store):
    ana = Proposing(store)
    proposals, members = [], []
    for _ in range(4):
        members.append(ana.members())
        proposals.append(ana.propose(members[-1]))
    ana.apply(proposals[1], members[1])
    ana.reject(proposals[2])
    ana.change(members[3][1], content=said(12), valid_from=MAY)
    for three in members:
        ana.send("relate", source_id=three[0], target_id=three[1], kind="contradicts")
        ana.change(three[0], content=said(9))
    head = store.log.head()

    for proposal in proposals:
        found = ana.replay(proposal)
        assert verdict(found) == ("identical", None)
        assert found["replayed"] == found["recorded"]
        assert len(found["recorded"]["disagreements"]) == 4
    assert store.log.head() == head


def test_what_an_apply_did_is_part_of_it(store):
    ana = Proposing(store)
    one, two, three = ana.members()
    ana.change(two, confidence=0.5)
    proposal = ana.propose([three, two, one], canonical_id=two)
    assert ana.replay(proposal)["replayed"]["applied"] is None

    ana.apply(proposal, [one, two, three], canonical_id=two)

    assert ana.replay(proposal)["replayed"]["applied"] == {
        "members": [[one, 2], [two, 2], [three, 2]],
        "canonical_id": two,
        "superseded": [[one, 2, two], [three, 2, two]],
        "links": [[one, two], [three, two]],
    }


def test_who_was_consolidated_before_is_consolidated_again(store):
    ana = Proposing(store)
    one, two, three = ana.members()
    first = ana.propose([one, two])
    ana.apply(first, [one, two])
    ana.change(two, lifecycle="active")
    second = ana.propose([one, two, three])
    ana.apply(second, [one, two, three])

    assert [verdict(ana.replay(proposal)) for proposal in (first, second)] == [
        ("identical", None),
        ("identical", None),
    ]


@pytest.mark.parametrize("end", ["open", "applied", "rejected"])
@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_what_was_erased_since_is_named(store, mode, end):
    ana = Proposing(store)
    members = ana.members()
    proposal = ana.propose(members)
    if end == "applied":
        ana.apply(proposal, members)
    elif end == "rejected":
        ana.reject(proposal)
    ana.send("forget", memory_id=members[1], mode=mode)

    found = ana.replay(proposal)

    assert (found["verdict"], found["erased"]) == ("identical_except_erased", [members[1]])
    assert found["first_difference"]["path"].startswith("disagreements")
    whole = found["recorded"]["disagreements"]
    assert (whole is None) == (mode == "application_delete")


def test_it_is_told_to_whom_the_proposal_is(store):
    ana = Proposing(store)
    proposal = ana.propose(ana.members(visibility="private"))
    assert verdict(ana.replay(proposal)) == ("identical", None)

    bea = Proposing(store, context(actor="bea"))
    for asker, wrong in ((bea, proposal), (ana, proposal.upper()), (ana, "prop_nothing")):
        with pytest.raises(MemorandaError) as refusal:
            asker.replay(wrong)
        assert refusal.value.code == "NOT_FOUND"


def test_strict_sessions_replay_their_own_alone(folder):
    folder.settings.change(
        context(permissions=frozenset({"policy"})), SettingsChange(session_isolation="strict")
    )
    here, there = Proposing(folder), Proposing(folder, context(session="s2"))
    members = here.members()
    proposal = here.propose(members)
    here.apply(proposal, members)
    there.members()

    assert verdict(here.replay(proposal)) == ("identical", None)
    with pytest.raises(MemorandaError) as refusal:
        there.replay(proposal)
    assert refusal.value.code == "NOT_FOUND"


class Changed:
    """The log, with facts of one kind changed; all but proposals is an hour older."""

    def __init__(self, log, kind, change):
        self._log, self._kind, self._change = log, kind, change

    def __getattr__(self, name):
        return getattr(self._log, name)

    def stream(self, workspace, stream):
        return [self._changed(event) for event in self._log.stream(workspace, stream)]

    def streams(self, workspace, streams):
        found = self._log.streams(workspace, streams)
        return {key: [self._changed(one) for one in events] for key, events in found.items()}

    def _changed(self, event):
        if not event.stream.startswith("prop_"):
            event = event._replace(appended_us=event.appended_us - 3_600_000_000)
        [fact] = event.facts
        if not isinstance(fact, self._kind):
            return event
        return event._replace(facts=(self._change(fact),))


def test_what_came_after_it_is_not_seen(folder):
    ana = Proposing(folder)
    members = ana.members()
    proposal = ana.propose(members)
    ana.change(members[0], content=said(11))
    ana.send("relate", source_id=members[0], target_id=members[2], kind="contradicts")
    log = Changed(folder.log, ConsolidationProposed, lambda fact: fact)

    found = ProposalReplay(log, folder.settings.trusted).replay(ana.who, proposal)

    assert verdict(found) == ("identical", None)


def payload(**changes):
    def change(fact):
        return fact.model_copy(update={"payload": fact.payload.model_copy(update=changes)})

    return change


def earlier(fact):
    """The last member one version back."""
    *rest, (member, version) = fact.targets
    return fact.model_copy(update={"targets": [*rest, (member, version - 1)]})


def behind_itself(fact):
    return fact.model_copy(update={"target_id": "mem_other"})


@pytest.mark.parametrize(
    ("kind", "change", "path"),
    [
        (ConsolidationProposed, earlier, "members[2][1]"),
        (ConsolidationProposed, behind_itself, "canonical_id"),
        (ConsolidationProposed, payload(disagreements=[]), "disagreements[0]"),
        (ConsolidationProposed, payload(compared=["edges"]), "disagreements[0].memory_ids"),
        (RelationshipRelated, payload(kind="contradicts"), "disagreements[2]"),
        (RelationshipRelated, payload(kind="supports"), "disagreements[3]"),
        (MemoryRemembered, payload(content=said(5)), "disagreements[0]"),
        (ConsolidationApplied, earlier, "applied.members[2][1]"),
        (MemorySuperseded, behind_itself, "applied.superseded[0][2]"),
    ],
)
def test_a_changed_event_differs_where_it_says_something_else(folder, kind, change, path):
    ana = Proposing(folder)
    members = ana.members()
    ana.change(members[2], confidence=0.5)
    proposal = ana.propose(members)
    ana.apply(proposal, members)
    changed = ProposalReplay(Changed(folder.log, kind, change), folder.settings.trusted)

    found = changed.replay(ana.who, proposal)

    assert found["verdict"] == "differs"
    assert found["first_difference"]["path"].startswith(path)


def test_a_rejection_with_other_versions_differs(folder):
    ana = Proposing(folder)
    members = ana.members()
    ana.change(members[2], confidence=0.5)
    proposal = ana.propose(members)
    ana.reject(proposal)
    log = Changed(folder.log, ConsolidationRejected, earlier)

    found = ProposalReplay(log, folder.settings.trusted).replay(ana.who, proposal)

    assert found["first_difference"] == {
        "path": "rejected.members[2][1]",
        "recorded": 1,
        "replayed": 2,
    }


def test_a_changed_constant_of_the_program_differs(folder, monkeypatch):
    ana = Proposing(folder)
    proposal = ana.propose(ana.members()[1:])

    monkeypatch.setattr(consolidation, "CONTRADICTS", "refutes")

    found = ana.replay(proposal)
    assert found["verdict"] == "differs"
    assert found["first_difference"]["path"] == "disagreements[0]"
    assert found["first_difference"]["replayed"] is None


def test_an_erasure_excuses_nothing_that_does_not_depend_on_it(folder):
    ana = Proposing(folder)
    members = ana.members()
    proposal = ana.propose(members)
    ana.send("forget", memory_id=members[0], mode="tombstone")
    log = Changed(folder.log, RelationshipRelated, payload(kind="supports"))

    found = ProposalReplay(log, folder.settings.trusted).replay(ana.who, proposal)

    assert (found["verdict"], found["erased"]) == ("differs", [members[0]])
    assert found["first_difference"]["recorded"]["memory_ids"] == members[1:]


def test_a_proposal_that_does_not_say_what_was_compared_was_not_compared_by_validity(folder):
    ana = Proposing(folder)
    proposal = ana.propose(ana.members())

    def older(fact):
        pairs = [one for one in fact.payload.disagreements if "validity" not in one]
        return payload(compared=None, disagreements=pairs)(fact)

    log = Changed(folder.log, ConsolidationProposed, older)
    found = ProposalReplay(log, folder.settings.trusted).replay(ana.who, proposal)

    assert verdict(found) == ("identical", None)
    assert len(found["replayed"]["disagreements"]) == 2


class HeldClock:
    """A clock that holds its reader once: a decision that has read, and not yet written."""

    def __init__(self):
        self.hold = False
        self.reached, self.going_on = threading.Event(), threading.Event()

    def now_us(self):
        if self.hold:
            self.hold = False
            self.reached.set()
            assert self.going_on.wait(timeout=60)
        return SystemClock().now_us()


def test_what_another_process_wrote_meanwhile_was_not_seen(folder):
    # Given a proposal that has read its members and is not written yet
    ana = Proposing(folder)
    members = ana.members()
    clock = HeldClock()
    body = ana.body("consolidate", memory_ids=members)
    with handler(folder.folder, clock) as other, ThreadPoolExecutor(1) as pool:
        clock.hold = True
        sent = pool.submit(told, other, ana.who, body)
        assert clock.reached.wait(timeout=60)
        # When a member is corrected and another contradiction is told
        ana.change(members[2], confidence=0.5)
        ana.send("relate", source_id=members[0], target_id=members[2], kind="contradicts")
        clock.going_on.set()
        proposal = sent.result(timeout=60)["proposal_id"]
    # Then the proposal replays as it was decided
    found = ana.replay(proposal)
    assert found["recorded"]["members"][2] == [members[2], 1]
    assert len(found["recorded"]["disagreements"]) == 4
    assert verdict(found) == ("identical", None)
