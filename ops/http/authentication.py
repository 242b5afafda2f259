"""Who asks: from a bearer key and trusted headers to a `Context` (spec/operations.md §1)."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Final, Protocol

from pydantic import SecretStr
from starlette.datastructures import Headers

from domain.context import CONTRACT_PERMISSIONS, Context
from domain.errors import Code, MemorandaError, invalid
from domain.instants import Micros, parse_instant
from ops.http.headers import decoded, single
from ops.http.rates import RateLimiter
from ops.http.request_ids import traceparent
from ops.trusted_names import check_scope, check_session, check_workspace

HOST: Final = "host"
OPERATE: Final = "operate"
DEFAULT_SESSION: Final = "default"
_BOUND: Final = (
    ("workspace", "X-Workspace-Id"),
    ("actor", "X-Actor-Id"),
    ("agent", "X-Agent-Id"),
)


class Principal(Protocol):
    """What a key stands for; None where it is not bound. A host key usually is not."""

    @property
    def key_id(self) -> str: ...
    @property
    def workspace(self) -> str | None: ...
    @property
    def actor(self) -> str | None: ...
    @property
    def agent(self) -> str | None: ...
    @property
    def permissions(self) -> frozenset[str]: ...
    @property
    def expires_at(self) -> str | None: ...


class Keys(Protocol):
    """The store of API keys."""

    def authenticate(self, token: str) -> Principal:
        """Whose token it is; AUTH_INVALID for one that is unknown, revoked or expired."""
        ...


@dataclass(frozen=True, slots=True)
class UnattendedHost:
    """The host key of the environment: bound to nothing."""

    key_id: str = "key_of_the_environment"
    workspace: str | None = None
    actor: str | None = None
    agent: str | None = None
    permissions: frozenset[str] = frozenset({HOST})
    expires_at: str | None = None


@dataclass(frozen=True, slots=True)
class Operator:
    """Who looks after a store: a key that holds `operate`, and what it is about.

    `workspace` is the one that the key is bound to, or that a host names; None means all of them.
    """

    key: Principal
    workspace: str | None
    actor: str | None
    agent: str | None

    def require_whole(self) -> None:
        """PERMISSION_DENIED for a key of one workspace, where the whole store is told of."""
        if self.key.workspace is not None:
            raise MemorandaError(
                Code.PERMISSION_DENIED,
                f"this is about the whole store, and the key is bound to one workspace: use a host "
                f"key that holds {OPERATE!r}",
            )


class Authenticator:
    """Turns the headers of a request into its trusted context, as often as its key may ask."""

    def __init__(self, keys: Keys, host_key: SecretStr | None, rates: RateLimiter) -> None:
        self._keys = keys
        self._rates = rates
        self._host_digest = None if host_key is None else _digest(host_key.get_secret_value())

    def context(self, headers: Headers, request_id: str) -> Context:
        """The context; AUTH_REQUIRED, AUTH_INVALID, PERMISSION_DENIED, INVALID_REQUEST or
        RATE_LIMITED.
        """
        principal = self._principal(bearer_token(headers))
        names = {name: _name(headers, principal, name, field) for name, field in _BOUND}
        workspace, actor = names["workspace"], names["actor"]
        if workspace is None or actor is None:
            field = _BOUND[0 if workspace is None else 1][1]
            raise invalid(f"{field} is required: a host key is bound to none", field=field)
        self._rates.take(principal.key_id, workspace)
        return Context(
            workspace=check_workspace(workspace, "X-Workspace-Id"),
            actor=actor,
            agent=names["agent"],
            session=_session(headers),
            permissions=_permissions(headers, principal),
            request_id=request_id,
            trace=traceparent(headers),
            recorded_at=_recorded_at(headers, principal),
        )

    def operator(self, headers: Headers) -> Operator:
        """Who operates; the refusals of `context`. A host need not name anybody here."""
        principal = self._principal(bearer_token(headers))
        names = {name: _name(headers, principal, name, field) for name, field in _BOUND}
        workspace = names["workspace"]
        if workspace is not None:
            check_workspace(workspace, "X-Workspace-Id")
        self._rates.take(principal.key_id, workspace or "")
        _session(headers)
        _recorded_at(headers, principal)
        if decoded(headers, "X-Permissions") is not None:
            _permissions(headers, principal)
        if OPERATE not in principal.permissions:
            raise MemorandaError(
                Code.PERMISSION_DENIED,
                f"the permission {OPERATE!r} is not granted: use a key that has it",
            )
        return Operator(principal, workspace, names["actor"], names["agent"])

    def _principal(self, token: str) -> Principal:
        if self._host_digest is not None and hmac.compare_digest(_digest(token), self._host_digest):
            return UnattendedHost()
        return self._keys.authenticate(token)


def bearer_token(headers: Headers) -> str:
    """The key of an Authorization header; AUTH_REQUIRED where there is none."""
    scheme, _, token = (single(headers, "Authorization") or "").partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise MemorandaError(
            Code.AUTH_REQUIRED, "a key is required: send it as Authorization: Bearer <key>"
        )
    return token


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _name(headers: Headers, principal: Principal, name: str, field: str) -> str | None:
    """What the key is bound to, else what a host names."""
    bound: str | None = getattr(principal, name)
    named = decoded(headers, field)
    if named is None or named == bound:
        return bound
    if bound is not None or HOST not in principal.permissions:
        raise _denied(f"{field} contradicts the key: leave it out", field)
    return check_scope(named, field)


def _permissions(headers: Headers, principal: Principal) -> frozenset[str]:
    field = "X-Permissions"
    said = decoded(headers, field)
    own = principal.permissions - {HOST}
    if said is None:
        if HOST in principal.permissions:
            raise invalid(f"{field} is required with a host key: name what to grant", field=field)
        return own
    named = frozenset(name.strip() for name in said.split(",") if name.strip())
    unknown = sorted(named - CONTRACT_PERMISSIONS)
    if unknown:
        known = ", ".join(sorted(CONTRACT_PERMISSIONS))
        raise invalid(f"{field} may name {known}, and nothing else", field=field)
    if HOST in principal.permissions:
        # What goes beyond the five is granted by the key itself, never by a header.
        return named | (own - CONTRACT_PERMISSIONS)
    if named != own & CONTRACT_PERMISSIONS:
        raise _denied(f"{field} contradicts the key: leave it out", field)
    return own


def _session(headers: Headers) -> str:
    field = "X-Session-Id"
    session = decoded(headers, field)
    return DEFAULT_SESSION if session is None else check_session(session, field)


def _recorded_at(headers: Headers, principal: Principal) -> tuple[str, Micros] | None:
    field = "X-Recorded-At"
    said = single(headers, field)
    if said is None:
        return None
    if HOST not in principal.permissions:
        raise _denied(f"{field} is for host keys: leave it out", field)
    return said, parse_instant(said, field)


def _denied(message: str, field: str) -> MemorandaError:
    return MemorandaError(Code.PERMISSION_DENIED, message, field=field)
