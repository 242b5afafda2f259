"""The limits of a window of a session, with the unit in the name."""

from __future__ import annotations

from typing import Final

EVENTS_MAX: Final = 10_000
"""One window is a bounded part of a session: `memoranda capture` sends 200 events at a time."""
EVENTS_BYTES_MAX: Final = 4 * 1024 * 1024
"""Of canonical JSON, all events together."""
TRANSCRIPT_BYTES_MAX: Final = 1024 * 1024
PROPOSALS_MAX: Final = 64
CLAIM_TEXT_BYTES_MAX: Final = 64 * 1024
WORDING_BYTES_MAX: Final = 16 * 1024
"""rule, scope, rationale, reason: sentences. The memory is rendered from the first three."""
CITATIONS_MAX: Final = 256
CITATION_BYTES_MAX: Final = 4 * 1024
EVIDENCE_IDS_MAX: Final = 256
FUTURE_MICROS_MAX: Final = 5 * 60 * 1_000_000
