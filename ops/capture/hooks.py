"""What clients tell a program that they start: Claude Code and Codex hooks, Codex' `notify`.

- Hooks of both write an object to standard input: session_id, transcript_path, cwd,
  hook_event_name (https://docs.claude.com/en/docs/claude-code/hooks).
- `notify` gives an object as the last argument: type, thread-id, turn-id, cwd, without the path
  of the log (https://github.com/openai/codex/blob/main/docs/config.md#notify).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from domain.canonical import JsonObject
from domain.errors import MemorandaError, invalid
from ops.capture.events import text_in
from ops.capture.lines import object_in

CALL_BYTES_MAX: Final = 8 * 1024 * 1024
"""`notify` says all that was typed and the last answer once more."""
_TURN_ENDED: Final = frozenset({"stop", "session_end", "agent_turn_complete"})
_SESSION_ID: Final = re.compile(r"[0-9A-Za-z-]+")
_WORDS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|-")


@dataclass(frozen=True, slots=True)
class HookCall:
    """The log that a client has just written to, why it says so, and whether the turn has ended."""

    log: Path
    trigger: str
    turn_ended: bool


def hook_call(text: bytes, codex_home: Path | None = None) -> HookCall:
    """What a client says; with the home of Codex a log may be named by its session alone.

    Raises INVALID_REQUEST for anything else, also where no log of the session is found.
    """
    said = object_in(text) if len(text) <= CALL_BYTES_MAX else None
    if said is None:
        raise _unknown("the client's call is no JSON object")
    event = text_in(said, "hook_event_name") or text_in(said, "type")
    if event is None:
        raise _unknown("the client's call names no event")
    trigger = _WORDS.sub("_", event).lower()
    path = text_in(said, "transcript_path")
    log = Path(path).expanduser() if path is not None else _rollout(said, codex_home)
    return HookCall(log, trigger, trigger in _TURN_ENDED)


def _rollout(said: JsonObject, codex_home: Path | None) -> Path:
    """The latest log of the session; days are folders, so that their names are in order."""
    session_id = text_in(said, "thread-id") or text_in(said, "session_id")
    if codex_home is None or session_id is None or not _SESSION_ID.fullmatch(session_id):
        raise _unknown("the client's call names no log")
    sessions = codex_home.expanduser() / "sessions"
    for day in sorted(sessions.glob("*/*/*"), reverse=True):
        found = sorted(day.glob(f"rollout-*-{session_id}.jsonl"))
        if found:
            return found[-1]
    raise _unknown(f"there is no log of session {session_id} in {sessions}")


def _unknown(what: str) -> MemorandaError:
    return invalid(
        f"{what}: let the client start this command as docs/how-to/capture.md says, or name the "
        "log without --hook",
        field="--hook",
    )
