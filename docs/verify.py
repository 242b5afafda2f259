#!/usr/bin/env python3
"""Verify a store or an export of Memoranda without the software that wrote it (see --help).

One file, Python 3.11 or newer, standard library only (with --keys also `cryptography`). Nothing is
written. Exit status: 0 nothing wrong, 1 something wrong, 2 the check could not be made. The format:

    state      = "MEM1" ‖ u32be len(head) ‖ head ‖ body
               | "MEM2" ‖ u32be len(head) ‖ head ‖ SHA-256(body elsewhere) ‖ SHA-256(rest) ‖ rest
    rest       = u8 len(key) ‖ key ‖ body, both empty where an import had no payload
    head       = canonical {v, stream, version, topic, recorded_at, ctx, s, key, commitment, prev}
    canonical  = UTF-8 JSON, keys sorted, no blanks, characters unescaped, no NaN
    event_hash = SHA-256("memoranda.event.v1\\n" ‖ SHA-256(head) ‖ SHA-256(body))
    body       = nonce12 ‖ AES-256-GCM(data key, salt16 ‖ canonical(payload), aad = head), or empty
    commitment = HMAC-SHA-256(salt16, canonical(payload))

It cannot see positions and times of append that were moved within their order, events cut off so
that nothing left names them and, without keys, a stream's last event replaced with its hash.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import dataclasses
import datetime
import functools
import hashlib
import heapq
import hmac
import importlib
import itertools
import json
import operator
import shutil
import sqlite3
import sys
import tempfile
import unicodedata
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FORMAT, LISTED_MAX, POSITION = 1, 20, operator.itemgetter(0)
DATA_KEY = "SELECT workspace, wrapped, state FROM data_key WHERE key_id = ?"
EVENTS = """SELECT position, originator_id, originator_version, topic, state, event_hash, workspace,
                   part, appended_at FROM event ORDER BY position"""
REFS = """SELECT CASE typeof(position) WHEN 'integer' THEN position ELSE 0 END,
                 workspace, kind, ref, stream FROM event_ref ORDER BY 1"""
LINE = "position {position}, {event}, column {column}: {rule}"
VERDICT = """{decrypted} payloads decrypted, {erased} erased, {left_out} left out of imports, \
{not_decrypted} not decrypted
{events} events verified, {wrong} wrong"""
PREFIXES = {
    "memory": "mem", "relationship": "rel", "identity": "guard", "consolidation": "prop",
    "command": "receipt", "recall": "recall", "erasure": "erasure", "key": "system",
    "stream": "system", "workspace": "system", "policy": "system", "claim": "dec", "review": "dec",
    "concept": "con", "takeaway": "clm", "citation": "clm", "window": "win",
}  # fmt: skip
STEPS = ["requested", "keys_destroyed", "views_cleared", "caches_cleared", "questions_destroyed",
         "completed"]  # fmt: skip
QUOTING = {"recall.recorded", "consolidation.proposed", "consolidation.rejected", "takeaway.added"}
QUOTING |= {"takeaway.moved", "citation.added", "window.recorded", "window.resolved"}
WITHOUT_PART = {"identity", "command", "recall"}
AUDITED = set("claim command erasure.completed key policy review stream workspace".split())  # noqa: SIM905
AUDITED.add("consolidation.applied")
HEAD = set("v stream version topic recorded_at ctx s key commitment prev".split())  # noqa: SIM905
CTX = {"workspace", "actor", "agent", "session", "request", "correlation", "trace"}
STRUCTURE = {
    "session", "visibility", "owner", "slot_ref", "valid_from", "valid_until", "expires_at",
    "lifecycle", "mode", "scope", "targets", "source_id", "target_id", "counts",
}  # fmt: skip
BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"
TO_PYTHON = str.maketrans(BASE32, "0123456789abcdefghijklmnopqrstuv")


@dataclasses.dataclass(slots=True)
class Report:
    """The verdict: how many rows are wrong, and the first 20 rules that are broken, with places."""

    events: int = 0
    wrong: int = 0
    decrypted: int = 0
    erased: int = 0
    left_out: int = 0
    not_decrypted: int = 0
    findings: list[dict[str, Any]] = dataclasses.field(default_factory=list)


def canonical(value: object) -> bytes:
    """Canonical = UTF-8 JSON, keys sorted, no blanks, characters unescaped, no NaN."""
    blanks = (",", ":")
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=blanks)
    return text.encode()


def parse_canonical(data: bytes) -> dict[str, Any]:
    """Stored JSON is an object in canonical bytes: encoding it again gives the same bytes."""
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(data)
        if isinstance(value, dict) and canonical(value) == data:
            return value
    raise ValueError("is not one JSON object in canonical bytes")


def split_id(text: str) -> tuple[str, str]:
    """An id is a prefix, `_` and 26 digits of Crockford base32 of 16 bytes (given back in hex)."""
    prefix, _, digits = text.rpartition("_")
    if len(digits) != 26 or not set(digits) <= set(BASE32) or digits[0] > "7":
        raise ValueError("names something that is not an id")
    return prefix, f"{int(digits.translate(TO_PYTHON), 32):032x}"


@dataclasses.dataclass(slots=True)
class State:
    """A stored event: its head as JSON and as stored, its body, and the key that seals that here.

    `digest` is SHA-256 of the body as it was first written, by this store or by another.
    """

    head: dict[str, Any]
    stored: bytes
    body: bytes
    digest: bytes
    key: str | None
    imported: bool


def parse_state(state: Any) -> State:
    """State = magic ‖ u32be len(head) ‖ head ‖ the rest, which depends on the magic."""
    magic, end = state[:4], 8 + int.from_bytes(state[4:8], "big")
    if magic not in (b"MEM1", b"MEM2") or len(state) < end:
        raise ValueError("does not begin with MEM1 or MEM2 and a head of the length given")
    stored, rest = state[8:end], state[end:]
    head = check_head(parse_canonical(stored))
    if magic == b"MEM1":
        return State(head, stored, rest, hashlib.sha256(rest).digest(), head["key"], False)
    sealed, size = rest[64:], 1 + int.from_bytes(rest[64:65], "big")
    key, body = sealed[1:size].decode("ascii"), sealed[size:]
    checked = hashlib.sha256(sealed).digest() == rest[32:64]
    if not checked or len(key) != size - 1 or bool(key) != bool(body):
        raise ValueError("has other bytes than the import has written")
    return State(head, stored, body, rest[:32], key or None, True)


def check_head(head: dict[str, Any]) -> dict[str, Any]:
    """Heads have no other members than these: what erasure must reach stands in the payload."""
    if set(head) != HEAD or set(head["ctx"]) != CTX or not set(head["s"]) <= STRUCTURE:
        raise ValueError("has a head with other members than those of an event")
    return head


def event_hash(head: bytes, digest: bytes) -> bytes:
    """SHA-256("memoranda.event.v1\\n" ‖ SHA-256(head) ‖ SHA-256(body)), over bytes as stored."""
    return hashlib.sha256(b"memoranda.event.v1\n" + hashlib.sha256(head).digest() + digest).digest()


def expected_refs(head: dict[str, Any]) -> set[tuple[Any, ...]]:
    """An event_ref follows from its head: endpoint, correlation, slot, supersedes and decisions."""
    ctx, s = head["ctx"], head["s"]
    slot = [("slot", s["slot_ref"])] if s.get("slot_ref") is not None else []
    refs = {
        "command.recorded": [("correlation", ctx["correlation"])],
        "memory.forgotten": slot if s.get("scope") == "key" else [],
        "memory.remembered": slot,
        "memory.superseded": [("supersedes", s.get("target_id"))],
        "relationship.related": [("endpoint", s.get(f"{end}_id")) for end in ("source", "target")],
        "claim.assessed": [("assessment", s.get("target_id"))],
        **{key: [("review", s.get("target_id"))] for key in ("review.approved", "review.rejected")},
        **{key: [("takeaway", s.get("target_id"))] for key in ("takeaway.added", "takeaway.moved")},
    }
    return {(ctx["workspace"], *ref, head["stream"]) for ref in refs.get(head["topic"], [])}


def slot_name(value: object) -> str | None:
    """The name of a slot is text, not blank, without control characters, in NFC."""
    text = unicodedata.normalize("NFC", value) if isinstance(value, str) else ""
    controls = any(unicodedata.category(character) == "Cc" for character in text)
    return text if text.strip() and not controls else None


def slot_of(payload: dict[str, Any]) -> str | None:
    """A memory's slot: properties.slot, else (subject, predicate), else its identity key."""
    found = payload["content"]["value"]
    if payload["content"]["format"] == "text_and_properties":
        found = found["properties"]
    properties = found if isinstance(found, dict) else {}
    pair = [slot_name(properties.get("subject")), slot_name(properties.get("predicate"))]
    about = None if None in pair else canonical(pair).decode()
    return slot_name(properties.get("slot")) or about or slot_name(payload["identity_key"])


def decrypt(key: Any, sealed: Any, aad: bytes) -> bytes | None:
    """Sealed = nonce12 ‖ AES-256-GCM(key, text, aad); None without a key, or if the tag says no."""
    refusals = importlib.import_module("cryptography.exceptions")
    ciphers = importlib.import_module("cryptography.hazmat.primitives.ciphers.aead")
    with contextlib.suppress(refusals.InvalidTag, ValueError, TypeError):
        return bytes(ciphers.AESGCM(key).decrypt(sealed[:12], sealed[12:], aad))
    return None


def unwrap_workspace(keys: Any, master: bytes, name: str) -> tuple[Any, bytes]:
    """Master key → workspace key → root secret; slot secret = HKDF(root, "memoranda.slots.v1").

    An imported workspace has the slot secret of the store that it came from in a row of its own.
    """
    select = "SELECT wrapped_key, wrapped_root FROM workspace_key WHERE workspace = ?"
    row = keys.execute(select, (name,)).fetchone() or (None, None)
    key = decrypt(master, row[0], name.encode())
    root = decrypt(key, row[1], name.encode()) or b""
    extracted = hmac.digest(bytes(32), root, "sha256")
    derived = hmac.digest(extracted, b"memoranda.slots.v1\x01", "sha256")
    kept = keys.execute(DATA_KEY, (of_row := f"slots_{name}",)).fetchone()
    return key, derived if kept is None else decrypt(key, kept["wrapped"], of_row.encode()) or b""


class Verifier:
    """Reads the log once, in order of position, and remembers the tip of every stream."""

    def __init__(self, log: sqlite3.Connection, keys: Any, master: bytes, newest: int) -> None:
        self._log, self._keys, self._newest, self.parts = log, keys, newest, 1
        self._workspace = functools.cache(lambda name: unwrap_workspace(keys, master, name))
        self._report, self._wrong, self._at = Report(), set[int](), (0, "?")
        self._position, self._appended_at, self._keys_used = 0, -(2**63), set[Any]()
        self._tips: dict[Any, tuple[int, Any]] = {}  # by stream: last version, its hash
        self._awaited, self._erased, self._windows = list[Any](), list[Any](), dict[str, Any]()
        self._erasures: Any = collections.defaultdict(list)  # by step, workspace, memory
        self._alive: Any = collections.defaultdict(int)  # by stream, a bit for each version
        self._foreign: set[str] = set()  # memories that an import brought

    def run(self) -> Report:
        """Events with their references; then what can be judged only when all was read."""
        try:
            merged = heapq.merge(*map(self._log.execute, (EVENTS, REFS)), key=POSITION)
            for position, (row, *refs) in itertools.groupby(merged, key=POSITION):
                self._at = (position, "?")
                if len(row) > 5:
                    self._event(row, {tuple(ref)[1:] for ref in refs})
                else:
                    self._expect(False, "event_ref", "names a position that has no event")
        except sqlite3.DatabaseError as error:
            self._expect(False, "*", f"is the last row that can be read: {error}")
        self._across()
        self._report.wrong = len(self._wrong)
        return self._report

    def _expect(self, holds: Any, column: str, rule: str) -> bool:
        if not holds:
            self._wrong.add(self._at[0])
            if len(self._report.findings) < LISTED_MAX:
                where = {"position": self._at[0], "event": ascii(self._at[1])[1:-1]}
                self._report.findings.append(where | {"column": column, "rule": rule})
        return bool(holds)

    def _event(self, row: sqlite3.Row, refs: set[tuple[Any, ...]]) -> None:
        """An event is judged by itself; if nothing is wrong, with its neighbours and its key."""
        self._report.events += 1
        stream, version, stored = row["originator_id"], row["originator_version"], row["event_hash"]
        self._at, hashes = (row["position"], f"{stream}@{version}"), {stored}
        try:
            state = parse_state(row["state"])
            head = state.head
            _, uuid = split_id(head["stream"])
            hashes.add(event_hash(state.stored, state.digest))
            if hashes == {stored}:
                stream, version = uuid, head["version"]
            if stream == uuid:
                self._at = (row["position"], f"{head['stream']}@{version}")
            hashed = self._expect(hashes == {stored}, "event_hash", "is not that of state")
            if self._columns(row, state) and hashed:
                self._neighbours(head, refs)
                if state.imported and head["topic"].startswith("memory."):
                    self._foreign.add(head["stream"])
                self._remember(head)
                if state.body:
                    self._payload(state)
                elif state.imported:
                    self._report.left_out += 1
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            self._expect(False, "state", f"has not the form of an event: {error}")
        self._order(row["position"], row["appended_at"])
        prev = tuple(digest.hex() for digest in hashes if isinstance(digest, bytes))
        self._tips[stream] = (version if type(version) is int else 0, prev)

    def _columns(self, row: sqlite3.Row, state: State) -> bool:
        """The columns say what the head says; the topic fits the stream.

        A body is there exactly when key and commitment are, unless an import left it out, and holds
        nonce, salt and tag at least.
        """
        head, body = state.head, state.body
        family, (prefix, uuid) = head["topic"].partition(".")[0], split_id(head["stream"])
        version, workspace = row["originator_version"], head["ctx"]["workspace"]
        part = None if family in WITHOUT_PART else zlib.crc32(workspace.encode()) % self.parts
        keyed = bool(body) or state.imported
        whole = keyed == (head["key"] is not None) == (head["commitment"] is not None)
        kept = (
            (prefix == PREFIXES.get(family), "state", "has a topic foreign to its stream"),
            (row["originator_id"] == uuid, "originator_id", "is not the stream in the head"),
            (repr(version) == repr(head["version"]), "originator_version", "is not in the head"),
            (row["topic"] == head["topic"], "topic", "is not the topic in the head"),
            (row["workspace"] == workspace, "workspace", "is not that in the head"),
            (repr(row["part"]) == repr(part), "part", f"is not {'NULL' if part is None else part}"),
            (whole, "state", "has one of body, key and commitment without the others"),
            (not body or len(body) >= 12 + 16 + 16, "state", "has a body that is too short"),
        )
        return all([self._expect(*rule) for rule in kept])  # noqa: C419 — every rule is told

    def _order(self, position: int, appended_at: Any) -> None:
        """Position increases; appended_at never decreases (one append has one time)."""
        self._expect(position > self._position, "position", "is not after the event before")
        later = type(appended_at) is int and appended_at >= self._appended_at
        self._expect(later, "appended_at", "is earlier than that of the event before")
        self._position, self._appended_at = position, appended_at if later else self._appended_at

    def _neighbours(self, head: dict[str, Any], refs: set[tuple[Any, ...]]) -> None:
        """Versions count from 1; prev = event_hash of version-1, null at version 1."""
        last, prev = self._tips.get(split_id(head["stream"])[1], (0, (None,)))
        follows = head["version"] == last + 1
        self._expect(follows, "originator_version", f"does not follow version {last}")
        linked = not follows or head["prev"] in prev
        self._expect(linked, "state", "has a prev that is not the hash of the version before")
        self._expect(refs == expected_refs(head), "event_ref", "has other rows than the head asks")

    def _payload(self, state: State) -> None:
        """A sealed event has a data key of its own; receipts and the like share the audit key."""
        head, key_id, topic = state.head, state.key, state.head["topic"]
        audited = bool({topic, topic.partition(".")[0]} & AUDITED)
        self._expect(audited or key_id not in self._keys_used, "state", "has another event's key")
        self._keys_used.add(key_id)
        row = self._keys and self._keys.execute(DATA_KEY, (key_id,)).fetchone()
        if row is None:
            self._report.not_decrypted += 1
            late = self._keys is None or self._at[0] > self._newest  # since the keys were read
            self._expect(late, "state", "has a key that is not in the key store")
            return
        sort = row["workspace"] == head["ctx"]["workspace"] and (row["state"] == "audit") == audited
        self._expect(sort, "state", "has a key of another workspace, or of the wrong sort")
        if row["state"] == "destroyed" and row["wrapped"] is None:
            self._report.erased += 1
            self._erased.append((self._at, head))
            return
        self._alive[head["stream"]] |= (topic != "memory.forgotten") << head["version"]
        workspace_key, slot_secret = self._workspace(head["ctx"]["workspace"])
        key = decrypt(workspace_key, row["wrapped"], str(key_id).encode())
        opened = decrypt(key, state.body, state.stored)
        self._report.decrypted += opened is not None
        self._report.not_decrypted += opened is None
        if self._expect(opened, "state", "does not open: changed bytes, or another master key"):
            self._opened(head, opened or b"", slot_secret)

    def _opened(self, head: dict[str, Any], opened: bytes, slot_secret: bytes) -> None:
        """Commitment = HMAC(salt16, payload); slot_ref = HMAC(slot secret, ["slot", NFC(slot)])."""
        committed = hmac.digest(opened[:16], opened[16:], "sha256").hex() == head["commitment"]
        self._expect(committed, "state", "has a commitment to another payload")
        payload = parse_canonical(opened[16:])
        if head["topic"] == "memory.remembered":
            slot = slot_of(payload)
            ref = slot and hmac.digest(slot_secret, canonical(["slot", slot]), "sha256").hex()
            self._expect(head["s"]["slot_ref"] == ref, "state", "has the slot_ref of another slot")

    def _remember(self, head: dict[str, Any]) -> None:
        """Note what the head says about other events, some of which stand later in the log."""
        s, targets = head["s"], head["s"].get("targets") or []
        ends = [(s[end], 1) for end in ("source_id", "target_id") if end in s]
        for stream, version in [*targets, *ends]:
            uuid = split_id(stream)[1]
            if head["stream"] not in self._foreign and not self._is_there(uuid, version):
                self._awaited.append((self._at, uuid, version))  # what is foreign may be inert
        if head["topic"].startswith("window."):  # each time that it was sent has its words
            self._windows.setdefault(head["stream"], []).extend(targets)
        step = s.get("mode") if head["topic"] == "erasure.step" else head["topic"][8:]
        if head["topic"].startswith("erasure."):
            follows = STEPS.index(step) == head["version"] - 1
            self._expect(follows, "state", "is not the step of an erasure that comes next")
            for stream, version in targets:
                covered = range(version if s["scope"] == "event" else 1, version + 1)
                self._erasures[step, head["ctx"]["workspace"], stream].append((self._at, covered))

    def _is_there(self, uuid: str, version: int) -> bool:
        return 1 <= version <= self._tips.get(uuid, (0, ()))[0]

    def _across(self) -> None:
        """What a head names is in the log, and a key is destroyed only where an erasure says so.

        An erasure covers a version, or all up to it (but not the reason given with a forget), and
        the recalls, proposals and rejections that named it, or a later version made from it.
        """
        for at, uuid, version in self._awaited:
            self._at, found = at, self._is_there(uuid, version)
            self._expect(found, "state", "names an event that is not in the log")
        for at, head in self._erased:
            self._at, topic, workspace = at, head["topic"], head["ctx"]["workspace"]
            said = topic in QUOTING
            pairs = head["s"].get("targets") if said else [(head["stream"], head["version"])]
            pairs = self._windows.get(head["stream"], pairs)
            asked = topic != "memory.forgotten" and any(
                version in span or (said and version > span.start)
                for stream, version in pairs or ()
                for _, span in self._erasures.get(("requested", workspace, stream), ())
            )
            self._expect(asked, "state", "false erasure: its key is destroyed, nobody asked for it")
        for (step, _, stream), steps in self._erasures.items():
            for self._at, span in steps:
                kept = step == "keys_destroyed" and any(self._alive[stream] >> v & 1 for v in span)
                late = self._at[0] > self._newest  # than the keys that were read
                self._expect(late or not kept, "state", "says that keys are destroyed; one is not")


EXPORT = "memoranda.export/1"
HEADER = {"format", "workspace", "session", "sanitized", "settings", "slot_secret", "position"}
MANIFEST = {"count", "later", "head", "structure_sha256", "export_sha256"}
ROW = {"n", "position", "appended_at", "structure", "commitment", "body_sha256", "hash"}
LATER = {"later"} | ROW - {"n", "hash"}
LINE_MAX = 64 * 2**20
ROW_LINE = "row {row}, {event}, member {column}: {rule}"
EXPORT_VERDICT = """{payloads} payloads there, {left_out} left out; \
{decisions} decisions recomputed, {not_recomputable} not recomputable, {inert} inert references
{events} events verified, {wrong} wrong"""


@dataclasses.dataclass(slots=True)
class ExportReport:
    """The verdict on an export; `notes` are what is odd and not wrong, the first 20 of them."""

    events: int = 0
    wrong: int = 0
    payloads: int = 0
    left_out: int = 0
    decisions: int = 0
    not_recomputable: int = 0
    inert: int = 0
    findings: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    notes: list[dict[str, Any]] = dataclasses.field(default_factory=list)


def micros(text: str) -> int:
    """An RFC 3339 timestamp with an offset and at most six digits, as µs since 1970 UTC."""
    at = datetime.datetime.fromisoformat(text.upper())
    return (at - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)) // datetime.timedelta(0, 0, 1)


@dataclasses.dataclass(slots=True)
class Grave:
    """A forget that is no expiry, and what it takes the text from."""

    name: str
    position: int
    mode: str
    scope: str
    session: str
    recorded: int
    versions: list[int] | None

    def covers(self, head: dict[str, Any]) -> bool:
        """A version of its memory; of scope `key`, what was recorded by then."""
        if self.session != head["s"]["session"]:
            return False
        if self.versions is not None:
            return head["version"] in self.versions
        return self.scope != "key" or micros(head["recorded_at"]) <= self.recorded

    def quoted(self, version: int, known: int) -> bool:
        """What was said of a version before the forget, or of one that was made from it."""
        made = self.versions is None or any(version >= one for one in self.versions)
        return known < self.position and made


def grave(head: dict[str, Any], position: int) -> Grave | None:
    """The grave that an event is, if it is one."""
    s = head["s"]
    if head["topic"] != "memory.forgotten" or s["mode"] == "expire":
        return None
    only = [version for _, version in s.get("targets") or ()] if s["scope"] == "event" else None
    at, name = micros(head["recorded_at"]), f"{head['stream']}@{head['version']}"
    return Grave(name, position, s["mode"], s["scope"], s["session"], at, only)


NEWEST, FOREVER = "newest-recorded/v1", 2**62
BY_TEXT = {"kinds", "tags", "epistemic_status", "min_confidence", "repo"}


@dataclasses.dataclass(slots=True)
class Said:
    """An event of a memory as the policy sees it: structure alone, and whether it brings text."""

    position: int
    version: int
    topic: str
    s: dict[str, Any]
    recorded: int
    text: bool


@dataclasses.dataclass(slots=True)
class Stated:
    """A version that says something: what it corrects, its slot, its bounds, own or inherited."""

    version: int
    target: int | None
    slot: str | None
    recorded: int
    bounds: dict[str, int]
    rooted: bool
    inert: bool


class Lineage:
    """One memory at a basis, after `newest-recorded/v1`: a second writing of the policy."""

    def __init__(self, stream: str, events: list[Said], position: int) -> None:
        self.stream, known = stream, [one for one in events if one.position <= position]
        self.root = next((one for one in known if one.topic == "memory.remembered"), None)
        own = [one for one in known if self.root and one.s["session"] == self.root.s["session"]]
        self._events = sorted(own, key=lambda one: one is not self.root)
        self._stated: dict[int, Stated] = {}
        left = {one.version: one for one in self._events if one is self.root or self._says(one)}
        said = sorted(left)
        targets = {one: self._target(event, said) for one, event in left.items()}
        while left:  # a correction may come before what it corrects
            for one in [one for one in left if targets[one] not in left] or list(left):
                self._state(left.pop(one), targets[one])

    def _says(self, event: Said) -> bool:
        """Whether it is a correction: an expiry alone says nothing new."""
        expiry = "expires_at" in event.s or event.s.get("lifecycle") == "expired"
        more = event.text or {"valid_from", "valid_until"} & set(event.s) or not expiry
        return event.topic == "memory.revised" or (event.topic == "memory.updated" and bool(more))

    def _target(self, event: Said, said: list[int]) -> int:
        """What it corrects: what it names in this memory, else what was said last before it."""
        if event is not self.root and event.s.get("targets"):
            stream, version = event.s["targets"][0]
            return int(version) if stream == self.stream else 0
        before = (one for one in said if one < event.version and event is not self.root)
        return max(before, default=0)

    def _state(self, event: Said, target: int) -> None:
        """A correction inherits the bounds that it does not name, and null opens."""
        above = self._stated.get(target)
        bounds = dict(above.bounds) if above else {}
        for name, opened in (("valid_from", event.recorded), ("valid_until", FOREVER)):
            at = event.s.get(name)
            if name in event.s or not above:
                bounds[name] = opened if at is None else micros(at)
        slot = event.s.get("slot_ref")
        rooted = event is self.root or bool(above and above.rooted)
        inert = bool(above and (above.inert or above.slot != slot))
        said = (event.version, target, slot, event.recorded, bounds, rooted, inert)
        self._stated[event.version] = Stated(*said)

    def _dead(self, stated: Stated) -> bool:
        """Deleted for good, whatever the instant: the lineage, one version, or all of the slot."""
        for one in self._events:
            if one.topic == "memory.forgotten" and one.s["mode"] != "expire":
                scope = one.s["scope"]
                named = [v for stream, v in one.s.get("targets") or () if stream == self.stream]
                late = stated.recorded > one.recorded or stated.slot != one.s.get("slot_ref")
                if stated.version in named if scope == "event" else scope != "key" or not late:
                    return True
        return False

    def _retention(self) -> tuple[str, int]:
        """The lifecycle by version; the bound that was recorded last, or the first `expired`."""
        lifecycle, expires, expired, newest = "active", FOREVER, FOREVER, (0, "")
        for one in self._events:
            stated = self._stated.get(one.version)
            if stated and (stated.inert or not stated.rooted):
                continue
            now = "expired" if one.s.get("mode") == "expire" else one.s.get("lifecycle")
            now = None if one.s.get("target_id") == self.stream else now  # never behind itself
            said = one.recorded, f"{self.stream}@{one.version}"
            late = said < newest
            if now and not (late and lifecycle == "expired" and one.topic == "memory.revised"):
                expired = min(expired, one.recorded) if now == "expired" else FOREVER
                lifecycle = now
            if "expires_at" in one.s and one.s.get("mode", "expire") == "expire" and not late:
                at, newest = one.s["expires_at"], newest if one is self.root else said
                expires = FOREVER if at is None else micros(at)
        return lifecycle, min(expires, expired)

    def eligible(self, as_of: int) -> list[Stated]:
        """The versions that may answer at an instant: one, or the ends of a fork."""
        lifecycle, expires = self._retention()
        if lifecycle not in ("active", "expired"):
            return []
        rooted = [one for one in self._stated.values() if one.rooted and not one.inert]
        corrected = {one.target for one in rooted}
        return [
            one
            for one in rooted
            if one.version not in corrected
            and not self._dead(one)
            and one.bounds["valid_from"] <= as_of < min(one.bounds["valid_until"], expires)
        ]


class ExportVerifier:
    """Reads the file twice: for its graves and its hash, then row by row."""

    def __init__(self, path: Path) -> None:
        self._path, self._report, self._wrong = path, ExportReport(), set[Any]()
        self._header: dict[str, Any] = {}
        self._manifest: dict[str, Any] = {}
        self._graves: Any = collections.defaultdict(list)  # by memory
        self._at: tuple[Any, str] = ("header", "?")
        self._n, self._position, self._appended, self._later, self._end = 0, 0, 0, 0, 0
        self._chain, self._structure = bytes(32), hashlib.sha256()
        self._tips: dict[str, tuple[int, str]] = {}  # by stream: last version, its hash
        self._refs: dict[str, Any] = {}  # by memory: slot_ref and session of its first event
        self._named: list[tuple[tuple[Any, str], str, str, int]] = []
        self._said: Any = collections.defaultdict(list)  # by memory
        self._slots: Any = collections.defaultdict(set)  # by slot_ref: memories
        self._decided: list[tuple[tuple[Any, str], dict[str, Any], dict[str, Any]]] = []

    def run(self) -> ExportReport:
        """Raises OSError, and ValueError for a file that is no export of this format."""
        digest, last, number = hashlib.sha256(), b"", 0
        for number, line in enumerate(self._lines()):
            if number == 0:
                self._read_header(line)
            digest.update(last)
            last = line
            if b'"memory.forgotten"' in line:
                with contextlib.suppress(ValueError, LookupError, TypeError, AttributeError):
                    self._bury(parse_canonical(line[:-1]))
        self._read_manifest(last, digest.hexdigest())
        for at, line in enumerate(itertools.islice(self._lines(), 1, number), 1):
            self._line(at, line)
        self._close()
        self._report.wrong = len(self._wrong)
        return self._report

    def _lines(self) -> Iterator[bytes]:
        with self._path.open("rb") as file:
            while line := file.readline(LINE_MAX + 1):
                if len(line) > LINE_MAX:
                    raise ValueError(f"a line is longer than {LINE_MAX} bytes")
                yield line

    def _expect(self, holds: Any, column: str, rule: str) -> bool:
        if not holds:
            self._wrong.add(self._at[0])
            if len(self._report.findings) < LISTED_MAX:
                self._report.findings.append(self._where(column, rule))
        return bool(holds)

    def _where(self, column: str, rule: str) -> dict[str, Any]:
        where = {"row": self._at[0], "event": ascii(self._at[1])[1:-1]}
        return where | {"column": column, "rule": rule}

    def _note(self, column: str, rule: str) -> None:
        self._report.inert += 1
        if len(self._report.notes) < LISTED_MAX:
            self._report.notes.append(self._where(column, rule))

    def _read_header(self, line: bytes) -> None:
        with contextlib.suppress(ValueError):
            self._header = parse_canonical(line[:-1])
        if self._header.get("format") != EXPORT:
            raise ValueError(f"is no export of the format {EXPORT}")
        said, fits = self._header, False
        with contextlib.suppress(ValueError, LookupError, TypeError):
            names = isinstance(said["workspace"], str) and isinstance(said["session"] or "", str)
            known = said["settings"]["session_isolation"] in ("label", "strict")
            secret = said["slot_secret"] is None or len(bytes.fromhex(said["slot_secret"])) == 32
            fits = names and known and secret and isinstance(said["sanitized"], bool)
        fits = fits and set(said) == HEADER
        self._expect(fits, "header", "has other members than a header, or of other forms")

    def _read_manifest(self, line: bytes, digest: str) -> None:
        """The last line; without one the file was cut off."""
        self._at = ("manifest", "?")
        with contextlib.suppress(ValueError, LookupError, TypeError):
            self._manifest = dict(parse_canonical(line[:-1])["manifest"])
        whole = line.endswith(b"\n") and set(self._manifest) == MANIFEST
        self._expect(whole, "manifest", "is not at the end of the file")
        said = self._manifest.get("export_sha256")
        self._expect(not whole or said == digest, "export_sha256", "is not that of the file")

    def _bury(self, row: dict[str, Any]) -> None:
        head = row["structure"] | {"commitment": row["commitment"]}
        found = grave(check_head(head), row["position"])
        if found is not None:
            self._graves[head["stream"]].append(found)

    def _line(self, number: int, line: bytes) -> None:
        self._at = (number, "?")
        try:
            row = parse_canonical(line[:-1])
            head = check_head(row["structure"] | {"commitment": row["commitment"]})
            told = number if type(row.get("n", 0)) is not int else row.get("n", "later")
            self._at = (told, f"{head['stream']}@{head['version']}")
            if self._members(row, head):
                self._placed(row, head)
                if "n" in row:
                    self._row(row, head)
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
            self._expect(False, "*", f"has not the form of a row: {error}")

    def _members(self, row: dict[str, Any], head: dict[str, Any]) -> bool:
        """A row has its members; the topic fits the stream, the workspace is that of the header."""
        live, gone = {"payload", "salt"} <= set(row), "erased_by" in row
        more = set(row) - {"payload", "salt", "erased_by"}
        forms = ROW if "n" in row else LATER
        family, (prefix, _) = head["topic"].partition(".")[0], split_id(head["stream"])
        keyed = (head["key"] is not None) == (head["commitment"] is not None)
        here = head["ctx"]["workspace"] == self._header["workspace"]
        kept = (
            (more == forms, "*", "has other members than a row"),
            (prefix == PREFIXES.get(family), "structure", "has a topic foreign to its stream"),
            (here, "structure", "is of another workspace than the header says"),
            (keyed, "structure", "has one of key and commitment without the other"),
            (not (live or gone) or "n" in row, "payload", "stands beside a later forget"),
            (not live or head["key"] is not None, "payload", "is there, and the event has none"),
        )
        return all([self._expect(*rule) for rule in kept])  # noqa: C419 — every rule is told

    def _placed(self, row: dict[str, Any], head: dict[str, Any]) -> None:
        """Positions increase, times of append never decrease; later forgets stand behind."""
        at = micros(row["appended_at"])
        self._expect(row["position"] > self._position, "position", "is not after the row before")
        self._expect(at >= self._appended, "appended_at", "is earlier than that of the row before")
        self._position, self._appended = row["position"], max(at, self._appended)
        if "n" in row:
            self._expect(not self._later, "n", "stands behind a later forget")
        else:
            self._later += 1
            self._expect(grave(head, row["position"]), "structure", "is no forget")
            last, prev = self._tips.get(head["stream"], (0, None))
            follows = head["version"] > last + (head["prev"] != prev)
            self._expect(follows, "structure", "does not follow the last version of its memory")

    def _row(self, row: dict[str, Any], head: dict[str, Any]) -> None:
        """The chain over rows, the chain of the stream, the payload, what the head names."""
        self._report.events += 1
        self._expect(row["n"] == self._n + 1, "n", f"does not follow row {self._n}")
        stored, self._n, self._end = canonical(head), row["n"], row["position"]
        self._structure.update(stored + b"\n")
        digest = event_hash(stored, bytes.fromhex(row["body_sha256"]))
        placed = row["position"].to_bytes(8, "big") + self._appended.to_bytes(8, "big", signed=True)
        leaf = hashlib.sha256(b"\x00" + placed + digest).digest()
        chained = b"\x01" + row["n"].to_bytes(8, "big") + self._chain + leaf
        right = hashlib.sha256(chained).hexdigest() == row["hash"]
        self._expect(right, "hash", "is not that of the row and of the one before it")
        self._chain = bytes.fromhex(row["hash"])
        last, prev = self._tips.get(head["stream"], (0, None))
        self._expect(head["version"] == last + 1, "structure", f"does not follow version {last}")
        linked = head["version"] != last + 1 or head["prev"] == prev
        self._expect(linked, "structure", "has a prev that is not the hash of the version before")
        self._tips[head["stream"]] = (head["version"], digest.hex())
        if head["key"] is not None:
            self._payload(row, head)
        self._names(head)
        if head["topic"].startswith("memory."):
            text = bool(row.get("payload", {"erased": True})) if head["key"] else False
            at = micros(head["recorded_at"])
            said = Said(row["position"], head["version"], head["topic"], head["s"], at, text)
            self._said[head["stream"]].append(said)
            self._slots[head["s"].get("slot_ref")].add(head["stream"])
        if head["topic"] == "recall.recorded" and head["s"]["counts"]["items"]:
            self._decided.append((self._at, head, row.get("payload") or {}))

    def _payload(self, row: dict[str, Any], head: dict[str, Any]) -> None:
        """There unless a forget covers the event, and then what was committed to."""
        by, live = self._covering(row, head), "payload" in row
        if live:
            self._report.payloads += 1
            salt, payload = bytes.fromhex(row["salt"]), canonical(row["payload"])
            committed = hmac.digest(salt, payload, "sha256").hex() == head["commitment"]
            self._expect(committed, "payload", "is not the one committed to")
            self._expect(not by, "payload", "is there, and a forget covers the event")
            self._slot(row["payload"], head)
        else:
            self._report.left_out += 1
            told = row.get("erased_by")
            self._expect(told, "payload", "is withheld: it is missing, and no forget is named")
            covered = not told or told in by
            self._expect(covered, "erased_by", "false erasure: no such forget covers the event")

    def _covering(self, row: dict[str, Any], head: dict[str, Any]) -> set[str]:
        """The forgets, re-derived from structure, that leave no payload of an event.

        Those that only hide count where the export is sanitized and the payload says anything;
        it then also lacks the reasons given with a forget and relationships of what was forgotten.
        """
        s, family = head["s"], head["topic"].partition(".")[0]
        hidden = self._header["sanitized"] and row.get("payload") != {}
        name, targets = f"{head['stream']}@{head['version']}", s.get("targets") or []
        known = (s.get("counts") or {}).get("position", row["position"])
        if head["topic"] == "memory.forgotten":
            found = self._graves.get(head["stream"], ())
            return {one.name for one in found if hidden and (one.name == name or one.covers(head))}
        if family == "memory":
            found = [one for one in self._graves.get(head["stream"], ()) if one.covers(head)]
        elif family == "relationship":
            ends = (s["source_id"], s["target_id"]) if hidden else ()
            buried = (one for end in ends for one in self._graves.get(end, ()))
            found = [one for one in buried if one.versions is None]
        else:
            quoting = head["topic"] in QUOTING
            found = [
                one
                for stream, version in (targets if quoting else ())
                for one in self._graves.get(stream, ())
                if one.quoted(version, known)
            ]
        return {one.name for one in found if hidden or one.mode == "application_delete"}

    def _slot(self, payload: dict[str, Any], head: dict[str, Any]) -> None:
        """slot_ref = HMAC(slot secret, ["slot", NFC(slot)]), where the header has the secret."""
        secret = self._header["slot_secret"]
        if head["topic"] == "memory.remembered" and secret is not None:
            slot = slot_of(payload)
            ref = (
                slot
                and hmac.digest(bytes.fromhex(secret), canonical(["slot", slot]), "sha256").hex()
            )
            self._expect(head["s"]["slot_ref"] == ref, "structure", "has another slot's slot_ref")

    def _names(self, head: dict[str, Any]) -> None:
        """What a head names is in the file; what a memory corrects is of its session and slot."""
        s, family = head["s"], head["topic"].partition(".")[0]
        first = self._refs.setdefault(head["stream"], (s.get("session"), s.get("slot_ref")))
        own = self._header["session"] in (None, first[0])
        self._expect(own, "structure", "is of another session than the header says")
        if family == "memory":
            if s["session"] != first[0]:
                self._note("structure", "is of another session than its target: inert")
            elif s.get("slot_ref") != first[1]:
                self._note("structure", "is of another slot than its target: inert")
        ends = [(s[end], 1) for end in ("source_id", "target_id") if end in s]
        for stream, version in [*(s.get("targets") or ()), *ends]:
            if self._tips.get(stream, (0, ""))[0] < version:
                self._named.append((self._at, family, stream, version))

    def _decision(self, head: dict[str, Any], payload: dict[str, Any]) -> None:
        """What was given is eligible at its basis, and wins its slot there.

        The order of an answer over text is not recomputed, nor what was left out by its words. Of
        a decision whose question is gone, or that looked at text to filter, nothing is.
        """
        filters, counts = payload.get("filters", {}), head["s"]["counts"]
        if not payload or payload["basis"]["policy"] != NEWEST:
            self._report.not_recomputable += not payload
            return
        if BY_TEXT & set(filters):
            self._report.not_recomputable += 1
            return
        self._report.decisions += 1
        for stream, version in head["s"]["targets"][: counts["items"]]:
            said = self._said.get(stream, [])
            lineage = Lineage(stream, said, counts["position"])
            own = [one for one in lineage.eligible(counts["as_of_us"]) if self._open(head, lineage)]
            known = [one.version for one in said if one.position <= counts["position"]]
            last = max(known, default=0)
            rule = f"gave {stream}@{version}, which is no answer at its basis"
            if self._expect(own and version == last, "structure", rule):
                winner = self._winner(head, filters, own[0].slot)
                rule = f"gave {stream}, whose slot {winner} wins at its basis"
                self._expect(winner in (None, stream), "structure", rule)

    def _open(self, head: dict[str, Any], lineage: Lineage) -> bool:
        """Whether who asked may see a memory."""
        ctx, s = head["ctx"], lineage.root.s if lineage.root else {}
        strict = self._header["settings"]["session_isolation"] == "strict"
        mine = s.get("visibility") == "workspace" or s.get("owner") == ctx["actor"]
        return mine and (not strict or s.get("session") == ctx["session"])

    def _winner(self, head: dict[str, Any], filters: dict[str, Any], slot: Any) -> str | None:
        """The memory that wins a slot at the basis of a recall; None of what has no slot.

        Larger wins: (recorded_at and valid_from, id of the root, own recorded_at, own version), of
        which the first is that of the root.
        """
        counts, ranked = head["s"]["counts"], []
        for stream in self._slots[slot] if slot is not None else ():
            lineage = Lineage(stream, self._said[stream], counts["position"])
            within = lineage.root and filters.get("session_id") in (None, lineage.root.s["session"])
            if lineage.root and within and self._open(head, lineage):
                for one in lineage.eligible(counts["as_of_us"]):
                    began = lineage.root.recorded, one.bounds["valid_from"]
                    ranked.append((*began, stream, one.recorded, one.version))
        return max(ranked)[2] if ranked else None

    def _close(self) -> None:
        """What can be judged only when all was read; the manifest."""
        for at, head, payload in self._decided:
            self._at = at
            try:
                self._decision(head, payload)
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                self._expect(False, "payload", f"has not the form of a decision: {error}")
        for at, family, stream, version in self._named:
            self._at = at
            if self._tips.get(stream, (0, ""))[0] < version:
                if family == "memory":
                    self._note("structure", "names an event that is not in the file: inert")
                else:
                    self._expect(False, "structure", "names an event that is not in the file")
        said = self._manifest
        self._at = ("manifest", "?")
        if set(said) == MANIFEST:
            kept = (
                ("structure_sha256", self._structure.hexdigest()),
                ("count", self._report.events),
                ("later", self._later),
                ("head", self._chain.hex()),
            )
            for member, found in kept:
                self._expect(said[member] == found, member, "is not that of the rows")
        self._at = ("header", "?")
        self._expect(self._header.get("position") == self._end, "position", "is not the last row's")


def verify_export(path: Path) -> ExportReport:
    """Check an export. Raises OSError, and ValueError for a file that is none."""
    return ExportVerifier(path).run()


@contextlib.contextmanager
def snapshot(path: Path) -> Iterator[sqlite3.Connection]:
    """One consistent view of a database. Nothing is written, not even SQLite's files beside it.

    Those it would make for a WAL database that nobody has open. So one without WAL is opened as
    immutable, and one whose WAL has no index beside it is copied elsewhere first.
    """
    path = path.resolve(strict=True)
    wal, index = (path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
    with contextlib.ExitStack() as stack:
        if wal.exists() and not index.exists():
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            _, path = (Path(shutil.copy(file, folder)) for file in (wal, path))
        uri = f"{path.as_uri()}?mode=ro{'' if wal.exists() else '&immutable=1'}"
        connection = sqlite3.connect(uri, uri=True, isolation_level=None)
        stack.callback(connection.close)
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield connection


def verify(log_db: Path, keys_db: Path | None = None, master: bytes = b"") -> Report:
    """Check a store, in use or not. Raises OSError, sqlite3.Error, ValueError if it is none."""
    with contextlib.ExitStack() as stack:
        keys, newest = None, 0
        if keys_db is not None:
            with snapshot(log_db) as log:
                newest = log.execute("SELECT max(position) FROM event").fetchone()[0] or 0
            keys = stack.enter_context(snapshot(keys_db))
            keys.execute(DATA_KEY, ("",))
        log = stack.enter_context(snapshot(log_db))
        if [row[0] for row in log.execute("SELECT version FROM store_format")] != [FORMAT]:
            raise ValueError(f"this verifier reads format {FORMAT}, the store has another one")
        return Verifier(log, keys, master, newest).run()


def is_export(path: Path) -> bool:
    """Whether a file begins as a line of JSON does; a database does not."""
    with path.open("rb") as file:
        return file.read(1) == b"{"


def tell_export(report: ExportReport, *, as_json: bool) -> int:
    """Print the verdict on an export; the exit status."""
    told = dataclasses.asdict(report)
    lines = [ROW_LINE.format(**one) for one in [*report.findings, *report.notes]]
    text = "\n".join([*lines, EXPORT_VERDICT.format(**told)])
    print(json.dumps(told, indent=2) if as_json else text)
    return 1 if report.wrong else 0


def main() -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(description="Verify a store or an export of Memoranda.")
    parser.add_argument("log_db", type=Path, metavar="FILE", help="log.db, or an export; only read")
    parser.add_argument("--keys", type=Path, metavar="KEYS_DB", help="the key store")
    parser.add_argument("--master-key", type=Path, metavar="FILE", help="32 bytes in hexadecimal")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    given = parser.parse_args()
    if (given.keys is None) != (given.master_key is None):
        parser.error("--keys and --master-key are given together")
    try:
        if is_export(given.log_db):
            return tell_export(verify_export(given.log_db), as_json=given.json)
        master = bytes.fromhex(given.master_key.read_text("ascii")) if given.master_key else b""
        report = verify(given.log_db, given.keys, master)
    except (OSError, sqlite3.Error, ValueError, ImportError) as error:
        print(f"verify.py: this could not be checked: {error}", file=sys.stderr)
        return 2
    told = dataclasses.asdict(report)
    lines = [*(LINE.format(**finding) for finding in report.findings), VERDICT.format(**told)]
    print(json.dumps(told, indent=2) if given.json else "\n".join(lines))
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
