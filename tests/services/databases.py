"""Databases for tests. They belong to a user who is no superuser, as they should anywhere."""

from __future__ import annotations

import fcntl
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import psycopg

from ops.migrating import migrate

OWNER: Final = "memoranda"
TEMPLATE: Final = "memoranda_migrated"


def of_database(url: str, name: str, login: str | None = None) -> str:
    """The same server's address of another database, and as another `user:password`."""
    split = urlsplit(url)
    host = split.netloc.rpartition("@")[2]
    netloc = split.netloc if login is None else f"{login}@{host}"
    return split._replace(netloc=netloc, path=f"/{name}").geturl()


def run_as_admin(url: str, *statements: str) -> None:
    """Statements that cannot be in a transaction."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)  # type: ignore[call-overload]


@dataclass(frozen=True)
class Databases:
    """Makes databases on one server; a migrated one is a copy, which takes a moment."""

    admin_url: str
    login: str | None = None
    template: str | None = None

    @contextmanager
    def fresh(self, *, migrated: bool) -> Iterator[str]:
        """The address of a new database, which is dropped at the end."""
        name = f"test_{secrets.token_hex(6)}"
        template = self.template if migrated and self.template else "template0"
        owner = "" if self.login is None else f"OWNER {OWNER}"
        run_as_admin(self.admin_url, f'CREATE DATABASE "{name}" {owner} TEMPLATE "{template}"')
        url = of_database(self.admin_url, name, self.login)
        try:
            if migrated and self.template is None:
                migrate(url)
            yield url
        finally:
            run_as_admin(self.admin_url, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def prepared(admin_url: str, folder: Path) -> Databases:
    """A server of our own: its first caller makes the owner and the migrated database to copy."""
    with (folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = folder / "login"
        if not known.exists():
            password = secrets.token_hex(16)
            run_as_admin(
                admin_url,
                f"CREATE ROLE {OWNER} LOGIN CREATEROLE PASSWORD '{password}'",
                f"CREATE DATABASE {TEMPLATE} OWNER {OWNER} TEMPLATE template0",
            )
            login = f"{OWNER}:{password}"
            migrate(of_database(admin_url, TEMPLATE, login))
            known.touch(mode=0o600)
            known.write_text(login)
        return Databases(admin_url, known.read_text(), TEMPLATE)
