"""Whatever objects a log holds, they break nothing, and what is sent is a window."""

from __future__ import annotations

import io
import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.bundles.window_body import parse_window
from ops.capture.events import Session
from ops.capture.lines import START
from ops.capture.reading import READERS, Asked, Reading, Since

WORDS = (
    *("user", "assistant", "text", "tool_use", "tool_result", "message", "event_msg"),
    *("response_item", "session_meta", "user_message", "function_call", "function_call_output"),
    *("custom_tool_call", "local_shell_call", "web_search_call", "error", "shell", "Bash", "Edit"),
    *("apply_patch", "AskUserQuestion", "2026-11-25T14:03:01Z", "<bash-input>x</bash-input>"),
    *(
        "\ud83d",
        "\x00",
        "/",
        "c1",
        '{"command":["a"]}',
        '{"output":"x","metadata":{"exit_code":1}}',
    ),
)
NAMES = (
    *("type", "payload", "message", "content", "role", "text", "name", "id", "call_id", "input"),
    *("tool_use_id", "is_error", "isMeta", "isSidechain", "toolUseResult", "origin", "kind"),
    *("arguments", "output", "action", "command", "query", "git", "source", "cwd", "timestamp"),
    *("sessionId", "gitBranch", "edits", "file_path", "old_string", "branch", "repository_url"),
)
words = st.sampled_from(WORDS) | st.text(max_size=5)
values = st.recursive(
    words | st.none() | st.booleans() | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5)
    ),
    max_leaves=8,
)
parts = st.dictionaries(st.sampled_from(NAMES), values, max_size=6)
lines = st.one_of(
    parts,
    st.builds(
        lambda kind, payload, more: {**more, "type": kind, "payload": payload},
        st.sampled_from(["event_msg", "response_item", "session_meta", "turn_context"]),
        parts,
        parts,
    ),
    st.builds(
        lambda kind, content, more: {**more, "type": kind, "message": {"content": content}},
        st.sampled_from(["user", "assistant"]),
        words | st.lists(parts, max_size=3),
        parts,
    ),
)


@settings(max_examples=60)
@given(st.sampled_from(sorted(READERS)), st.lists(lines, max_size=6))
def test_any_objects_become_windows_or_nothing(client, objects):
    data = b"".join(json.dumps(one).encode() + b"\n" for one in objects)
    asked = Asked(Path("/x/log.jsonl"), client, "manual", Since(), whole=True)
    reading = Reading(asked, io.BytesIO(data), START, Session(), 1_800_000_000_000_000)

    for window in reading:
        parse_window(window.body)
        json.dumps(window.body, ensure_ascii=False).encode()
    assert reading.lines.unreadable == 0
