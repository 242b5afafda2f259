"""Reads transcripts of Claude Code: `~/.claude/projects/<project>/<session>.jsonl`.

A line is a message with blocks, or a note of the client. What becomes of it:

| line | events |
| --- | --- |
| `user`, typed | user_message by user, of the text without what is injected |
| `user`, `<bash-input>`, `<bash-stdout>` … | tool_call and command_result by client |
| `user`, `tool_result` | error, command_result after Bash, decision after a question, tool_result |
| `assistant` | assistant_message; tool_call, or file_change for tools that edit |
| `isSidechain` | the same by subagent, without its prompt |
| `isMeta`, `summary`, `system`, thinking, others | none |
"""

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
from ops.capture.lines import Line
from ops.capture.typed import typed_text

_EDITING: Final = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
_COMMANDS: Final = frozenset({"Bash", "BashOutput"})
_ASKING: Final = frozenset({"AskUserQuestion", "ExitPlanMode"})
_NOT_TYPED: Final = (
    "isMeta",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isSynthetic",
    "sourceToolUseID",
    "toolUseResult",
)
"""Marks of a `user` line that the client wrote itself."""
_SHELL: Final = {
    "bash-input": "tool_call",
    "bash-stdout": "command_result",
    "bash-stderr": "command_result",
}
"""What a person ran without the agent, and what came out."""
_NO_ANSWER: Final = "No response requested."


class ClaudeCode:
    """`ops.capture.events.Reader` for Claude Code."""

    client: Final = "claude-code"

    def __init__(self, session: Session) -> None:
        self.session = session
        self._calls = Calls()

    def read(self, line: Line) -> Iterator[LogEvent]:
        value, session = line.value, self.session
        session.session_id = session.session_id or text_in(value, "sessionId")
        session.cwd = session.cwd or text_in(value, "cwd")
        session.branch = session.branch or text_in(value, "gitBranch")
        found: Iterator[LogEvent] = iter(())
        if value.get("type") == "user":
            found = self._user(line)
        elif value.get("type") == "assistant":
            found = self._assistant(line)
        at = time_of(value)
        index = 0
        for event in found:
            if event.text.strip():
                yield _placed(event, line, index, at)
                index += 1

    def rest(self) -> Iterator[LogEvent]:
        return iter(())

    def _user(self, line: Line) -> Iterator[LogEvent]:
        value = line.value
        content = object_at(value, "message").get("content")
        blocks = _blocks(content)
        yield from self._results(line, blocks)
        if _by_agent(value):
            return
        text = "\n".join(_texts(blocks))
        for name, kind in _SHELL.items():
            yield LogEvent(line.place, kind, CLIENT, _between(text, name), "bash")
        if not _may_be_typed(value):
            return
        # Blocks apart: what is injected has one of its own.
        typed = [said for said in map(typed_text, _texts(blocks)) if said.strip()]
        yield LogEvent(line.place, "user_message", USER, "\n".join(typed), begins_turn=True)

    def _results(self, line: Line, blocks: list[JsonObject]) -> Iterator[LogEvent]:
        for block in blocks:
            if block.get("type") != "tool_result":
                continue
            name = self._calls.name(text_in(block, "tool_use_id"))
            kind = "tool_result"
            if block.get("is_error") is True:
                kind = "error"
            elif name in _COMMANDS:
                kind = "command_result"
            elif name in _ASKING:
                kind = "decision"
            text = "\n".join(_texts(_blocks(block.get("content"))))
            yield LogEvent(line.place, kind, TOOL, text, name)

    def _assistant(self, line: Line) -> Iterator[LogEvent]:
        value = line.value
        actor = SUBAGENT if _by_agent(value) else ASSISTANT
        for block in _blocks(object_at(value, "message").get("content")):
            text = text_in(block, "text")
            if block.get("type") == "text" and text is not None and text != _NO_ANSWER:
                failed = value.get("isApiErrorMessage") is True
                kind, who = ("error", CLIENT) if failed else ("assistant_message", actor)
                yield LogEvent(line.place, kind, who, text)
            elif block.get("type") == "tool_use":
                yield self._called(line, block, actor)

    def _called(self, line: Line, block: JsonObject, actor: str) -> LogEvent:
        name, said = text_in(block, "name") or "tool", object_at(block, "input")
        self._calls.remember(text_in(block, "id"), name)
        command = text_in(said, "command")
        if name in _EDITING:
            return LogEvent(line.place, "file_change", actor, _change(said), name)
        if name in _COMMANDS and command is not None:
            return LogEvent(line.place, "tool_call", actor, command, name)
        return LogEvent(line.place, "tool_call", actor, _written(said), name)


def _placed(event: LogEvent, line: Line, index: int, at: str | None) -> LogEvent:
    return replace(event, place=replace(line.place, index=index), at=at)


def _by_agent(value: JsonObject) -> bool:
    """Whether a sub-agent is speaking, or is spoken to by the agent."""
    return bool(value.get("isSidechain")) or text_in(value, "agentId") is not None


def _may_be_typed(value: JsonObject) -> bool:
    origin = object_at(value, "origin").get("kind", "human")
    return origin == "human" and not any(value.get(mark) for mark in _NOT_TYPED)


def _blocks(content: Json) -> list[JsonObject]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return objects_in(content)


def _texts(blocks: list[JsonObject]) -> list[str]:
    found = (text_in(block, "text") for block in blocks if block.get("type") == "text")
    return [text for text in found if text is not None]


def _between(text: str, name: str) -> str:
    """What stands in an element, up to the last of its ends; empty for a text without it."""
    _, opened, rest = text.partition(f"<{name}>")
    inner, closed, _ = rest.rpartition(f"</{name}>")
    return inner if opened and closed and text.lstrip().startswith("<bash-") else ""


def _change(said: JsonObject) -> str:
    """The file, and what was put into it in place of what."""
    lines = [text_in(said, "file_path") or text_in(said, "notebook_path") or ""]
    for edit in [said, *objects_in(said.get("edits"))]:
        for mark, name in (("-", "old_string"), ("+", "new_string")):
            text = text_in(edit, name)
            lines += [f"{mark}{one}" for one in text.split("\n")] if text is not None else []
    lines += [text for name in ("content", "new_source") if (text := text_in(said, name))]
    return "\n".join(lines)


def _written(said: JsonObject) -> str:
    # Redacted before it becomes a text: a member may be a secret only by its name.
    return canonical(redacted(said)[0]).decode()
