"""Names and parameters as they stand in the path of a request."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from domain.canonical import JsonObject


def step(name: str) -> str:
    """A name as one step of a path; a proxy would take dots for steps."""
    return quote(name, safe="").replace(".", "%2E")


def query(asked: JsonObject) -> str:
    """Parameters as a server reads them."""
    said = {name: str(one).lower() if one is True else one for name, one in asked.items()}
    return f"?{urlencode(said)}" if said else ""
