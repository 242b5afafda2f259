"""Databases for tests: a migrated one is copied, which takes a moment; see `plugin`."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg


def of_database(url: str, name: str) -> str:
    """The same server's address of another database."""
    return urlsplit(url)._replace(path=f"/{name}").geturl()


def run_as_admin(url: str, *statements: str) -> None:
    """Statements that cannot be in a transaction."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)  # type: ignore[call-overload]


@contextmanager
def fresh_database(server: str, template: str | None = None) -> Iterator[str]:
    """The address of a new database, empty or a copy of `template`; it is dropped at the end."""
    name = f"test_{secrets.token_hex(6)}"
    run_as_admin(server, f'CREATE DATABASE "{name}" TEMPLATE "{template or "template0"}"')
    try:
        yield of_database(server, name)
    finally:
        run_as_admin(server, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
