"""Concepts, claims, citations and windows have tables in the read models (docs/spec/bundle.md).

As before, read models of a database that holds events stay as they are, for the programs that know
them; where there is no event yet, the first generation becomes one of this program. Frozen as it
was.
"""

from __future__ import annotations

from typing import Final

from alembic import op

revision: Final = "0005_bundles"
down_revision: Final = "0004_tangled_streams"

_TABLES: Final = """
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM memoranda_log.event)
     AND (SELECT array_agg(number || ' ' || kind || ' ' || state)
          FROM memoranda_views.generation) = ARRAY['1 format/3 evidence/1 records/2 live']
  THEN
    CREATE TABLE memoranda_views.bundle_concept (
      workspace TEXT COLLATE "C" NOT NULL,
      concept_id TEXT COLLATE "C" NOT NULL,
      opened BIGINT NOT NULL,
      visibility TEXT COLLATE "C" NOT NULL,
      owner TEXT COLLATE "C" NOT NULL,
      session TEXT COLLATE "C" NOT NULL,
      repo_identifier TEXT COLLATE "C",
      concept_type TEXT COLLATE "C",
      record TEXT COLLATE "C" NOT NULL,
      PRIMARY KEY (workspace, concept_id)
    );
    CREATE INDEX bundle_concept_by_owner
      ON memoranda_views.bundle_concept (workspace, owner, opened);
    CREATE TABLE memoranda_views.bundle_claim (
      workspace TEXT COLLATE "C" NOT NULL,
      claim_id TEXT COLLATE "C" NOT NULL,
      concept_id TEXT COLLATE "C" NOT NULL,
      version BIGINT NOT NULL,
      position BIGINT NOT NULL,
      opened BIGINT NOT NULL,
      changed_us BIGINT NOT NULL,
      memory_id TEXT COLLATE "C" NOT NULL,
      visibility TEXT COLLATE "C" NOT NULL,
      owner TEXT COLLATE "C" NOT NULL,
      session TEXT COLLATE "C" NOT NULL,
      erased BOOLEAN NOT NULL,
      record TEXT COLLATE "C" NOT NULL,
      PRIMARY KEY (workspace, claim_id)
    );
    CREATE INDEX bundle_claim_by_concept
      ON memoranda_views.bundle_claim (workspace, concept_id, opened);
    CREATE TABLE memoranda_views.bundle_citation (
      workspace TEXT COLLATE "C" NOT NULL,
      claim_id TEXT COLLATE "C" NOT NULL,
      version BIGINT NOT NULL,
      position BIGINT NOT NULL,
      memory_id TEXT COLLATE "C" NOT NULL,
      window_id TEXT COLLATE "C" NOT NULL,
      cited_as TEXT COLLATE "C" NOT NULL,
      erased BOOLEAN NOT NULL,
      record TEXT COLLATE "C" NOT NULL,
      PRIMARY KEY (workspace, claim_id, version)
    );
    CREATE TABLE memoranda_views.bundle_window (
      workspace TEXT COLLATE "C" NOT NULL,
      window_id TEXT COLLATE "C" NOT NULL,
      version BIGINT NOT NULL,
      position BIGINT NOT NULL,
      opened BIGINT NOT NULL,
      decided BIGINT NOT NULL,
      visibility TEXT COLLATE "C" NOT NULL,
      owner TEXT COLLATE "C" NOT NULL,
      session TEXT COLLATE "C" NOT NULL,
      session_id TEXT COLLATE "C",
      client TEXT COLLATE "C",
      repo_identifier TEXT COLLATE "C",
      mode TEXT COLLATE "C" NOT NULL,
      failures TEXT COLLATE "C",
      erased BOOLEAN NOT NULL,
      record TEXT COLLATE "C" NOT NULL,
      PRIMARY KEY (workspace, window_id)
    );
    CREATE INDEX bundle_window_by_owner
      ON memoranda_views.bundle_window (workspace, owner, session_id);
    CREATE TABLE memoranda_views.bundle_stream (
      workspace TEXT COLLATE "C" NOT NULL,
      stream TEXT COLLATE "C" NOT NULL,
      version BIGINT NOT NULL,
      position BIGINT NOT NULL,
      PRIMARY KEY (workspace, stream)
    );
    CREATE TABLE memoranda_views.bundle_naming (
      workspace TEXT COLLATE "C" NOT NULL,
      memory_id TEXT COLLATE "C" NOT NULL,
      stream TEXT COLLATE "C" NOT NULL,
      PRIMARY KEY (workspace, memory_id, stream)
    );
    CREATE INDEX bundle_naming_by_stream
      ON memoranda_views.bundle_naming (workspace, stream);
    CREATE TABLE memoranda_views.bundle_forgotten (
      workspace TEXT COLLATE "C" NOT NULL,
      memory_id TEXT COLLATE "C" NOT NULL,
      position BIGINT NOT NULL,
      from_version BIGINT NOT NULL,
      PRIMARY KEY (workspace, memory_id, position, from_version)
    );
    IF current_setting('server_version_num')::int >= 170000 THEN
      EXECUTE 'GRANT MAINTAIN ON ALL TABLES IN SCHEMA memoranda_views TO memoranda_app';
    END IF;
    -- An UPDATE would leave a dead row, which erasures count.
    TRUNCATE memoranda_views.generation;
    INSERT INTO memoranda_views.generation (number, kind, state, changed_us)
      VALUES (1, 'format/4 bundles/1 evidence/1 records/2', 'live',
              (extract(epoch FROM now()) * 1000000)::bigint);
  END IF;
END $$
"""


def upgrade() -> None:
    """Make the tables where nothing was written yet."""
    op.execute(_TABLES)
