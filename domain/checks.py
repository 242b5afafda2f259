"""Checks of single fields; each refusal names the field, the limit and the remedy."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from domain import limits
from domain.canonical import Json, JsonObject, canonical
from domain.errors import MemorandaError, invalid
from domain.instants import Micros, parse_instant


def not_blank(text: str, field: str, bytes_max: int = limits.NAME_BYTES_MAX) -> None:
    """Refuse a string of blanks, and one that is too long."""
    if not text.strip():
        raise invalid(f"{field} is blank: give it at least one visible character", field=field)
    short(text, field, bytes_max)


def short(text: str | None, field: str, bytes_max: int = limits.NAME_BYTES_MAX) -> None:
    """Refuse a string of more than `bytes_max` bytes of UTF-8."""
    if text is not None and len(text) * 4 > bytes_max and len(text.encode()) > bytes_max:
        raise invalid(
            f"{field} is too long: at most {bytes_max} bytes of UTF-8, shorten it", field=field
        )


def few(items: Sequence[object], field: str, count_max: int) -> None:
    """Refuse an array with more than `count_max` members."""
    if len(items) > count_max:
        raise invalid(
            f"{field} has {len(items)} members: at most {count_max}, send fewer", field=field
        )


def tags(values: Sequence[str], field: str) -> None:
    """At most 256 tags of at most 256 bytes; blank ones are allowed."""
    few(values, field, limits.TAGS_MAX)
    for index, tag in enumerate(values):
        short(tag, f"{field}.{index}", limits.TAG_BYTES_MAX)


def properties(value: Json, field: str) -> None:
    """At most 256 KiB of canonical JSON."""
    size = len(canonical(value))
    if size > limits.PROPERTIES_BYTES_MAX:
        raise invalid(
            f"{field} has {size} bytes of JSON: at most {limits.PROPERTIES_BYTES_MAX}", field=field
        )


def content(value: JsonObject, field: str) -> None:
    """Text not blank, at most 256 KiB of text and 256 KiB of properties."""
    inner = value["value"]
    if value["format"] == "text":
        not_blank(inner, f"{field}.value", limits.TEXT_BYTES_MAX)
    elif value["format"] == "properties":
        properties(inner, f"{field}.value")
    else:
        not_blank(inner["text"], f"{field}.value.text", limits.TEXT_BYTES_MAX)
        properties(inner["properties"], f"{field}.value.properties")


def provenance(references: Sequence[JsonObject], field: str) -> None:
    """At most 256 references, each with a source_id that is not blank."""
    few(references, field, limits.PROVENANCE_MAX)
    for index, reference in enumerate(references):
        at = f"{field}.{index}"
        not_blank(reference["source_id"], f"{at}.source_id")
        short(reference["locator"], f"{at}.locator")
        if reference["observed_at"] is not None:
            parse_instant(reference["observed_at"], f"{at}.observed_at")


def confidence(value: float | None, field: str) -> None:
    """0 to 1, both included."""
    if value is not None and not 0 <= value <= 1:
        raise invalid(f"{field} must lie between 0 and 1", field=field)


def validity(valid_from: str | None, valid_until: str | None, prefix: str = "") -> None:
    """Both parse, and [from, until) holds an instant (EMPTY_VALIDITY)."""
    start = _instant(valid_from, f"{prefix}valid_from")
    end = _instant(valid_until, f"{prefix}valid_until")
    if start is not None and end is not None and end <= start:
        raise empty_validity(f"{prefix}valid_until")


def empty_validity(field: str) -> MemorandaError:
    """The refusal of an interval that holds no instant (spec/policy.md §2.2)."""
    return invalid(
        f"{field} must be later than valid_from: the interval [from, until) holds no instant",
        field=field,
        reason="EMPTY_VALIDITY",
    )


def instant(value: str | None, field: str) -> None:
    """A timestamp that parses, or none."""
    _instant(value, field)


def strict_session(session: str) -> None:
    """A session that owns records is named in NFC: folding could merge two owners."""
    if not unicodedata.is_normalized("NFC", session):
        raise invalid(
            "session is not in Unicode normal form C, and sessions of this workspace are strict: "
            "send it in NFC",
            field="session",
            reason="SESSION_FORMAT",
        )


def one_knowledge(as_known_at: str | None, as_known_position: int | None) -> None:
    """What was known is asked for by a time or by a position (spec/policy.md §2.3), not by both."""
    if as_known_at is not None and as_known_position is not None:
        raise invalid(
            "as_known_at and as_known_position exclude each other: send one of them",
            field="as_known_position",
        )


def _instant(value: str | None, field: str) -> Micros | None:
    return None if value is None else parse_instant(value, field)


def session(text: str, field: str) -> str:
    """A session id in Unicode NFC without control characters (SESSION_FORMAT).

    Sessions are compared code point by code point, so only one spelling of each is let in.
    """
    if _any_of(text, "Cc") or not unicodedata.is_normalized("NFC", text):
        raise invalid(
            f"{field} must be in Unicode normalization form C, without control characters",
            field=field,
            reason="SESSION_FORMAT",
        )
    return text


def key(text: str, field: str) -> str:
    """A key without control characters, surrogates or outer blanks (KEY_FORMAT), as it is."""
    if text != text.strip() or _any_of(text, "Cc", "Cs"):
        raise invalid(
            f"{field} must have no control characters, no surrogates and no outer blanks",
            field=field,
            reason="KEY_FORMAT",
        )
    return text


def _any_of(text: str, *categories: str) -> bool:
    return any(unicodedata.category(character) in categories for character in text)
