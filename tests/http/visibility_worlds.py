"""A workspace with a memory in one state, and the same one in which that memory never was.

Ann asks, in the session `mine`. She has a memory of her own in the slot of the other one, so that
every list has something to say, and a claim, which the other one supports. Whoever holds the other
one, and what became of it, is the state.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from domain.validation.shipped import SINGLE_TRUSTED
from tests.http.api import edge, host_headers, memory, question

OLD, NEW, LINK = "xqzywarble", "ynfopperling", "zbrundlemook"
"""Words of the first version of the memory, of the second one, and of a relationship of it."""
SLOT, KEY = "den", "k"
FAR = "2100-01-01T00:00:00Z"
PAST = "2020-01-01T00:00:00Z"
NEVER = {"mem": "mem_" + "0" * 26, "rel": "rel_" + "0" * 26, "recall": "recall_" + "0" * 26}
NO_PROPOSAL = "prop_" + "0" * 26
NO_DECISION = "dec_" + "0" * 26
STRICT = "session"
HOLDERS = {
    "place": {"workspace": "elsewhere"},
    "owner": {"actor": "bob"},
    STRICT: {"session": "theirs"},
}
"""What differs, for each state in which the memory is somebody else's, from what Ann names."""
_NUMBERS = itertools.count(1)
CLAIMED = {"format": "text", "value": "foxes dig"}
"""What Ann claims: in no slot, and of other words, so that no recall finds it by them."""


def saying(word):
    """The content of a memory in the slot, with a word in all parts of it."""
    value = {"text": f"otter {word}", "properties": {"slot": SLOT, "object": word}}
    return {"format": "text_and_properties", "value": value}


def said(word, beside="", **more):
    """The input of a remember, with a second word in a tag and a source."""
    source = {"source_id": f"source {beside}", "locator": None, "observed_at": None}
    named = {"kind": "note", "schema_version": "1", "tags": [f"tag {beside}"]}
    return {**named, "content": saying(word), "provenance": [source], **more}


def consolidation(members, **mode):
    """The input of a consolidate, whose first member is canonical."""
    return {
        "mode": {"mode": "propose", **mode},
        "memory_ids": members,
        "canonical_id": members[0],
        "reason": "same",
        "preserve_disagreements": True,
    }


@dataclass
class World:
    """What was said, and the ids of it; where the memory never was, ids that never were.

    `strict` makes a workspace one of strict sessions. A brief world has no recalls.
    """

    api: object
    state: str
    there: bool
    strict: object
    brief: bool = False
    names: dict = field(init=False)
    holder: dict = field(init=False)
    record: str = NEVER["mem"]
    edge: str = NEVER["rel"]
    before: str = NEVER["recall"]
    quoting: str = NEVER["recall"]
    proposal: str = NO_PROPOSAL
    assessment: str = NO_DECISION

    def __post_init__(self):
        workspace = f"visible{next(_NUMBERS)}"
        self.names = {"workspace": workspace, "actor": "ann", "session": "mine"}
        other = dict(HOLDERS.get(self.state, {}))
        if "workspace" in other:
            other["workspace"] = f"{workspace}-elsewhere"
        self.holder = {**self.names, **other}
        if self.state == STRICT:
            self.strict(workspace)
        self._told()

    @property
    def own(self):
        """The input of Ann's other memory, which is in the slot too."""
        return said("plain")

    @property
    def made(self):
        """The input of the memory."""
        private = {"visibility": "private"} if self.state == "owner" else {}
        later = {"valid_from": FAR} if self.state == "not_yet_valid" else {}
        # What a correction keeps, tags and sources, says nothing that it corrects.
        beside = "" if self.state == "corrected" else OLD
        return said(OLD, beside, identity_key=KEY, **private, **later)

    def _told(self):
        self.claim = self._claimed("claim", self.names)
        first = self.do("remember", self.own, "own", self.names)
        self.mine, self.known = first["record"]["id"], first["receipt"]["position"]
        self.judged = self.known
        if self.there:
            self._hold()
            self._change()
        if not self.brief:
            asked = self.do("recall", question("otter"), None, self.names)
            self.after = asked["recall_id"]

    def _claimed(self, key, names):
        claimed = memory(kind="claim", content=CLAIMED)
        return self.do("remember", claimed, key, names)["record"]["id"]

    def do(self, operation, given, key, names):
        """The result of an operation that succeeds."""
        return self.api.do(operation, given, key, **names)

    def _by_holder(self, operation, given, key):
        return self.do(operation, given, key, self.holder)

    def _hold(self):
        made = self._by_holder("remember", self.made, "record")
        self.record, self.known = made["record"]["id"], made["receipt"]["position"]
        mate = self.mine
        if self.state in {"place", STRICT}:
            mate = self._by_holder("remember", self.own, "mate")["record"]["id"]
        joined = self._by_holder("relate", edge(self.record, mate, properties={"n": LINK}), "edge")
        self.edge = joined["relationship"]["id"]
        mine = mate == self.mine
        self._judge(self.claim if mine else self._claimed("their claim", self.holder))
        self.members = [mate, self.record]
        proposed = self._by_holder("consolidate", consolidation(self.members), None)
        self.proposal = proposed["proposal_id"]
        if not self.brief:
            self.before = self._asked("otter")
            self.quoting = self._asked(f"otter {OLD}")

    def _judge(self, claim):
        """The memory supports a claim, which its holder then has assessed."""
        support = edge(self.record, claim, properties={"n": LINK})
        spoken = self._by_holder("relate", support, "support")
        self.judged = spoken["receipt"]["position"]
        sent = {**host_headers(**self.holder), "Idempotency-Key": "judged"}
        path = f"/v1/claims/{claim}/assess"
        done = self.api.client.post(path, json={"policy": SINGLE_TRUSTED}, headers=sent)
        assert done.status_code == 200, done.text
        self.assessment = done.json()["assessment"]["id"]

    def _asked(self, words):
        return self._by_holder("recall", question(words), None)["recall_id"]

    def _change(self):
        forgotten = {"memory_id": self.record, "reason": "r"}
        match self.state:
            case "tombstone":
                self._by_holder("forget", {**forgotten, "mode": "tombstone"}, "state")
            case "erased":
                self._by_holder("forget", {**forgotten, "mode": "application_delete"}, "state")
            case "expired":
                ended = {**forgotten, "mode": "expire", "expires_at": PAST}
                self._by_holder("forget", ended, "state")
            case "superseded":
                mode = {"mode": "apply_approved", "proposal_id": self.proposal}
                given = consolidation(self.members, **mode, approval_policy="p")
                self._by_holder("consolidate", given, "state")
            case "corrected":
                target = {"kind": "memory", "id": self.record}
                given = {"target": target, "patch": {"content": saying(NEW)}}
                self._by_holder("update", given, "state")
