"""API keys: random bearer tokens, stored as digests, bound to what they may do.

A key's event and its row change in one transaction; rows are what requests are checked against
(spec/operations.md §10, keys).
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from commands.engine import Engine
from commands.jobs import Group, RecordJob
from commands.keystore import KeyStore
from commands.log_store import LogStore
from commands.store_rows import ApiKeyChange, ApiKeyRow
from domain import limits
from domain.checks import few, not_blank, short
from domain.context import PERMISSIONS, SYSTEM_WORKSPACE, Context
from domain.decisions import Fact
from domain.errors import Code, MemorandaError, invalid, not_found
from domain.events import KeyIssue, KeyIssued, KeyRevocation, KeyRevoked
from domain.ids import SYSTEM, derived_id, encode_id
from domain.instants import Micros, optional_instant, server_time
from domain.ports import Clock
from domain.registry import Event

TOKEN_PREFIX: Final = "mk_"  # noqa: S105 - the prefix tells a key from other secrets; it is none
CACHE_US: Final = 5_000_000
CACHED_MAX: Final = 10_000


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """What a key may do. A host key has neither workspace nor actor: its requests name them."""

    key_id: str
    name: str
    workspace: str | None
    actor: str | None
    agent: str | None
    permissions: frozenset[str]
    expires_at: str | None
    created_at: str
    revoked_at: str | None

    @property
    def is_host(self) -> bool:
        """Whether it may name the context per request."""
        return "host" in self.permissions


class ApiKeys:
    """Issues, lists, revokes and checks keys."""

    def __init__(self, *, store: LogStore, engine: Engine, keys: KeyStore, clock: Clock) -> None:
        self._store = store
        self._engine = engine
        self._keys = keys
        self._clock = clock
        self._cache: dict[str, tuple[Micros, KeyInfo]] = {}
        self._lock = threading.Lock()

    def create(
        self,
        *,
        name: str,
        workspace: str | None,
        actor: str | None,
        permissions: Sequence[str],
        agent: str | None = None,
        expires_at: str | None = None,
        token: str | None = None,
    ) -> tuple[str, KeyInfo]:
        """A new key and its bearer token, which is shown this once and stored nowhere.

        `token` is given for the host key of an unattended start alone.
        """
        self._check(name, workspace, actor, agent, permissions)
        optional_instant(expires_at, "expires_at")
        bearer = token or TOKEN_PREFIX + secrets.token_urlsafe(32)
        info = KeyInfo(
            key_id="key_" + secrets.token_hex(8),
            name=name,
            workspace=workspace,
            actor=actor,
            agent=agent,
            permissions=frozenset(permissions),
            expires_at=expires_at,
            created_at=server_time(self._clock.now_us()),
            revoked_at=None,
        )
        digest = _digest(bearer)
        issue = KeyIssue(
            key_id=info.key_id,
            digest=digest,
            name=name,
            workspace=workspace,
            actor=actor,
            agent=agent,
            permissions=sorted(permissions),
            expires_at=expires_at,
        )
        row = ApiKeyRow(
            key_id=info.key_id,
            digest=digest,
            name=name,
            workspace=workspace,
            actor=actor,
            agent=agent,
            permissions=json.dumps(sorted(permissions)),
            expires_at=expires_at,
            created_at=info.created_at,
            revoked_at=None,
        )
        self._record(KeyIssued(payload=issue), ApiKeyChange(issued=row))
        return bearer, info

    def list(self) -> list[KeyInfo]:
        """All keys, the revoked ones too, oldest first."""
        return [_info(row) for row in self._store.api_keys()]

    def revoke(self, key_id: str) -> KeyInfo:
        """Refuse the key from now on; NOT_FOUND for an id that is no key."""
        known = {info.key_id: info for info in self.list()}
        if key_id not in known:
            raise not_found("the key", field="key_id")
        if known[key_id].revoked_at is None:
            now = server_time(self._clock.now_us())
            event = KeyRevoked(payload=KeyRevocation(key_id=key_id))
            self._record(event, ApiKeyChange(revoked=(key_id, now)))
            with self._lock:
                self._cache.clear()
        return {info.key_id: info for info in self.list()}[key_id]

    def authenticate(self, token: str) -> KeyInfo:
        """The key of a bearer token; AUTH_INVALID if unknown, revoked or expired.

        Looked up by digest, so that no comparison depends on the secret; cached up to 5 s.
        """
        digest, now = _digest(token), self._clock.now_us()
        with self._lock:
            seen, info = self._cache.get(digest, (0, None))
        if info is None or not 0 <= now - seen < CACHE_US:
            row = self._store.api_key(digest)
            info = None if row is None else _info(row)
            if info is not None:
                self._remember(digest, now, info)
        expired = optional_instant(info.expires_at, "expires_at") if info else None
        if info is None or info.revoked_at or (expired is not None and expired <= now):
            raise MemorandaError(
                Code.AUTH_INVALID, "the key is unknown, revoked or expired: use another one"
            )
        return info

    def _remember(self, digest: str, now: Micros, info: KeyInfo) -> None:
        with self._lock:
            if len(self._cache) >= CACHED_MAX:
                self._cache.clear()
            self._cache[digest] = (now, info)

    def _check(
        self,
        name: str,
        workspace: str | None,
        actor: str | None,
        agent: str | None,
        permissions: Sequence[str],
    ) -> None:
        not_blank(name, "name")
        said = {"name": name, "workspace": workspace, "actor": actor, "agent": agent}
        for field, text in said.items():
            if "\0" in (text or ""):
                # They stand in columns of the log, and PostgreSQL has no such text.
                raise invalid(f"{field} has the character U+0000: leave it out", field=field)
        few(permissions, "permissions", len(PERMISSIONS))
        for permission in permissions:
            if permission not in PERMISSIONS:
                raise invalid(
                    f"permissions must be among {', '.join(sorted(PERMISSIONS))}",
                    field="permissions",
                )
        if "host" in permissions:
            return
        for field, value in (("workspace", workspace), ("actor", actor)):
            if value is None:
                raise invalid(f"{field} is required for a key without host", field=field)
            not_blank(value, field, limits.SCOPE_BYTES_MAX)
        short(agent, "agent", limits.SCOPE_BYTES_MAX)
        if workspace == SYSTEM_WORKSPACE:
            raise invalid(f"the workspace {SYSTEM_WORKSPACE!r} is reserved", field="workspace")

    def _record(self, event: Event, change: ApiKeyChange) -> None:
        secret = self._keys.ensure_workspace(SYSTEM_WORKSPACE).ids
        stream = encode_id(SYSTEM, derived_id(secret, "api keys"))
        context = Context(
            workspace=SYSTEM_WORKSPACE,
            actor="operator",
            session="keys",
            permissions=frozenset(),
            request_id="keys-" + secrets.token_hex(8),
        )
        job = RecordJob(context, [Fact(stream, event)], api_keys=[change])
        verdict = self._engine.submit(Group([job]))[0]
        if isinstance(verdict, MemorandaError):
            raise verdict


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _info(row: ApiKeyRow) -> KeyInfo:
    return KeyInfo(
        key_id=row.key_id,
        name=row.name,
        workspace=row.workspace,
        actor=row.actor,
        agent=row.agent,
        permissions=frozenset(json.loads(row.permissions)),
        expires_at=row.expires_at,
        created_at=row.created_at,
        revoked_at=row.revoked_at,
    )
