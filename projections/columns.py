"""Column types that hold the same in SQLite and in PostgreSQL.

Text is compared and sorted by code points in both, whatever the locale of a cluster is. What
PostgreSQL cannot store is NUL, which clients may send: there it is written as two characters.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    BindParameter,
    Column,
    ColumnElement,
    Dialect,
    Integer,
    Text,
    TypeDecorator,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType, TypeEngine

POSTGRES: Final = "postgresql"

BIG: Final = Integer().with_variant(BigInteger(), POSTGRES)
"""64 bits: positions, and microseconds since 1970 UTC."""

JSON_TEXT: Final = Text().with_variant(Text(collation="C"), POSTGRES)
"""Canonical JSON, in which control characters are escaped; never compared."""


def words(name: str) -> Column[Any]:
    """A column of text."""
    return Column(name, Words, nullable=False)


def words_or_null(name: str) -> Column[Any]:
    """A column of text that may be absent."""
    return Column(name, Words)


def json_or_null(name: str) -> Column[Any]:
    """A column of canonical JSON that may be absent."""
    return Column(name, JSON_TEXT)


def integer(name: str) -> Column[Any]:
    """A column of 64 bits."""
    return Column(name, BIG, nullable=False)


class Words(TypeDecorator[str]):
    """Any text without lone surrogates, which no request can bring in."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Collated by code points."""
        return Text(collation="C") if dialect.name == POSTGRES else Text()

    def bind_processor(self, dialect: Dialect) -> Callable[[str | None], str | None] | None:
        """None where the text is stored as it is."""
        return escaped if dialect.name == POSTGRES else None

    def result_processor(
        self, dialect: Dialect, _: object
    ) -> Callable[[str | None], str | None] | None:
        """None where the text is stored as it is."""
        return unescaped if dialect.name == POSTGRES else None


class ManyWords(TypeDecorator[Sequence[str]]):
    """Texts as one parameter: an array, which is JSON in SQLite."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """As each of the two reads many values from one."""
        return ARRAY(Text()) if dialect.name == POSTGRES else Text()

    def bind_processor(self, dialect: Dialect) -> Callable[[Sequence[str] | None], Any]:
        """The array as the driver takes it."""
        if dialect.name == POSTGRES:
            return lambda said: [escaped(one) for one in said or ()]
        return lambda said: json.dumps(said or [])


def among(column: ColumnElement[str], texts: BindParameter[Sequence[str]]) -> ColumnElement[bool]:
    """Whether a column of text is one of the texts of a parameter, however many these are.

    With a parameter for each of them a statement would have to be made again for every number.
    """
    return _Among(column, texts)


class _Among(FunctionElement[Any]):
    inherit_cache = True
    # A truth value would be compared with 1 in SQLite, and no index be used.
    type = NullType()


@compiles(_Among)
def _among(element: _Among, compiler: SQLCompiler, **how: Any) -> str:
    column, texts = (compiler.process(one, **how) for one in element.clauses)
    if compiler.dialect.name == POSTGRES:
        return f"{column} = ANY ({texts})"
    return f"{column} IN (SELECT value FROM json_each({texts}))"  # noqa: S608 - made of statements


def escaped(said: str | None) -> str | None:
    r"""The text without NUL: `\0` becomes `\1\1`, and so that this is told apart, `\1` `\1\2`.

    The order of texts stays that of their code points.
    """
    if said is None or ("\x00" not in said and "\x01" not in said):
        return said
    return said.replace("\x01", "\x01\x02").replace("\x00", "\x01\x01")


def unescaped(stored: str | None) -> str | None:
    """What `escaped` was given."""
    if stored is None or "\x01" not in stored:
        return stored
    return stored.replace("\x01\x01", "\x00").replace("\x01\x02", "\x01")
