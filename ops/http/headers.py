"""Single header fields, decoded: non-ASCII text travels percent-encoded in UTF-8."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from starlette.datastructures import Headers

from domain.errors import invalid

_ENCODED: Final = re.compile(r"(?:[\x20-\x24\x26-\x7e\t]|%[0-9A-Fa-f]{2})*")


def single(headers: Headers, name: str) -> str | None:
    """A field that may be given once, as sent; None where it is absent."""
    values = headers.getlist(name)
    if len(values) > 1:
        raise invalid(f"{name} is given {len(values)} times: send it once", field=name)
    return values[0] if values else None


def decoded(headers: Headers, name: str) -> str | None:
    """A field as text. Refused: raw non-ASCII bytes, a lone `%`, what is not UTF-8."""
    value = single(headers, name)
    if value is None:
        return None
    try:
        said = unquote(value, errors="strict") if _ENCODED.fullmatch(value) else None
    except UnicodeDecodeError:
        said = None
    if said is None:
        raise invalid(
            f"{name} must be ASCII, with everything else (and %) percent-encoded in UTF-8",
            field=name,
        )
    return said
