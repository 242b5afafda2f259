"""The kinds of events that can be evidence (docs/spec/bundle.md §2)."""

from __future__ import annotations

from typing import Final

EVIDENCE_KINDS: Final = frozenset(
    {
        "user_message",
        "assistant_message",
        "tool_call",
        "tool_result",
        "file_change",
        "command_result",
        "decision",
        "error",
    }
)
"""All others (reasoning, session_meta, turn_context …) are noise."""
