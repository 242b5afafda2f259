"""The log and the key store, and the two roles that programs work as (design.md §3).

The roles are groups without a login. The user who migrates owns everything and becomes a member;
any further user is made one with `GRANT memoranda_app, memoranda_reader TO …`.
"""

from __future__ import annotations

from typing import Final

from alembic import op

revision: Final = "0001_log_and_keys"
down_revision: Final = None

_ROLE: Final = """
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') THEN
    BEGIN
      CREATE ROLE {role} NOLOGIN;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL; -- roles belong to the whole server: a migration of another database was first
    END;
  END IF;
  IF NOT pg_has_role(current_user, '{role}', 'SET') THEN
    GRANT {role} TO CURRENT_USER;
  END IF;
END $$
"""

_LOG: Final = """
CREATE SEQUENCE memoranda_log.event_position AS bigint;

-- Text is compared byte by byte, as SQLite does it, whatever the database's language is.
CREATE TABLE memoranda_log.event (
  position bigint PRIMARY KEY,
  originator_id uuid NOT NULL,
  originator_version bigint NOT NULL CHECK (originator_version > 0),
  topic text COLLATE "C" NOT NULL,
  state bytea STORAGE EXTERNAL NOT NULL,
  event_hash bytea NOT NULL,
  workspace text COLLATE "C" NOT NULL,
  part smallint,
  appended_at bigint NOT NULL,
  CONSTRAINT event_stream_version UNIQUE (originator_id, originator_version)
);
CREATE INDEX event_workspace ON memoranda_log.event (workspace, position);
CREATE INDEX event_part ON memoranda_log.event (part, position) WHERE part IS NOT NULL;

CREATE TABLE memoranda_log.event_ref (
  workspace text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  ref text COLLATE "C" NOT NULL,
  stream text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (workspace, kind, ref, position, stream)
);

CREATE TABLE memoranda_log.api_key (
  key_id text COLLATE "C" PRIMARY KEY,
  digest text COLLATE "C" NOT NULL UNIQUE,
  name text NOT NULL,
  workspace text,
  actor text,
  agent text,
  permissions text NOT NULL,
  expires_at text,
  created_at text COLLATE "C" NOT NULL,
  revoked_at text
);

-- Has a row, but after a crash of the server, a failover and a restored base backup: PostgreSQL
-- empties it then. Appends that did not wait for the disk may be lost at such a time, and with them
-- what the sequence had given out.
CREATE UNLOGGED TABLE memoranda_log.uninterrupted (since timestamptz NOT NULL);
INSERT INTO memoranda_log.uninterrupted VALUES (now());

-- What an append does once it has the lock: gives the append time of the last event.
-- VOLATILE on purpose: so it sees what others committed while its statement waited for the lock.
-- A plain sub-select, or a STABLE function, would see the log as it was before the wait.
CREATE FUNCTION memoranda_log.begin_append() RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM memoranda_log.uninterrupted) THEN
    -- A follower may have seen a position that is lost: none of those is used again. This append
    -- waits for the disk, so that the leap is not lost in its turn.
    PERFORM nextval('memoranda_log.event_position') FROM generate_series(1, 65536);
    PERFORM set_config('synchronous_commit', 'on', true);
    INSERT INTO memoranda_log.uninterrupted VALUES (now());
  END IF;
  RETURN (SELECT appended_at FROM memoranda_log.event ORDER BY position DESC LIMIT 1);
END $$;

CREATE FUNCTION memoranda_log.refuse_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the log is append-only: % is refused, append another event', TG_OP
    USING ERRCODE = 'integrity_constraint_violation';
END $$;
"""

# ALWAYS: also in a session that switched ordinary triggers off.
_APPEND_ONLY: Final = """
CREATE TRIGGER {table}_refuses_change BEFORE UPDATE OR DELETE OR TRUNCATE ON memoranda_log.{table}
  FOR EACH STATEMENT EXECUTE FUNCTION memoranda_log.refuse_change();
ALTER TABLE memoranda_log.{table} ENABLE ALWAYS TRIGGER {table}_refuses_change;
"""

_KEYS: Final = """
CREATE TABLE memoranda_keys.workspace_key (
  workspace text COLLATE "C" PRIMARY KEY,
  wrapped_key bytea NOT NULL,
  wrapped_root bytea NOT NULL,
  audit_key_id text COLLATE "C" NOT NULL
);

CREATE TABLE memoranda_keys.data_key (
  key_id text COLLATE "C" PRIMARY KEY,
  workspace text COLLATE "C" NOT NULL,
  wrapped bytea,
  state text NOT NULL CHECK (state IN ('reserved', 'destroyed', 'audit')),
  CHECK ((state = 'destroyed') = (wrapped IS NULL))
);

-- How often keys were destroyed: who holds keys in memory looks here before using them.
CREATE TABLE memoranda_keys.destruction (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  times bigint NOT NULL
);
INSERT INTO memoranda_keys.destruction (times) VALUES (0);

CREATE FUNCTION memoranda_keys.refuse_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a key changes once, when it is destroyed, and its row stays: % is refused', TG_OP
    USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER data_key_only_dies BEFORE UPDATE ON memoranda_keys.data_key
  FOR EACH ROW WHEN (NOT (
    OLD.state = 'reserved' AND NEW.state = 'destroyed'
    AND NEW.key_id = OLD.key_id AND NEW.workspace = OLD.workspace
  )) EXECUTE FUNCTION memoranda_keys.refuse_change();
CREATE TRIGGER data_key_stays BEFORE DELETE OR TRUNCATE ON memoranda_keys.data_key
  FOR EACH STATEMENT EXECUTE FUNCTION memoranda_keys.refuse_change();
ALTER TABLE memoranda_keys.data_key ENABLE ALWAYS TRIGGER data_key_only_dies;
ALTER TABLE memoranda_keys.data_key ENABLE ALWAYS TRIGGER data_key_stays;
"""

_GRANTS: Final = """
GRANT USAGE ON SCHEMA memoranda_log, memoranda_views TO memoranda_app, memoranda_reader;
GRANT USAGE ON SCHEMA memoranda_keys TO memoranda_app;

GRANT SELECT ON ALL TABLES IN SCHEMA memoranda_log TO memoranda_app, memoranda_reader;
GRANT INSERT ON memoranda_log.event, memoranda_log.event_ref, memoranda_log.api_key,
  memoranda_log.uninterrupted TO memoranda_app;
GRANT UPDATE (revoked_at) ON memoranda_log.api_key TO memoranda_app;
GRANT USAGE ON SEQUENCE memoranda_log.event_position TO memoranda_app;

GRANT SELECT ON ALL TABLES IN SCHEMA memoranda_keys TO memoranda_app;
GRANT INSERT ON memoranda_keys.workspace_key, memoranda_keys.data_key TO memoranda_app;
GRANT UPDATE (times) ON memoranda_keys.destruction TO memoranda_app;
-- To write the table anew, as the destruction of keys ends with.
GRANT MAINTAIN ON memoranda_keys.data_key TO memoranda_app;
GRANT UPDATE (wrapped, state) ON memoranda_keys.data_key TO memoranda_app;
GRANT UPDATE (wrapped_key) ON memoranda_keys.workspace_key TO memoranda_app;

ALTER DEFAULT PRIVILEGES IN SCHEMA memoranda_views
  GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON TABLES TO memoranda_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA memoranda_views GRANT SELECT ON TABLES TO memoranda_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA memoranda_views
  GRANT USAGE, SELECT ON SEQUENCES TO memoranda_app;
"""


def upgrade() -> None:
    """Make the roles, the three schemas, and the tables of the first two."""
    for role in ("memoranda_app", "memoranda_reader"):
        op.execute(_ROLE.format(role=role))
    # memoranda_log is there: it holds the version of the schema.
    op.execute("CREATE SCHEMA memoranda_keys")
    op.execute("CREATE SCHEMA memoranda_views")
    op.execute(_LOG)
    for table in ("event", "event_ref"):
        op.execute(_APPEND_ONLY.format(table=table))
    op.execute(_KEYS)
    op.execute(_GRANTS)
