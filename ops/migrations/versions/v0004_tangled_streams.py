"""Versions of memories say what streams of other stores mean (ADR 0029).

Read models of a database that holds events stay as they are, for the programs that know them: this
program's are built beside them by `memoranda rebuild`. Where there is no event yet, nobody has read
models to lose, and the first generation becomes one of this program. Frozen as it was.
"""

from __future__ import annotations

from typing import Final

from alembic import op

revision: Final = "0004_tangled_streams"
down_revision: Final = "0003_recall_index"

_COLUMNS: Final = """
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM memoranda_log.event)
     AND (SELECT array_agg(number || ' ' || kind || ' ' || state)
          FROM memoranda_views.generation) = ARRAY['1 format/2 evidence/1 records/1 live']
  THEN
    ALTER TABLE memoranda_views.memory_version
      ADD COLUMN root_us BIGINT NOT NULL,
      ADD COLUMN retained_us BIGINT,
      ADD COLUMN retained_by BIGINT,
      ADD COLUMN tangle TEXT COLLATE "C",
      ADD COLUMN stray_slot_ref TEXT COLLATE "C";
    CREATE INDEX memory_tangled
      ON memoranda_views.memory_version (workspace)
      WHERE tangle IS NOT NULL;
    CREATE INDEX memory_by_stray_slot
      ON memoranda_views.memory_version (workspace, stray_slot_ref)
      WHERE stray_slot_ref IS NOT NULL;
    -- An UPDATE would leave a dead row, which erasures count.
    TRUNCATE memoranda_views.generation;
    INSERT INTO memoranda_views.generation (number, kind, state, changed_us)
      VALUES (1, 'format/3 evidence/1 records/2', 'live',
              (extract(epoch FROM now()) * 1000000)::bigint);
  END IF;
END $$
"""


def upgrade() -> None:
    """Add the columns where nothing was written yet."""
    op.execute(_COLUMNS)
