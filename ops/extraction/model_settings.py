"""The model that the settings name (docs/how-to/extraction.md)."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from ops.extraction.chat import Model
from ops.extraction.posting import Endpoint
from ops.settings import Settings, SettingsError

_COMPLETIONS: Final = "/chat/completions"
_VISIBLE: Final = frozenset(chr(code) for code in range(0x21, 0x7F))


def model_of(settings: Settings) -> Model | None:
    """The model that extracts; None where callers propose, or nobody does.

    Raises SettingsError where a part of it is missing or cannot be used.
    """
    if settings.extractor != "openai":
        return None
    if not settings.extractor_url or not (settings.extractor_model or "").strip():
        raise SettingsError(
            "MEMORANDA_EXTRACTOR=openai needs MEMORANDA_EXTRACTOR_URL, the base URL of an "
            "endpoint, and MEMORANDA_EXTRACTOR_MODEL, the name of a model there"
        )
    key = "" if settings.extractor_key is None else settings.extractor_key.get_secret_value()
    if not _VISIBLE.issuperset(key):
        raise SettingsError("MEMORANDA_EXTRACTOR_KEY must be visible ASCII without blanks")
    return Model(
        endpoint=endpoint_of(settings.extractor_url),
        name=settings.extractor_model or "",
        key=key or None,
        seconds=settings.extractor_timeout,
        tries=settings.extractor_tries,
    )


def endpoint_of(url: str) -> Endpoint:
    """Where chat completions are asked for, below a base URL; SettingsError for one of no use."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _no_url() from None
    strange = parts.query or parts.fragment or "@" in parts.netloc or not _VISIBLE.issuperset(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or strange:
        raise _no_url()
    path = parts.path.rstrip("/").removesuffix(_COMPLETIONS) + _COMPLETIONS
    return Endpoint(parts.scheme == "https", parts.hostname, port, path)


def _no_url() -> SettingsError:
    return SettingsError(
        "MEMORANDA_EXTRACTOR_URL must be http:// or https:// with a host, and neither user info "
        "nor query, as in https://models.example/v1; the key goes into MEMORANDA_EXTRACTOR_KEY"
    )
