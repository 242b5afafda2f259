"""What a log says, read without the command."""

from __future__ import annotations

import io

from ops.capture.claude_code import ClaudeCode
from ops.capture.codex import Codex
from ops.capture.events import Session
from ops.capture.lines import Lines


def events_of(reader, *lines):
    """All events of these lines, to the end of them."""
    found = [event for one in Lines(io.BytesIO(b"".join(lines))) for event in reader.read(one)]
    return [*found, *reader.rest()]


def in_claude(*lines):
    return events_of(ClaudeCode(Session()), *lines)


def in_codex(*lines):
    return events_of(Codex(Session()), *lines)


def said(events):
    return [(event.kind, event.actor, event.text) for event in events]


def typed(events):
    """What the user is said to have said."""
    return [event.text for event in events if (event.kind, event.actor) == ("user_message", "user")]
