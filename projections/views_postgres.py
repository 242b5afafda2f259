"""The read models in PostgreSQL: connections, and transactions that see one state.

Writers work as `memoranda_app`, readers as `memoranda_reader`, which can change nothing. Tables are
named without their schema; a transaction puts in that of the live generation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import Connection, Engine, Select, create_engine, event, exc, make_url

from domain.errors import Code, MemorandaError
from projections.generations import KIND, LIVE, LIVE_KEPT, schema_of
from projections.unusable import ViewsFormatError

PARTS: Final = 64
"""Into how many parts the log of the server mode is divided."""
WRITER: Final = "memoranda_app"
READER: Final = "memoranda_reader"
CONNECTIONS_MAX: Final = 16
POOL_WAIT_SECONDS: Final = 5.0
WRITING: Final[Mapping[str, str]] = {
    "lock_timeout": "10s",
    "statement_timeout": "60s",
    "idle_in_transaction_session_timeout": "60s",
}
READING: Final[Mapping[str, str]] = {
    "default_transaction_read_only": "on",
    "lock_timeout": "5s",
    "statement_timeout": "30s",
    "idle_in_transaction_session_timeout": "120s",
}
"""A recall keeps its transaction while it thinks, for at most a minute (`limits.BUDGETS`)."""
_GENERATION: Final = "memoranda_generation"


def open_writer(url: str, connections_max: int = CONNECTIONS_MAX) -> Engine:
    """Connections for those who follow the log; nothing is connected yet."""
    return _engine(url, WRITER, WRITING, connections_max)


def open_reader(url: str, connections_max: int = CONNECTIONS_MAX) -> Engine:
    """Connections for questions: read only, with limits on time; nothing is connected yet."""
    engine = _engine(url, READER, READING, connections_max)
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def open_builder(url: str) -> Engine:
    """Connections of a writer who can do the last moment again after a power cut."""
    return _engine(url, WRITER, {**WRITING, "synchronous_commit": "off"}, CONNECTIONS_MAX)


def open_owner(url: str) -> Engine:
    """Connections as the user of the URL, who may make and drop tables."""
    return _engine(url, None, {"lock_timeout": "10s"}, CONNECTIONS_MAX)


def _engine(
    url: str, role: str | None, settings: Mapping[str, str], connections_max: int
) -> Engine:
    engine = create_engine(
        make_url(url).set(drivername="postgresql+psycopg"),
        pool_size=connections_max,
        max_overflow=0,
        pool_timeout=POOL_WAIT_SECONDS,
        pool_use_lifo=True,
        # Whoever tells of an error of ours must not tell of what is stored.
        hide_parameters=True,
    )
    said = [f"SET {name} = '{value}'" for name, value in settings.items()]
    statements = ";".join([*([] if role is None else [f"SET ROLE {role}"]), *said])

    def settle(dbapi_connection: Any, _: object) -> None:
        dbapi_connection.autocommit = True
        dbapi_connection.execute(statements)
        dbapi_connection.autocommit = False

    event.listen(engine, "connect", settle)
    return engine


def of_generation(engine: Engine, number: int) -> Engine:
    """The same connections, reading and writing a generation that need not be the live one."""
    return engine.execution_options(**{_GENERATION: number})


def generation_of(engine: Engine) -> int | None:
    """What `of_generation` was told; None for the live one."""
    number: int | None = engine.get_execution_options().get(_GENERATION)
    return number


@contextmanager
def read_transaction(engine: Engine) -> Iterator[Connection]:
    """One state of the live generation, whatever is written or flipped meanwhile.

    That takes an engine of `open_reader`; with another one each statement sees the newest rows.
    """
    connection = _begun(engine, LIVE)
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def write_transaction(engine: Engine) -> Iterator[Connection]:
    """One write transaction on the live generation, which no flip replaces before its end."""
    connection = _begun(engine, LIVE_KEPT)
    try:
        yield connection
        connection.commit()
    finally:
        connection.close()


def _begun(engine: Engine, which: Select[int]) -> Connection:
    """A connection in a transaction, its tables those of the generation that was asked for."""
    try:
        return _begin(engine, which)
    except exc.DBAPIError as error:
        if not error.connection_invalidated:
            raise
    # The database was restarted since the connection was used last. Nothing was done with it yet.
    return _begin(engine, which)


def _begin(engine: Engine, which: Select[int]) -> Connection:
    try:
        connection = engine.connect()
    except exc.TimeoutError:
        raise MemorandaError(
            Code.OVERLOADED, "all connections to the database are in use: try again", retry_after=1
        ) from None
    try:
        number = connection.get_execution_options().get(_GENERATION)
        if number is None:
            number = _live(connection, which)
        return connection.execution_options(schema_translate_map={None: schema_of(number)})
    except BaseException:
        connection.close()
        raise


def _live(connection: Connection, which: Select[int]) -> int:
    """The live generation. One that a flip retires while we wait for it is no row: look again."""
    for _ in range(2):
        number = connection.scalar(which)
        if number is not None:
            return number
    raise ViewsFormatError(
        f"there are no read models of this program ({KIND}) in the database: "
        "run `memoranda migrate`, then `memoranda rebuild`"
    )
