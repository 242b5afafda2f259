"""The OpenAPI 3.1 document, from the routes, their docs and the schemas."""

from __future__ import annotations

from typing import Any, Final

from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute

from domain.canonical import JsonObject
from domain.context import CONTRACT_PERMISSIONS
from ops.http.permissions import BY_OPERATION, OPEN, ROUTES
from ops.http.schemas import components

PERMISSION: Final = "x-permission"
_DESCRIPTION: Final = (
    "Memory for AI agents that can be questioned: every change is an event, every answer can be "
    "traced. Errors on /v1/memory/… have the body of the contract, all others are problem "
    "details (RFC 9457). Every answer carries X-Request-Id and X-Correlation-Id."
)
_TEXT: Final = "Not blank, at most 256 bytes of UTF-8; what is not ASCII (and %) percent-encoded."


def _header(name: str, said: str) -> JsonObject:
    return {
        "name": name,
        "in": "header",
        "required": False,
        "description": said,
        "schema": {"type": "string"},
    }


_FIVE: Final = ", ".join(sorted(CONTRACT_PERMISSIONS))
PARAMETERS: Final[dict[str, JsonObject]] = {
    header["name"]: header
    for header in (
        _header("X-Session-Id", f"Default `default`. NFC, no control characters. {_TEXT}"),
        _header("X-Workspace-Id", f"Named by host keys, bound for all others. {_TEXT}"),
        _header("X-Actor-Id", f"Named by host keys, bound for all others. {_TEXT}"),
        _header("X-Agent-Id", f"Named by host keys, bound for all others. {_TEXT}"),
        _header("X-Permissions", f"Named by host keys: a comma list of {_FIVE}."),
        _header("X-Recorded-At", "Host keys only: when a late or imported fact was recorded."),
        _header("X-Request-Id", "1 to 128 of A-Z a-z 0-9 - _ . : /; comes back, and in receipts."),
        _header("X-Correlation-Id", "Taken where X-Request-Id is absent."),
        _header("traceparent", "W3C trace context, kept with the events."),
        _header("Idempotency-Key", "Makes a command happen once; twin of the body's member."),
        _header("If-Match", 'For update: the expected version, as in "3". 412 if it differs.'),
        _header("If-None-Match", "ETags that are known: 304 where one is current."),
    )
}
_EVERYWHERE: Final = tuple(PARAMETERS)[:9]
_WITH_RECEIPT: Final = ("/reject",)
"""Ends of routes outside the contract that happen once under an `Idempotency-Key`."""
_CONTRACT: Final = (*_EVERYWHERE, "Idempotency-Key", "If-Match")


def document(routes: list[BaseRoute], version: str) -> JsonObject:
    """The document of an app's routes."""
    api = get_openapi(
        title="Memoranda",
        version=version,
        openapi_version="3.1.0",
        description=_DESCRIPTION,
        routes=routes,
    )
    api["components"] = {
        "schemas": components(),
        "parameters": PARAMETERS,
        "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
    }
    for path, methods in api["paths"].items():
        for method, operation in methods.items():
            _secure(operation, method.upper(), path)
    return api


def _secure(operation: dict[str, Any], method: str, path: str) -> None:
    """Key, permission and headers of a route, from the one table."""
    if path in OPEN:
        operation["security"] = []
        return
    operation["security"] = [{"key": []}]
    needed = ROUTES[method, path]
    operation[PERMISSION] = BY_OPERATION if needed is None else needed
    names = _CONTRACT if path.endswith("/operations") else _EVERYWHERE
    if path.endswith(_WITH_RECEIPT):
        names = (*names, "Idempotency-Key")
    if "304" in operation["responses"]:
        names = (*names, "If-None-Match")
    references = [{"$ref": f"#/components/parameters/{name}"} for name in names]
    operation["parameters"] = [*operation.get("parameters", ()), *references]
