"""Where refusals meet HTTP: the contract's error body, and problem+json on all other routes.

The contract routes answer as spec/operations.md §1 says; reading routes answer RFC 9457 problem
details with the same codes.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Final

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from commands.faults import refusal_of
from commands.store_errors import KeyMissingError, StoreError
from domain.canonical import JsonObject
from domain.envelope import CorruptEventError
from domain.errors import Code, MemorandaError, invalid
from ops.http.answers import json_response
from ops.http.permissions import methods_of
from ops.http.request_ids import correlation_id
from projections.unusable import is_away

CONTRACT_PATHS: Final = "/v1/memory/"
LOG: Final = logging.getLogger("memoranda.http")
REALM: Final = 'Bearer realm="memoranda"'


def respond(scope_path: str, correlation: str, error: MemorandaError) -> Response:
    """The answer to a refused request, in the form of the route that it was sent to."""
    if scope_path.startswith(CONTRACT_PATHS):
        response = json_response(contract_error(error, correlation), error.status)
    else:
        body = problem(error, correlation)
        response = json_response(body, error.status, "application/problem+json")
    if error.status == HTTPStatus.UNAUTHORIZED:
        known = error.code is Code.AUTH_INVALID
        response.headers["WWW-Authenticate"] = REALM + (', error="invalid_token"' * known)
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    return response


def contract_error(error: MemorandaError, correlation: str) -> JsonObject:
    """The error body of the contract."""
    return {"ok": False, "correlation_id": correlation, "error": error.as_wire()}


def problem(error: MemorandaError, correlation: str) -> JsonObject:
    """Problem details; `code`, `retryable`, `field`, `reason` are those of the contract."""
    wire = error.as_wire()
    name = error.code.value.lower().replace("_", "-")
    body: JsonObject = {
        "type": f"urn:memoranda:problem:{name}",
        "title": error.code.value.replace("_", " ").capitalize(),
        "status": error.status,
        "detail": wire.pop("message"),
        "correlation_id": correlation,
    }
    return body | wire


async def refused(request: Request, error: Exception) -> Response:
    """The one handler of every refusal that has a meaning."""
    assert isinstance(error, MemorandaError)  # noqa: S101 - registered for this class alone
    return respond(request.scope["path"], correlation_id(request.scope), error)


async def damaged(request: Request, error: Exception) -> Response:
    """A stored event that cannot be what was written, or that no key opens: said, never skipped."""
    return respond(request.scope["path"], correlation_id(request.scope), refusal_of(error))


async def unreadable(request: Request, error: Exception) -> Response:
    """The read models fail. What is remembered is in the log, and they are made from it."""
    if is_away(error):
        return await unavailable(request, error)
    known = MemorandaError(
        Code.INTERNAL,
        "the read models cannot be used: stop the server, run `memoranda rebuild`, start it again",
        reason="READ_MODELS",
    )
    correlation = correlation_id(request.scope)
    LOG.error("%s found no usable read models: %s", correlation, type(error).__name__)
    return respond(request.scope["path"], correlation, known)


async def unavailable(request: Request, error: Exception) -> Response:
    """The files of the store fail, or are held by somebody else; or its database is away."""
    known = MemorandaError(
        Code.DURABILITY_FAILED,
        "the store cannot be used at the moment: try again, and see the log of the server",
        retry_after=1,
    )
    correlation = correlation_id(request.scope)
    LOG.error("%s found no usable store: %s", correlation, type(error).__name__)
    return respond(request.scope["path"], correlation, known)


async def misrouted(request: Request, error: Exception) -> Response:
    """No such route, or a method that it does not have."""
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class alone
    code = Code.NOT_FOUND if error.status_code == HTTPStatus.NOT_FOUND else Code.INVALID_REQUEST
    said = {
        HTTPStatus.NOT_FOUND: "there is no such route: see /openapi.json",
        HTTPStatus.METHOD_NOT_ALLOWED: "the route does not have this method: see /openapi.json",
    }.get(HTTPStatus(error.status_code), "the request cannot be read")
    known = MemorandaError(code, said, status=error.status_code)
    response = respond(request.scope["path"], correlation_id(request.scope), known)
    response.headers.update(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        response.headers["Allow"] = ", ".join(methods_of(request.scope["path"]))
    return response


async def malformed(request: Request, error: Exception) -> Response:
    """A path or query parameter of the wrong shape, in our words: the library's may quote it."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class alone
    first = error.errors()[0]
    field = str(first["loc"][-1])
    kind = str(first["type"])
    if kind == "extra_forbidden":
        said = f"{field} is not a parameter of this route: remove it"
    else:
        words = str(first["msg"]).replace("Input should be", "must be")
        said = f"{field} {words}"
    known = invalid(said, field=field)
    return respond(request.scope["path"], correlation_id(request.scope), known)


HANDLERS: Final = {
    MemorandaError: refused,
    CorruptEventError: damaged,
    KeyMissingError: damaged,
    StoreError: unavailable,
    SQLAlchemyError: unreadable,
    HTTPException: misrouted,
    RequestValidationError: malformed,
}
