"""Lines of logs, as the clients write them; the whole sessions are in `sessions`."""

from __future__ import annotations

import json
from pathlib import Path

SESSIONS = Path(__file__).with_name("sessions")
CODEX = SESSIONS / "codex.jsonl"
CLAUDE = SESSIONS / "claude-code.jsonl"
AT = "2026-11-25T14:03:{:06.3f}Z"


def line(**members):
    return json.dumps(members, ensure_ascii=False).encode() + b"\n"


def claude(kind, content, second=1, **more):
    """A line of Claude Code; a content is a text or blocks."""
    said = {
        "type": kind,
        "message": {"role": kind, "content": content},
        "timestamp": AT.format(second),
        "sessionId": "5f0c1f57",
        "cwd": "/srv/ana/src/none",
        "isSidechain": False,
    }
    return line(**said | more)


def asks(text, second=1, **more):
    return claude("user", text, second, **more)


def answers(text="Done.", second=2, **more):
    return claude("assistant", [{"type": "text", "text": text}], second, **more)


def turn(text, second=1):
    """A question and its answer."""
    return asks(text, second) + answers(f"{text}: done.", second + 0.5)


def calls(name="Bash", call_id="t1", **given):
    return claude("assistant", [{"type": "tool_use", "id": call_id, "name": name, "input": given}])


def results(text, call_id="t1", **more):
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text}
    return claude("user", [block | more])


def codex(kind, payload, second=1):
    """A line of Codex."""
    return line(timestamp=AT.format(second), type=kind, payload=payload)


def item(role, *texts):
    """A message of Codex under a role."""
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return codex("response_item", {"type": "message", "role": role, "content": content})


def told(text, **more):
    """The record of Codex of what was typed."""
    return codex("event_msg", {"type": "user_message", "message": text, **more})
