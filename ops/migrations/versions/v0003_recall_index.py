"""The manifest of the recall index, in a schema of its own (ADR 0025).

Frozen as it was; a test compares it with what `projections.index_schema` describes today.
"""

from __future__ import annotations

from typing import Final

from alembic import op

revision: Final = "0003_recall_index"
down_revision: Final = "0002_read_models"

_TABLES: Final = """
CREATE SCHEMA memoranda_index;

CREATE TABLE memoranda_index.index_damage (
  workspace TEXT COLLATE "C" NOT NULL,
  position BIGINT NOT NULL,
  PRIMARY KEY (workspace, position)
);

CREATE TABLE memoranda_index.index_mark (
  workspace TEXT COLLATE "C" NOT NULL,
  memory_id TEXT COLLATE "C" NOT NULL,
  memory_version BIGINT NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  since BIGINT NOT NULL,
  PRIMARY KEY (workspace, memory_id, memory_version)
);

CREATE TABLE memoranda_index.index_scan (
  part BIGINT NOT NULL,
  position BIGINT NOT NULL,
  PRIMARY KEY (part)
);

CREATE TABLE memoranda_index.index_segment (
  name TEXT COLLATE "C" NOT NULL,
  workspace TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  after_position BIGINT NOT NULL,
  until_position BIGINT NOT NULL,
  documents BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  digest TEXT COLLATE "C" NOT NULL,
  applied BIGINT NOT NULL,
  changed_us BIGINT NOT NULL,
  PRIMARY KEY (name)
);
CREATE INDEX segment_by_workspace ON memoranda_index.index_segment (workspace, state);

CREATE TABLE memoranda_index.index_workspace (
  workspace TEXT COLLATE "C" NOT NULL,
  format BIGINT NOT NULL,
  version BIGINT NOT NULL,
  position BIGINT NOT NULL,
  tip_position BIGINT NOT NULL,
  tip TEXT COLLATE "C" NOT NULL,
  head BIGINT NOT NULL,
  pending BIGINT NOT NULL,
  changed_us BIGINT NOT NULL,
  urgent BOOLEAN NOT NULL,
  suspect BOOLEAN NOT NULL,
  PRIMARY KEY (workspace)
);
"""

_GRANTS: Final = """
GRANT USAGE ON SCHEMA memoranda_index TO memoranda_app, memoranda_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA memoranda_index TO memoranda_app;
GRANT SELECT ON ALL TABLES IN SCHEMA memoranda_index TO memoranda_reader;
"""


def upgrade() -> None:
    """Make the tables."""
    op.execute(_TABLES)
    op.execute(_GRANTS)
