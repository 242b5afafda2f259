"""A second writer of the stored format, made from its description and nothing of the product.

What it writes and `docs/verify.py` accepts is the format as it is described; what the product
writes is held against the same program in test_stores_of_the_product.py.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import random
import sqlite3
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
UNPARTED = ("receipt_", "recall_", "guard_")

LOG_SCHEMA = """
CREATE TABLE event (
  position INTEGER PRIMARY KEY AUTOINCREMENT, originator_id TEXT NOT NULL,
  originator_version INTEGER NOT NULL, topic TEXT NOT NULL, state BLOB NOT NULL,
  event_hash BLOB NOT NULL, workspace TEXT NOT NULL, part INTEGER, appended_at INTEGER NOT NULL,
  UNIQUE (originator_id, originator_version));
CREATE TABLE event_ref (
  workspace TEXT, kind TEXT, ref TEXT, stream TEXT, position INTEGER,
  PRIMARY KEY (workspace, kind, ref, position, stream)) WITHOUT ROWID;
CREATE TRIGGER event_u BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'no'); END;
CREATE TRIGGER event_d BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'no'); END;
CREATE TRIGGER event_ref_u BEFORE UPDATE ON event_ref BEGIN SELECT RAISE(ABORT, 'no'); END;
CREATE TRIGGER event_ref_d BEFORE DELETE ON event_ref BEGIN SELECT RAISE(ABORT, 'no'); END;
CREATE TABLE store_format (version INTEGER NOT NULL);
INSERT INTO store_format VALUES (1);
"""
KEYS_SCHEMA = """
CREATE TABLE workspace_key (
  workspace TEXT PRIMARY KEY, wrapped_key BLOB, wrapped_root BLOB, audit_key_id TEXT);
CREATE TABLE data_key (key_id TEXT PRIMARY KEY, workspace TEXT, wrapped BLOB, state TEXT);
"""


def canonical(value: object) -> bytes:
    text = json.dumps(
        value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    return text.encode()


def base32(data: bytes) -> str:
    """26 digits of five bits each; the first holds the two that are left over."""
    bits = f"{int.from_bytes(data, 'big'):0130b}"
    return "".join(CROCKFORD[int(bits[at : at + 5], 2)] for at in range(0, 130, 5))


def hex_of(stream: str) -> str:
    """The originator_id of a public id."""
    bits = "".join(f"{CROCKFORD.index(digit):05b}" for digit in stream[-26:])
    return f"{int(bits, 2):032x}"


def hash_of(head: bytes, body: bytes) -> bytes:
    inner = hashlib.sha256(head).digest() + hashlib.sha256(body).digest()
    return hashlib.sha256(b"memoranda.event.v1\n" + inner).digest()


def state_of(head: bytes, body: bytes) -> bytes:
    return b"MEM1" + len(head).to_bytes(4, "big") + head + body


def connected(path: Path, schema: str) -> sqlite3.Connection:
    """A new database as a store has it, but quick: no test asks for the power to fail."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript(schema)
    return connection


@dataclass(frozen=True)
class Secrets:
    key: bytes
    slots: bytes
    audit: str


@dataclass(frozen=True)
class Written:
    """One event as it was written."""

    position: int
    stream: str
    version: int
    key: str | None

    @property
    def name(self) -> str:
        return f"{self.stream}@{self.version}"


@dataclass
class Writer:
    """One store. `bad` changes what is about to be stored, for stores that are wrong inside."""

    folder: Path
    dice: random.Random = field(default_factory=lambda: random.Random(7))
    clock: int = 1_790_000_000_000_000

    def __post_init__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.master = self.dice.randbytes(32)
        self.master_file.write_text(self.master.hex() + "\n", encoding="ascii")
        self.log = connected(self.log_db, LOG_SCHEMA)
        self.keys = connected(self.keys_db, KEYS_SCHEMA)
        self.workspaces: dict[str, Secrets] = {}
        self.tips: dict[str, tuple[int, str | None]] = {}
        self.written: list[Written] = []

    log_db = property(lambda self: self.folder / "log.db")
    keys_db = property(lambda self: self.folder / "keys.db")
    master_file = property(lambda self: self.folder / "master.key")

    def close(self):
        self.log.close()
        self.keys.close()

    def new_id(self, prefix: str) -> str:
        self.clock += 1000
        data = (self.clock // 1000).to_bytes(6, "big") + self.dice.randbytes(10)
        number = int.from_bytes(data, "big") & ~(0xF << 76) & ~(0x3 << 62) | 7 << 76 | 2 << 62
        return prefix + base32(uuid.UUID(int=number).bytes)

    def _wrap(self, parent: bytes, key: bytes, name: str) -> bytes:
        nonce = self.dice.randbytes(12)
        return nonce + AESGCM(parent).encrypt(nonce, key, name.encode())

    def secrets(self, workspace: str) -> Secrets:
        if workspace not in self.workspaces:
            key, root = self.dice.randbytes(32), self.dice.randbytes(32)
            wrapped = self._wrap(self.master, key, workspace), self._wrap(key, root, workspace)
            slots = HKDF(SHA256(), 32, salt=None, info=b"memoranda.slots.v1").derive(root)
            self.workspaces[workspace] = Secrets(key, slots, audit=self.new_id("key_"))
            audit = self.workspaces[workspace].audit
            self.keys.execute(
                "INSERT INTO workspace_key VALUES (?, ?, ?, ?)", (workspace, *wrapped, audit)
            )
            self._store_key(audit, workspace, "audit")
        return self.workspaces[workspace]

    def _store_key(self, key_id: str, workspace: str, state: str) -> bytes:
        key = self.dice.randbytes(32)
        wrapped = self._wrap(self.workspaces[workspace].key, key, key_id)
        self.keys.execute(
            "INSERT INTO data_key VALUES (?, ?, ?, ?)", (key_id, workspace, wrapped, state)
        )
        return key

    def open_key(self, workspace: str, key_id: str) -> bytes:
        """A data key as it is stored."""
        (wrapped,) = self.keys.execute(
            "SELECT wrapped FROM data_key WHERE key_id = ?", (key_id,)
        ).fetchone()
        parent = self.secrets(workspace).key
        return AESGCM(parent).decrypt(wrapped[:12], wrapped[12:], key_id.encode())

    def destroy(self, key_id: str | None):
        self.keys.execute(
            "UPDATE data_key SET wrapped = NULL, state = 'destroyed' WHERE key_id = ?", (key_id,)
        )

    def slot_ref(self, workspace: str, slot: str) -> str:
        said = canonical(["slot", slot])
        return hmac.new(self.secrets(workspace).slots, said, hashlib.sha256).hexdigest()

    def append(
        self,
        stream: str,
        topic: str,
        s: dict[str, Any],
        payload: dict[str, Any] | None = None,
        *,
        workspace: str = "harbour",
        audit: bool = False,
        refs: tuple[tuple[str, str], ...] = (),
        correlation: str = "req-1",
        key: str | None = None,
        bad: Any = lambda _name, value: value,
    ) -> Written:
        """Store one event. `bad(name, value)` may replace any part before it goes on."""
        version, prev = self.tips.get(stream, (0, None))
        secrets, sealed = self.secrets(workspace), None
        head: dict[str, Any] = {
            "v": 1,
            "stream": stream,
            "version": version + 1,
            "topic": topic,
            "recorded_at": "2026-11-29T12:00:00.000000Z",
            "ctx": {
                "workspace": workspace, "actor": "ann", "agent": None, "session": "s1",
                "request": correlation, "correlation": correlation, "trace": None,
            },
            "s": s,
            "key": None,
            "commitment": None,
            "prev": prev,
        }  # fmt: skip
        if payload is not None:
            head["key"] = key or (secrets.audit if audit else self.new_id("key_"))
            known = audit or key is not None
            data_key = (
                self.open_key(workspace, head["key"])
                if known
                else self._store_key(head["key"], workspace, "reserved")
            )
            salt, said = self.dice.randbytes(16), bad("payload", canonical(payload))
            head["commitment"] = hmac.new(salt, said, hashlib.sha256).hexdigest()
            sealed = data_key, salt + said
        head_bytes, body = bad("head_bytes", canonical(bad("head", head))), b""
        if sealed is not None:
            nonce = self.dice.randbytes(12)
            body = nonce + AESGCM(sealed[0]).encrypt(nonce, sealed[1], head_bytes)
        body = bad("body", body)
        digest = hash_of(head_bytes, body)
        self.clock += 1
        part = None if stream.startswith(UNPARTED) else 0
        row = (hex_of(stream), version + 1, topic, state_of(head_bytes, body), digest, workspace)
        position = self.log.execute(
            "INSERT INTO event (originator_id, originator_version, topic, state, event_hash,"
            " workspace, part, appended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (*row, part, self.clock),
        ).lastrowid
        for kind, ref in refs:
            self.log.execute(
                "INSERT INTO event_ref VALUES (?, ?, ?, ?, ?)",
                (workspace, kind, ref, stream, position),
            )
        self.tips[stream] = (version + 1, digest.hex())
        self.written.append(Written(position or 0, stream, version + 1, head["key"]))
        return self.written[-1]
