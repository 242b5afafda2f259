"""Bytes and JSON: the one canonical form, and the strict parse that guards it (design.md §2).

`canonical` is pinned: hashes, commitments and fingerprints are computed over its output. Only
values that came through `parse_json` (or were built of the same types) may go in.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from itertools import chain
from typing import Any, Final, NoReturn, TypeAlias

import orjson

from domain.errors import MemorandaError, invalid

Json: TypeAlias = Any
"""A JSON value. Any, since pydantic takes no recursive alias on Python 3.11; parsing checks it."""

JsonObject: TypeAlias = dict[str, Json]

DEPTH_MAX: Final = 64
"""Deepest nesting of arrays and objects that a request may have."""

# The encoder behind json.dumps with these arguments, made once: the same bytes at less cost.
_ENCODER: Final = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
)


def _values(number: bytes) -> Callable[[bytes], bool]:
    """Whether a number that looks so stands where a value begins: as a member or in an array.

    A text may say so in vain. Each of the three expressions begins with fixed bytes, which re
    skips to: 3 µs instead of 26 for the three of them in one.
    """
    member, first, following = (
        re.compile(begin + b"-?(?:" + number + b")").search for begin in (b'":', rb"\[", b",")
    )
    return lambda data: bool(member(data) or first(data) or following(data))


# What orjson writes otherwise than the standard library, and what it would make a float of.
_FLOATS_OTHERWISE: Final = _values(rb"0\.0000|[0-9]+(?:\.[0-9]+)?e")
_LONG_INTEGERS: Final = _values(rb"[0-9]{19}")


def canonical(value: object) -> bytes:
    """The canonical UTF-8 bytes of a JSON value: sorted keys, no blanks, no Unicode folding.

    They are those of the standard library. orjson writes the same ones at a fifth of the cost,
    but for floats with an exponent in either, and for what it refuses (docs/adr/0016).
    """
    try:
        said = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return _ENCODER.encode(value).encode()
    if _FLOATS_OTHERWISE(said) or isinstance(value, float):
        return _ENCODER.encode(value).encode()
    return said


# json.loads guesses at the encoding of bytes each time.
_DECODER: Final = json.JSONDecoder()
_DIGITS: Final = frozenset({b"-", *(b"%d" % digit for digit in range(10))})


def parse_stored(data: bytes) -> Json:
    """The value of bytes that `canonical` wrote; ValueError or RecursionError for others."""
    if _LONG_INTEGERS(data) or data[:1] in _DIGITS:
        return _DECODER.decode(data.decode())
    return orjson.loads(data)


def parse_head(data: bytes) -> Json:
    """`parse_stored` of a head, whose integers are versions and counts; ValueError for others."""
    return orjson.loads(data)


def copied(value: Json) -> Json:
    """A JSON value that shares nothing that could be changed with the one given."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value


def parse_json(body: bytes) -> Json:
    """Parse JSON, refusing whatever has no single meaning.

    Refused with INVALID_REQUEST: bytes that are not UTF-8, duplicate keys, NaN, Infinity,
    numbers that overflow, lone surrogates, nesting deeper than `DEPTH_MAX`.
    """
    value = parse_unchecked(body)
    check_json(value)
    return value


def parse_unchecked(body: bytes) -> Json:
    """`parse_json` without `check_json`: with the lone surrogates and the depth that it finds.

    For who has to tell which part of a text is refused; the stack of Python bounds the depth.
    """
    try:
        text = body.decode("utf-8")
        value: Json = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_refuse_constant,
            parse_float=_float,
            parse_int=_int,
        )
    except UnicodeDecodeError:
        raise invalid("the body is not UTF-8: send JSON in UTF-8", reason="NOT_UTF8") from None
    except RecursionError:
        raise _too_deep() from None
    except json.JSONDecodeError as error:
        raise invalid(
            f"the body is not JSON (line {error.lineno}, column {error.colno}): send one JSON value"
        ) from None
    return value


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    built = dict(pairs)
    if len(built) != len(pairs):
        raise invalid("an object names a key twice: name each key once", reason="DUPLICATE_KEY")
    return built


def _refuse_constant(_: str) -> NoReturn:
    raise invalid("NaN and Infinity are not JSON: send a number", reason="NOT_A_NUMBER")


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise invalid(
            "a number is out of range: at most 1.7976931348623157e308", reason="NUMBER_OVERFLOW"
        )
    return number


def _int(text: str) -> int:
    # Longer integers would cost quadratic time, and CPython refuses them past 4300 digits.
    if len(text) > _INT_DIGITS_MAX:
        raise _too_long()
    return int(text)


def check_json(value: Json) -> None:
    """Refuse what JSON text could not have said, for values that were built in process.

    Goes level by level, so that no input can exhaust the Python stack: surrogates, numbers that
    are none, types that JSON does not have, more than `DEPTH_MAX` arrays and objects in a row.
    """
    level: list[Json] = [value]
    for _ in range(DEPTH_MAX + 1):
        deeper: list[list[Json]] = []
        for item in level:
            kind = type(item)
            if kind is str:
                if not item.isascii():
                    _check_text(item)
            elif kind is dict:
                _check_keys(item)
                deeper.append(list(item.values()))
            elif kind is list:
                deeper.append(item)
            elif kind is float:
                _check_float(item)
            elif kind is int:
                _check_int(item)
            elif kind not in _LEAVES:
                raise invalid(f"a {kind.__name__} is not JSON: send JSON values", reason="NOT_JSON")
        if not deeper:
            return
        level = list(chain.from_iterable(deeper))
    raise _too_deep()


_LEAVES: Final = frozenset({bool, type(None)})
_INT_DIGITS_MAX: Final = 400
_INT_BITS_MAX: Final = 1329  # of 400 digits


def _check_int(number: int) -> None:
    if number.bit_length() > _INT_BITS_MAX:
        raise _too_long()


def _too_long() -> MemorandaError:
    return invalid(
        f"an integer is too long: at most {_INT_DIGITS_MAX} digits", reason="NUMBER_OVERFLOW"
    )


def _check_float(number: float) -> None:
    if not math.isfinite(number):
        _refuse_constant("")


def _check_keys(item: JsonObject) -> None:
    for key in item:
        if type(key) is not str:
            raise invalid("the keys of an object must be strings", reason="NOT_JSON")
        if not key.isascii():
            _check_text(key)


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise invalid(
            "a string holds a lone surrogate: send whole Unicode characters",
            reason="LONE_SURROGATE",
        ) from None


def _too_deep() -> MemorandaError:
    return invalid(f"the JSON is nested too deeply: at most {DEPTH_MAX} levels", reason="TOO_DEEP")
