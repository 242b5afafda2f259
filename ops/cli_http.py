"""The door to a server, with nothing but the standard library."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Self
from urllib.parse import quote, urlencode, urlsplit

from domain.canonical import Json, JsonObject
from domain.errors import invalid
from ops.cli_bundle_doors import BundleDoor, UrlBundles
from ops.cli_claim_doors import ClaimDoor, UrlClaims
from ops.cli_errors import RefusedError, UnreachableError
from ops.cli_evidence_doors import EvidenceDoor, UrlEvidence
from ops.cli_paths import query, step
from ops.cli_proposal_doors import ProposalDoor, UrlProposals

TIMEOUT_SECONDS: Final = 75.0
"""Longer than any recall may take (60 s)."""
_NONE: Final[Mapping[str, str]] = {}
_LINES: Final = {"Content-Type": "application/x-ndjson"}
_VISIBLE: Final = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) != "%")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens."""

    url: str
    tls: bool
    host: str
    port: int | None
    path: str

    @classmethod
    def of(cls, url: str) -> Self:
        """Read a URL; INVALID_REQUEST for one that names no server."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise _bad_url() from None
        strange = parts.query or parts.fragment or "@" in parts.netloc or not url.isascii()
        if parts.scheme not in ("http", "https") or not parts.hostname or strange:
            raise _bad_url()
        path = parts.path.rstrip("/")
        return cls(url.rstrip("/"), parts.scheme == "https", parts.hostname, port, path)

    def connect(self, timeout: float) -> http.client.HTTPConnection:
        """A connection that is not opened yet."""
        kind = http.client.HTTPSConnection if self.tls else http.client.HTTPConnection
        return kind(self.host, self.port, timeout=timeout)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said: status, headers in lower case, and the JSON of its body."""

    status: int
    headers: dict[str, str]
    body: Json


class UrlDoor:
    """A server, by URL and key; the key says who acts, and where."""

    def __init__(
        self,
        address: Address,
        key: str | None,
        session: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
    ) -> None:
        self._address = address
        self._timeout = timeout
        self._headers = {"Accept": "application/json"}
        if key is not None:
            self._headers["Authorization"] = f"Bearer {_checked(key)}"
        if session is not None:
            self._headers["X-Session-Id"] = quote(session, safe=_VISIBLE + " ")

    @property
    def claims(self) -> ClaimDoor:
        return UrlClaims(self)

    @property
    def bundles(self) -> BundleDoor:
        return UrlBundles(self)

    @property
    def evidence(self) -> EvidenceDoor:
        return UrlEvidence(self)

    @property
    def proposals(self) -> ProposalDoor:
        return UrlProposals(self)

    def execute(self, envelope: JsonObject) -> JsonObject:
        return self._object(self.ask("POST", "/v1/memory/operations", envelope))

    def events(self, after: int, limit: int) -> JsonObject:
        window = urlencode({"after": after, "limit": limit})
        return self._object(self.ask("GET", f"/v1/log?{window}"))

    def why_not(self, recall_id: str, memory_id: str) -> JsonObject:
        return self.get(f"/v1/recalls/{step(recall_id)}/why-not/{step(memory_id)}")

    def slot(self, name: str, asked: JsonObject) -> JsonObject:
        return self.get(f"/v1/slots/{step(name)}{query(asked)}")

    def slot_history(self, name: str, asked: JsonObject) -> JsonObject:
        return self.get(f"/v1/slots/{step(name)}/history{query(asked)}")

    def slots(self, asked: JsonObject) -> JsonObject:
        return self.get(f"/v1/slots{query(asked)}")

    def replay(self, recall_id: str) -> JsonObject:
        return self.get(f"/v1/recalls/{quote(recall_id, safe='')}/replay")

    def memory(self, memory_id: str, version: int | None = None) -> JsonObject:
        at = "" if version is None else f"/versions/{version}"
        return self.get(f"/v1/memories/{step(memory_id)}{at}")

    def window(self, body: JsonObject) -> JsonObject:
        return self.about_window("/v1/agent-sessions/windows", body)

    def about_window(self, path: str, body: JsonObject) -> JsonObject:
        """What became of a window; RefusedError for a refusal."""
        answer = self.ask("POST", path, body)
        said = answer.body.get("detail") if isinstance(answer.body, dict) else None
        if answer.status == HTTPStatus.UNPROCESSABLE_ENTITY and isinstance(said, dict):
            # A proposal failed. The window is recorded, and the problem's detail is the answer.
            return said
        return self._object(answer)

    def get(self, path: str) -> JsonObject:
        """The body of an answer; RefusedError for a refusal."""
        return self._object(self.ask("GET", path))

    def post(self, path: str, body: Json = None, key: str | None = None) -> JsonObject:
        """The body of an answer to what is sent, once under a key; RefusedError for a refusal."""
        once = _NONE if key is None else {"Idempotency-Key": quote(key, safe=_VISIBLE + " ")}
        return self._object(self.ask("POST", path, body, once))

    def settings(self, change: JsonObject | None = None) -> JsonObject:
        if change is None:
            return self.get("/v1/settings")
        return self._object(self.ask("PATCH", "/v1/settings", change))

    def policies(self) -> JsonObject:
        return self.get("/v1/policies")

    def policy(self, name: str) -> JsonObject:
        return self.get(f"/v1/policies/{name}")

    def define_policy(self, name: str, definition: Json) -> JsonObject:
        return self.post("/v1/policies", {"name": name, "definition": definition})

    def retire_policy(self, name: str, reason: str) -> JsonObject:
        return self.post(f"/v1/policies/{name}/retire", {"reason": reason})

    def post_lines(self, path: str, lines: bytes) -> JsonObject:
        """The same for a body of JSON Lines, as it is."""
        return self._object(self._sent("POST", path, lines, _LINES))

    def ask(
        self, method: str, path: str, body: Json = None, more: Mapping[str, str] = _NONE
    ) -> Answer:
        """One request, with more headers; raises UnreachableError where no JSON comes back."""
        # Escaped, so that what is no text reaches the server and is refused there by name.
        data = None if body is None else json.dumps(body).encode()
        return self._sent(method, path, data, {"Content-Type": "application/json", **more})

    def _sent(self, method: str, path: str, data: bytes | None, told: Mapping[str, str]) -> Answer:
        """`told` are headers about what is sent."""
        connection = self._address.connect(self._timeout)
        sent = False
        try:
            connection.connect()
            sent = True
            headers = self._headers | ({} if data is None else dict(told))
            connection.request(method, self._address.path + path, data, headers)
            response = connection.getresponse()
            said = response.read()
        except (OSError, http.client.HTTPException) as error:
            why = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise UnreachableError(
                f"{self._address.url} does not answer ({why}): start `memoranda serve` there, "
                "or correct --url",
                sent=sent,
            ) from None
        finally:
            connection.close()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, headers, self._parsed(said, response.status))

    def _parsed(self, said: bytes, status: int) -> Json:
        try:
            return json.loads(said)
        except ValueError:
            raise self._no_memoranda(status) from None

    def _object(self, answer: Answer) -> JsonObject:
        """The body of an answer; RefusedError for an error body or problem details."""
        body = answer.body
        if isinstance(body, dict) and answer.status in (HTTPStatus.OK, HTTPStatus.ACCEPTED):
            return body
        wire = refusal_of(body)
        if wire is None:
            raise self._no_memoranda(answer.status)
        raise RefusedError(wire)

    def _no_memoranda(self, status: int) -> UnreachableError:
        return UnreachableError(
            f"what answers at {self._address.url} (status {status}) is no Memoranda: correct --url",
            sent=True,
        )


def refusal_of(body: Json) -> JsonObject | None:
    """The `error` member of an error body; of problem details the same; None for another body."""
    if not isinstance(body, dict):
        return None
    error = body.get("error")
    if isinstance(error, dict) and {"code", "message"} <= error.keys():
        return error
    if not {"code", "detail"} <= body.keys():
        return None
    names = ("code", "retryable", "field", "reason", "current_version")
    said = {name: body[name] for name in names if name in body}
    return {"code": said.pop("code"), "message": body["detail"], **said}


def _bad_url() -> Exception:
    return invalid(
        "--url must be http:// or https:// with a host, as in http://127.0.0.1:8420", field="--url"
    )


def _checked(key: str) -> str:
    if not key or not set(key) <= {*_VISIBLE, "%"}:
        raise invalid(
            "the key must be visible ASCII without blanks, as it was printed", field="--api-key"
        )
    return key
