"""Reads rollouts of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl`.

A line is `{timestamp, type, payload}`. What becomes of it:

| line | events |
| --- | --- |
| `event_msg` `user_message` | user_message by user: what was typed |
| `response_item` `message` of role user | none where an `event_msg` tells it; else see `_Pending` |
| `response_item` `message` of role assistant | assistant_message |
| `function_call`, `custom_tool_call`, `local_shell_call`, `web_search_call` | tool_call, or file_change for `apply_patch` |
| their outputs | command_result after a shell, decision after a question, else tool_result |
| `event_msg` `error` | error |
| `session_meta`, `turn_context` | none: session, folder, repository |
| reasoning, counts, `compacted`, all other | none |
"""  # noqa: E501 - rows of a table

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from domain.bundles.redaction import redacted
from domain.canonical import Json, JsonObject, canonical
from ops.capture.events import (
    ASSISTANT,
    CLIENT,
    SUBAGENT,
    TOOL,
    USER,
    Calls,
    LogEvent,
    Session,
    object_at,
    objects_in,
    text_in,
    time_of,
)
from ops.capture.lines import Line, object_in
from ops.capture.typed import typed_text

_SHELLS: Final = frozenset(
    {"shell", "shell_command", "exec_command", "write_stdin", "local_shell", "container.exec"}
)
_PATCH: Final = "apply_patch"
_ASKING: Final = frozenset({"request_user_input"})
_SUBAGENT: Final = frozenset({"subagent", "sub_agent"})
_CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})


class Codex:
    """`ops.capture.events.Reader` for Codex.

    Newer versions tell what was typed in a record of its own, right after the message of the role
    user. So such a message waits for the next event: if that record comes, it alone counts. If none
    comes in a log that has such records, a program wrote the message, and it is by client. In a log
    without any, the message is what the user typed, but for what is injected in it.
    """

    client: Final = "codex"

    def __init__(self, session: Session) -> None:
        self.session = session
        self._calls = Calls()
        self._waiting: LogEvent | None = None

    def read(self, line: Line) -> Iterator[LogEvent]:
        value = line.value
        payload = object_at(value, "payload")
        kind = text_in(value, "type")
        if kind == "session_meta":
            self._learn(payload)
        elif kind == "turn_context":
            self.session.cwd = self.session.cwd or text_in(payload, "cwd")
        found = None
        if kind == "event_msg":
            self.session.typed_apart = True
            found = self._event(line, payload)
        elif kind == "response_item":
            found = self._item(line, payload)
        if found is None or not found.text.strip():
            return
        found = replace(found, at=time_of(value))
        if kind == "response_item" and found.begins_turn:
            yield from self.rest()
            self._waiting = found
            return
        if kind == "event_msg" and found.begins_turn:
            self._waiting = None
        yield from self.rest()
        yield found

    def rest(self) -> Iterator[LogEvent]:
        """The message of the role user that no record of its own followed."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            spoken = waiting.actor == USER and self.session.typed_apart
            yield replace(waiting, actor=CLIENT) if spoken else waiting

    def _learn(self, payload: JsonObject) -> None:
        session, git = self.session, object_at(payload, "git")
        if session.session_id is not None:
            # What was forked from another session holds that one's beginning, too.
            return
        session.session_id = text_in(payload, "id")
        session.cwd = text_in(payload, "cwd")
        session.repository = text_in(git, "repository_url")
        session.branch = text_in(git, "branch")
        session.commit = text_in(git, "commit_hash")
        session.by_agent = not _SUBAGENT.isdisjoint(object_at(payload, "source"))

    @property
    def _user(self) -> str:
        return CLIENT if self.session.by_agent else USER

    @property
    def _agent(self) -> str:
        return SUBAGENT if self.session.by_agent else ASSISTANT

    def _event(self, line: Line, payload: JsonObject) -> LogEvent | None:
        text = text_in(payload, "message")
        if text is None:
            return None
        if payload.get("type") == "error":
            return LogEvent(line.place, "error", CLIENT, text)
        # Older versions told injected texts so, too, by this mark.
        if payload.get("type") == "user_message" and payload.get("kind", "plain") == "plain":
            said = typed_text(text)
            return LogEvent(line.place, "user_message", self._user, said, begins_turn=True)
        return None

    def _item(self, line: Line, payload: JsonObject) -> LogEvent | None:
        kind = text_in(payload, "type") or ""
        if kind == "message":
            return self._message(line, payload)
        if kind in _CALLS:
            name = text_in(payload, "name") or "tool"
            return self._call(line, payload, name, text_in(payload, _CALLS[kind]) or "")
        if kind == "local_shell_call":
            command = _command(object_at(payload, "action")) or ""
            return self._call(line, payload, "local_shell", command)
        if kind == "web_search_call":
            query = text_in(object_at(payload, "action"), "query") or ""
            return self._call(line, payload, "web_search", query)
        if kind in _OUTPUTS:
            return self._output(line, payload)
        return None

    def _message(self, line: Line, payload: JsonObject) -> LogEvent | None:
        texts = _texts(payload.get("content"))
        if payload.get("role") == "assistant":
            return LogEvent(line.place, "assistant_message", self._agent, "\n".join(texts))
        if payload.get("role") != "user":
            return None
        typed = "\n".join(said for said in map(typed_text, texts) if said.strip())
        return LogEvent(line.place, "user_message", self._user, typed, begins_turn=True)

    def _call(self, line: Line, payload: JsonObject, name: str, said: str) -> LogEvent:
        self._calls.remember(text_in(payload, "call_id"), name)
        arguments = _arguments(said)
        command = _command(arguments) or ""
        if name == _PATCH or command.startswith(_PATCH):
            text = command or text_in(arguments, "input") or said
            return LogEvent(line.place, "file_change", self._agent, text, _PATCH)
        # Redacted before it becomes a text: a member may be a secret only by its name.
        written = canonical(redacted(arguments)[0]).decode() if arguments else said
        return LogEvent(line.place, "tool_call", self._agent, command or written, name)

    def _output(self, line: Line, payload: JsonObject) -> LogEvent:
        name = self._calls.name(text_in(payload, "call_id"))
        kind = "tool_result"
        if name in _SHELLS:
            kind = "command_result"
        elif name in _ASKING:
            kind = "decision"
        return LogEvent(line.place, kind, TOOL, _said(payload.get("output")), name)


def _texts(content: Json) -> list[str]:
    """The texts of a content: one text, or parts of which some are pictures."""
    if isinstance(content, str):
        return [content]
    found = (text_in(part, "text") for part in objects_in(content))
    return [text for text in found if text is not None]


def _arguments(said: str) -> JsonObject:
    """The arguments of a call; empty for what is no object: patches and plain words are none."""
    return object_in(said.encode()) or {}


def _command(arguments: JsonObject) -> str | None:
    """The command line of a shell's arguments, without the shell that it is given to."""
    for name in ("cmd", "command"):
        said = arguments.get(name)
        if isinstance(said, str):
            return said
        if isinstance(said, list) and said and all(isinstance(one, str) for one in said):
            inner = len(said) == 3 and said[1] in ("-c", "-lc")
            return said[2] if inner else " ".join(said)
    return None


def _said(output: Json) -> str:
    """What a tool gave back; the words of a shell's output with its exit status before them."""
    if isinstance(output, dict):
        output = output.get("content") or output.get("output")
    text = "\n".join(_texts(output))
    wrapped = _arguments(text)
    inner = wrapped.get("output")
    if not isinstance(inner, str):
        return text
    status = object_at(wrapped, "metadata").get("exit_code")
    return f"Exit code: {status}\n{inner}" if isinstance(status, int) else inner
