"""Columns as arrays in PostgreSQL's binary format: a batch is a handful of parameters.

The driver's own arrays look at the type of each element, at ten times the cost. The layout is that
of `array_recv`: dimensions, whether there are NULLs, the element's type, length, lower bound, and
then each element behind its length; all of it big-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any, Final

from psycopg import Connection
from psycopg.adapt import Dumper
from psycopg.pq import Format

_NULL: Final = b"\xff\xff\xff\xff"
_HEADER: Final = struct.Struct(">iiIii")
_LENGTH: Final = struct.Struct(">i")
_INT8: Final = struct.Struct(">iq")
_INT2: Final = struct.Struct(">ih")


class _Array(bytes):
    """An array as it is sent; its classes say of what."""


class _Uuids(_Array):
    pass


class _Int8s(_Array):
    pass


class _Int2s(_Array):
    pass


class _Texts(_Array):
    pass


class _Byteas(_Array):
    pass


_OIDS: Final[dict[type[_Array], tuple[int, int]]] = {
    _Uuids: (2951, 2950),
    _Int8s: (1016, 20),
    _Int2s: (1005, 21),
    _Texts: (1009, 25),
    _Byteas: (1001, 17),
}
"""The types of the array and of its elements."""


def uuids(values: Sequence[str]) -> bytes:
    """uuid[] of hex digits, 32 each."""
    return _made(_Uuids, [b"\x00\x00\x00\x10" + bytes.fromhex(value) for value in values])


def int8s(values: Sequence[int]) -> bytes:
    """int8[]"""
    return _made(_Int8s, [_INT8.pack(8, value) for value in values])


def int2s(values: Sequence[int | None]) -> bytes:
    """int2[], with NULL for None."""
    return _made(_Int2s, [_NULL if value is None else _INT2.pack(2, value) for value in values])


def texts(values: Sequence[str | None]) -> bytes:
    """text[], with NULL for None."""
    return _made(_Texts, _sized(None if value is None else value.encode() for value in values))


def byteas(values: Sequence[bytes | None]) -> bytes:
    """bytea[], with NULL for None."""
    return _made(_Byteas, _sized(values))


def _sized(values: Iterable[bytes | None]) -> list[bytes]:
    return [_NULL if value is None else _LENGTH.pack(len(value)) + value for value in values]


def _made(kind: type[_Array], elements: Sequence[bytes]) -> bytes:
    oid = _OIDS[kind][1]
    if not elements:
        return kind(struct.pack(">iiI", 0, 0, oid))
    return kind(_HEADER.pack(1, _NULL in elements, oid, len(elements), 1) + b"".join(elements))


class _AsItIs(Dumper):
    format = Format.BINARY

    def dump(self, obj: Any) -> bytes:
        return bytes(obj)


def understand_arrays(connection: Connection[Any]) -> None:
    """Let parameters of this connection be arrays of ours."""
    for kind, (oid, _) in _OIDS.items():
        dumper = type(f"{kind.__name__}Dumper", (_AsItIs,), {"oid": oid})
        connection.adapters.register_dumper(kind, dumper)
