"""Records of agents' own logs as canonical events: what is certain, and nothing else.

| record | event | actor |
| --- | --- | --- |
| `type` is one of our kinds, with `text` | that kind | as stated |
| Codex `event_msg` `user_message` | user_message: what was typed | user |
| Codex `event_msg` `error` | error | system |
| Codex `response_item` `message` of role assistant | assistant_message | assistant |
| Codex `function_call`, `custom_tool_call`, `local_shell_call` | tool_call | assistant |
| Codex `function_call_output`, `custom_tool_call_output` | tool_result | tool |
| Claude Code `user`, texts | user_message | user |
| Claude Code `user`, `tool_result` blocks | tool_result | tool |
| Claude Code `assistant`, texts | assistant_message | assistant |
| Claude Code `assistant`, `tool_use` blocks | tool_call | assistant |

Dropped, since nobody typed it or it stands there twice: Codex' `response_item` messages of the
role user (they hold injected instructions too), its `agent_message`; Claude Code's records that are
`isMeta`, of a sub-agent (`isSidechain`) or a summary, and the texts that its commands, hooks and
reminders write in the user's place; reasoning, pictures, and every other type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from domain.bundles.kinds import EVIDENCE_KINDS
from domain.canonical import Json, JsonObject, canonical

_CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_NOT_TYPED: Final = ("isMeta", "isSidechain", "isCompactSummary")
_WRITTEN_FOR_THE_USER: Final = (
    "<command-",
    "<local-command-",
    "<bash-",
    "<system-reminder>",
    "<user-prompt-submit-hook>",
    "<task-notification>",
    "Caveat: The messages below were generated",
    "[Request interrupted by user",
)


def from_record(record: JsonObject) -> Iterator[JsonObject]:
    """The events of one native record as {kind, actor, text, name?} and its own scalars.

    Texts may be blank. Whatever is not of a known shape yields nothing.
    """
    kind, payload, message = record.get("type"), record.get("payload"), record.get("message")
    if isinstance(kind, str) and kind in EVIDENCE_KINDS and isinstance(record.get("text"), str):
        known = {key: value for key, value in record.items() if key != "type"}
        yield {**known, "kind": kind, **{key: _text(record.get(key)) for key in ("actor", "name")}}
        return
    events: Iterator[JsonObject] = iter(())
    if kind == "event_msg" and isinstance(payload, dict):
        events = _codex_event(payload)
    elif kind == "response_item" and isinstance(payload, dict):
        events = _codex_item(payload)
    elif kind in ("user", "assistant") and isinstance(message, dict):
        events = _claude(record, kind, message)
    scalars = {
        key: value
        for key, value in record.items()
        if key not in ("type", "kind", "actor", "text", "name")
        and not isinstance(value, (dict, list))
    }
    for event in events:
        yield {**scalars, **event}


def _event(kind: str, actor: str, text: Json, name: Json = None) -> JsonObject:
    return {"kind": kind, "actor": actor, "text": text, "name": _text(name)}


def _codex_event(payload: JsonObject) -> Iterator[JsonObject]:
    if payload.get("type") == "user_message":
        yield _event("user_message", "user", payload.get("message"))
    elif payload.get("type") == "error":
        yield _event("error", "system", payload.get("message"))


def _codex_item(payload: JsonObject) -> Iterator[JsonObject]:
    kind = payload.get("type")
    if kind == "message" and payload.get("role") == "assistant":
        yield _event("assistant_message", "assistant", _joined(payload.get("content")))
    elif kind == "local_shell_call" and isinstance(payload.get("action"), dict):
        yield _event("tool_call", "assistant", _written(payload["action"]), "local_shell")
    elif isinstance(kind, str) and kind in _CALLS:
        said = payload.get(_CALLS[kind])
        yield _event("tool_call", "assistant", said, payload.get("name"))
    elif isinstance(kind, str) and kind in _OUTPUTS:
        output = payload.get("output")
        inner = output.get("content") if isinstance(output, dict) else output
        yield _event("tool_result", "tool", _joined(inner))


def _claude(record: JsonObject, kind: str, message: JsonObject) -> Iterator[JsonObject]:
    if any(record.get(mark) for mark in _NOT_TYPED):
        return
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for block in blocks if isinstance(blocks, list) else ():
        if not isinstance(block, dict):
            continue
        shape, text = block.get("type"), _text(block.get("text"))
        if kind == "user" and shape == "tool_result":
            yield _event("tool_result", "tool", _joined(block.get("content")))
        elif kind == "assistant" and shape == "tool_use":
            yield _event("tool_call", "assistant", _written(block.get("input")), block.get("name"))
        elif kind == "assistant" and shape == "text":
            yield _event("assistant_message", "assistant", text)
        elif shape == "text" and text and not text.lstrip().startswith(_WRITTEN_FOR_THE_USER):
            yield _event("user_message", "user", text)


def _joined(content: Json) -> str | None:
    """The texts of a content, which is one text or a list of parts, one a line."""
    if isinstance(content, list):
        parts = (_text(part.get("text")) for part in content if isinstance(part, dict))
        return "\n".join(part for part in parts if part is not None)
    return _text(content)


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _written(value: Json) -> str:
    return canonical(value).decode()
