"""The read models: the table of generations, and the tables of the first generation (ADR 0022).

Frozen as they were; tests compare them with what `projections.schema` describes today.
"""

from __future__ import annotations

from typing import Final

from alembic import op

revision: Final = "0002_read_models"
down_revision: Final = "0001_log_and_keys"

_TABLES: Final = """
CREATE TABLE memoranda_views.generation (
  number BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  changed_us BIGINT NOT NULL,
  PRIMARY KEY (number)
);
CREATE UNIQUE INDEX generation_building
  ON memoranda_views.generation (kind)
  WHERE state = 'building';
CREATE UNIQUE INDEX generation_live
  ON memoranda_views.generation (kind)
  WHERE state = 'live';

CREATE TABLE memoranda_views.attempt (
  projection TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  part BIGINT NOT NULL,
  position BIGINT NOT NULL,
  tries BIGINT NOT NULL,
  error TEXT COLLATE "C" NOT NULL,
  updated_us BIGINT NOT NULL,
  PRIMARY KEY (projection, version, part, position)
);

CREATE TABLE memoranda_views.checkpoint (
  projection TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  part BIGINT NOT NULL,
  position BIGINT NOT NULL,
  updated_us BIGINT NOT NULL,
  PRIMARY KEY (projection, version, part)
);

CREATE TABLE memoranda_views.degree (
  workspace TEXT COLLATE "C" NOT NULL,
  node TEXT COLLATE "C" NOT NULL,
  scope TEXT COLLATE "C" NOT NULL,
  edges BIGINT NOT NULL,
  PRIMARY KEY (workspace, node, scope)
);

CREATE TABLE memoranda_views.edge_version (
  workspace TEXT COLLATE "C" NOT NULL,
  relationship_id TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  position BIGINT NOT NULL,
  to_position BIGINT,
  record TEXT COLLATE "C" NOT NULL,
  source_id TEXT COLLATE "C" NOT NULL,
  target_id TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  identity_key TEXT COLLATE "C",
  lifecycle TEXT COLLATE "C" NOT NULL,
  erased BOOLEAN NOT NULL,
  visibility TEXT COLLATE "C" NOT NULL,
  owner TEXT COLLATE "C" NOT NULL,
  session TEXT COLLATE "C" NOT NULL,
  from_us BIGINT NOT NULL,
  until_us BIGINT NOT NULL,
  expires_us BIGINT NOT NULL,
  expired_us BIGINT NOT NULL,
  recorded_us BIGINT NOT NULL,
  confidence FLOAT,
  actor TEXT COLLATE "C" NOT NULL,
  correlation TEXT COLLATE "C" NOT NULL,
  created_by TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, relationship_id, version)
);
CREATE INDEX edge_by_source
  ON memoranda_views.edge_version (workspace, source_id, kind);
CREATE INDEX edge_by_target
  ON memoranda_views.edge_version (workspace, target_id, kind);
CREATE UNIQUE INDEX edge_current
  ON memoranda_views.edge_version (workspace, relationship_id)
  WHERE to_position IS NULL;

CREATE TABLE memoranda_views.memory_source (
  workspace TEXT COLLATE "C" NOT NULL,
  memory_id TEXT COLLATE "C" NOT NULL,
  source_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, memory_id, source_id)
);
CREATE INDEX memory_by_source
  ON memoranda_views.memory_source (workspace, source_id);

CREATE TABLE memoranda_views.memory_tag (
  workspace TEXT COLLATE "C" NOT NULL,
  memory_id TEXT COLLATE "C" NOT NULL,
  tag TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, memory_id, tag)
);
CREATE INDEX memory_by_tag
  ON memoranda_views.memory_tag (workspace, tag);

CREATE TABLE memoranda_views.memory_version (
  workspace TEXT COLLATE "C" NOT NULL,
  memory_id TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  position BIGINT NOT NULL,
  to_position BIGINT,
  record TEXT COLLATE "C" NOT NULL,
  topic TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  identity_key TEXT COLLATE "C",
  lifecycle TEXT COLLATE "C" NOT NULL,
  forgotten TEXT COLLATE "C",
  erased BOOLEAN NOT NULL,
  visibility TEXT COLLATE "C" NOT NULL,
  owner TEXT COLLATE "C" NOT NULL,
  session TEXT COLLATE "C" NOT NULL,
  slot TEXT COLLATE "C",
  slot_ref TEXT COLLATE "C",
  from_us BIGINT NOT NULL,
  until_us BIGINT NOT NULL,
  expires_us BIGINT NOT NULL,
  expired_us BIGINT NOT NULL,
  recorded_us BIGINT NOT NULL,
  confidence FLOAT,
  epistemic_status TEXT COLLATE "C",
  repo TEXT COLLATE "C",
  dead_versions TEXT COLLATE "C",
  slot_forgotten_us BIGINT,
  kept TEXT COLLATE "C",
  actor TEXT COLLATE "C" NOT NULL,
  agent TEXT COLLATE "C",
  event_session TEXT COLLATE "C" NOT NULL,
  request TEXT COLLATE "C" NOT NULL,
  correlation TEXT COLLATE "C" NOT NULL,
  created_by TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, memory_id, version)
);
CREATE INDEX memory_by_identity_key
  ON memoranda_views.memory_version (workspace, identity_key)
  WHERE identity_key IS NOT NULL;
CREATE INDEX memory_by_slot
  ON memoranda_views.memory_version (workspace, slot_ref)
  WHERE slot_ref IS NOT NULL;
CREATE UNIQUE INDEX memory_current
  ON memoranda_views.memory_version (workspace, memory_id)
  WHERE to_position IS NULL;

CREATE TABLE memoranda_views.parked (
  projection TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  part BIGINT NOT NULL,
  workspace TEXT COLLATE "C" NOT NULL,
  stream TEXT COLLATE "C" NOT NULL,
  position BIGINT NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  error TEXT COLLATE "C" NOT NULL,
  parked_us BIGINT NOT NULL,
  blocked_by BIGINT,
  PRIMARY KEY (projection, version, part, workspace, stream, position)
);
CREATE INDEX parked_by_workspace
  ON memoranda_views.parked (workspace, projection, position);
"""

_FIRST: Final = """
INSERT INTO memoranda_views.generation (number, kind, state, changed_us)
VALUES (1, 'format/2 evidence/1 records/1', 'live',
        (extract(epoch FROM now()) * 1000000)::bigint)
"""

# From PostgreSQL 17 on the programs' role may vacuum, as an erasure ends with.
_MAINTAIN: Final = """
DO $$
BEGIN
  IF current_setting('server_version_num')::int >= 170000 THEN
    EXECUTE 'GRANT MAINTAIN ON ALL TABLES IN SCHEMA memoranda_views TO memoranda_app';
  END IF;
END $$
"""


def upgrade() -> None:
    """Make the tables; the roles may use them by the default privileges of the schema."""
    op.execute(_TABLES)
    op.execute(_FIRST)
    op.execute(_MAINTAIN)
