"""What Alembic runs: the revisions on the connection, and in the transaction, of `migrating`."""

from __future__ import annotations

from alembic import context

from ops.migrations import VERSION_SCHEMA, VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    version_table=VERSION_TABLE,
    version_table_schema=VERSION_SCHEMA,
    transactional_ddl=False,  # the one transaction around all of it is its caller's
)
context.run_migrations()
