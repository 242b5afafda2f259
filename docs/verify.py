#!/usr/bin/env python3
"""Verify a store of Memoranda without the software that wrote it (see verify.py --help).

One file, Python 3.11 or newer, standard library only (with --keys also `cryptography`). Nothing is
written. Exit status: 0 nothing wrong, 1 something wrong, 2 the check could not be made. The format:

    state      = "MEM1" ‖ u32be len(head) ‖ head ‖ body
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
VERDICT = """{decrypted} payloads decrypted, {erased} erased, {not_decrypted} not decrypted
{events} events verified, {wrong} wrong"""
PREFIXES = {
    "memory": "mem", "relationship": "rel", "identity": "guard", "consolidation": "prop",
    "command": "receipt", "recall": "recall", "erasure": "erasure", "key": "system",
    "stream": "system", "workspace": "system",
}  # fmt: skip
STEPS = (
    "requested keys_destroyed views_cleared caches_cleared questions_destroyed completed".split()  # noqa: SIM905
)
WITHOUT_PART = {"identity", "command", "recall"}
AUDITED = {"command", "consolidation.applied", "erasure.completed", "key", "stream", "workspace"}
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


def parse_state(state: Any) -> tuple[dict[str, Any], bytes, bytes]:
    """State = "MEM1" ‖ u32be len(head) ‖ head ‖ body: the head as JSON and as stored, the body.

    Heads have no other members than these: what erasure must reach stands in the payload.
    """
    end = 8 + int.from_bytes(state[4:8], "big")
    if state[:4] != b"MEM1" or len(state) < end:
        raise ValueError("does not begin with MEM1 and a head of the length given")
    head = parse_canonical(state[8:end])
    if set(head) != HEAD or set(head["ctx"]) != CTX or not set(head["s"]) <= STRUCTURE:
        raise ValueError("has a head with other members than those of an event")
    return head, state[8:end], state[end:]


def event_hash(head: bytes, body: bytes) -> bytes:
    """SHA-256("memoranda.event.v1\\n" ‖ SHA-256(head) ‖ SHA-256(body)), over bytes as stored."""
    parts = hashlib.sha256(head).digest() + hashlib.sha256(body).digest()
    return hashlib.sha256(b"memoranda.event.v1\n" + parts).digest()


def expected_refs(head: dict[str, Any]) -> set[tuple[Any, ...]]:
    """The event_ref of an event follows from its head: endpoint, correlation, slot, supersedes."""
    ctx, s = head["ctx"], head["s"]
    slot = [("slot", s["slot_ref"])] if s.get("slot_ref") is not None else []
    refs = {
        "command.recorded": [("correlation", ctx["correlation"])],
        "memory.forgotten": slot if s.get("scope") == "key" else [],
        "memory.remembered": slot,
        "memory.superseded": [("supersedes", s.get("target_id"))],
        "relationship.related": [("endpoint", s.get(f"{end}_id")) for end in ("source", "target")],
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
    """Master key → workspace key → root secret; slot secret = HKDF(root, "memoranda.slots.v1")."""
    select = "SELECT wrapped_key, wrapped_root FROM workspace_key WHERE workspace = ?"
    row = keys.execute(select, (name,)).fetchone() or (None, None)
    key = decrypt(master, row[0], name.encode())
    root = decrypt(key, row[1], name.encode()) or b""
    extracted = hmac.digest(bytes(32), root, "sha256")
    return key, hmac.digest(extracted, b"memoranda.slots.v1\x01", "sha256")


class Verifier:
    """Reads the log once, in order of position, and remembers the tip of every stream."""

    def __init__(self, log: sqlite3.Connection, keys: Any, master: bytes, newest: int) -> None:
        self._log, self._keys, self._newest, self.parts = log, keys, newest, 1
        self._workspace = functools.cache(lambda name: unwrap_workspace(keys, master, name))
        self._report, self._wrong, self._at = Report(), set[int](), (0, "?")
        self._position, self._appended_at, self._keys_used = 0, -(2**63), set[str]()
        self._tips: dict[Any, tuple[int, Any]] = {}  # by stream: last version, its hash
        self._awaited: list[tuple[tuple[int, str], str, int]] = []
        self._erased: list[tuple[tuple[int, str], dict[str, Any]]] = []
        self._erasures: Any = collections.defaultdict(list)  # by step, workspace, memory
        self._alive: Any = collections.defaultdict(int)  # by stream, a bit for each version

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
            head, head_bytes, body = parse_state(row["state"])
            _, uuid = split_id(head["stream"])
            hashes.add(event_hash(head_bytes, body))
            if hashes == {stored}:
                stream, version = uuid, head["version"]
            if stream == uuid:
                self._at = (row["position"], f"{head['stream']}@{version}")
            hashed = self._expect(hashes == {stored}, "event_hash", "is not that of state")
            if self._columns(row, head, body) and hashed:
                self._neighbours(head, refs)
                self._remember(head)
                if body:
                    self._payload(head, head_bytes, body)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            self._expect(False, "state", f"has not the form of an event: {error}")
        self._order(row["position"], row["appended_at"])
        prev = tuple(digest.hex() for digest in hashes if isinstance(digest, bytes))
        self._tips[stream] = (version if type(version) is int else 0, prev)

    def _columns(self, row: sqlite3.Row, head: dict[str, Any], body: bytes) -> bool:
        """The columns say what the head says; the topic fits the stream.

        A body is there exactly when key and commitment are, and holds nonce, salt and tag at least.
        """
        family, (prefix, uuid) = head["topic"].partition(".")[0], split_id(head["stream"])
        version, workspace = row["originator_version"], head["ctx"]["workspace"]
        part = None if family in WITHOUT_PART else zlib.crc32(workspace.encode()) % self.parts
        whole = bool(body) == (head["key"] is not None) == (head["commitment"] is not None)
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

    def _payload(self, head: dict[str, Any], head_bytes: bytes, body: bytes) -> None:
        """A sealed event has a data key of its own; receipts and the like share the audit key."""
        key_id, topic = head["key"], head["topic"]
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
        opened = decrypt(decrypt(workspace_key, row["wrapped"], key_id.encode()), body, head_bytes)
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
            if not self._is_there(uuid, version):
                self._awaited.append((self._at, uuid, version))
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
        the recalls and proposals that named what it erases, or a later version made from it.
        """
        for at, uuid, version in self._awaited:
            self._at, found = at, self._is_there(uuid, version)
            self._expect(found, "state", "names an event that is not in the log")
        for at, head in self._erased:
            self._at, topic, workspace = at, head["topic"], head["ctx"]["workspace"]
            said = topic in ("recall.recorded", "consolidation.proposed")
            pairs = head["s"].get("targets") if said else [(head["stream"], head["version"])]
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


def main() -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(description="Verify a store of Memoranda, row by row.")
    parser.add_argument("log_db", type=Path, metavar="LOG_DB", help="the log; it is only read")
    parser.add_argument("--keys", type=Path, metavar="KEYS_DB", help="the key store")
    parser.add_argument("--master-key", type=Path, metavar="FILE", help="32 bytes in hexadecimal")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    given = parser.parse_args()
    if (given.keys is None) != (given.master_key is None):
        parser.error("--keys and --master-key are given together")
    try:
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
