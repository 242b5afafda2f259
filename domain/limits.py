"""Every limit of the contract, with its unit in the name (spec/operations.md §2)."""

from __future__ import annotations

from typing import Final

BODY_BYTES_MAX: Final = 2 * 1024 * 1024
TEXT_BYTES_MAX: Final = 256 * 1024
PROPERTIES_BYTES_MAX: Final = 256 * 1024
TAGS_MAX: Final = 256
TAG_BYTES_MAX: Final = 256
PROVENANCE_MAX: Final = 256
NAME_BYTES_MAX: Final = 1024
"""kind, schema_version, identity_key, source_id, locator, approval_policy, filter values."""
SEEDS_MAX: Final = 1000
KEY_BYTES_MAX: Final = 256
SCOPE_BYTES_MAX: Final = 256
"""workspace, actor, agent, session."""
FILTERS_MAX: Final = 256
MEMBERS_MIN: Final = 2
MEMBERS_MAX: Final = 100
BATCH_MAX: Final = 500

RECORD_TAGS_MAX: Final = 1024
"""What updates may add up to, over all versions of one record."""
RECORD_PROVENANCE_MAX: Final = 512

BUDGETS: Final[dict[str, int | None]] = {
    "max_items": 10_000,
    "max_depth": 16,
    "max_payload_bytes": 16 * 1024 * 1024,
    "max_cost": 1_000_000,
    "timeout_ms": 60_000,
    "supernode_threshold": None,
}
"""The six budgets of a recall; each is at least 1, None means no upper bound."""
