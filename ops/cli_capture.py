"""`memoranda capture`: from the session log of a coding agent to windows that are posted."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlsplit

import typer

from domain.errors import invalid
from ops.cli_arguments import flattened
from ops.cli_errors import REFUSED, telling
from ops.cli_shared import place, remark, say, say_json
from ops.cli_where import Where
from ops.settings import ServerMode, state_folder

if TYPE_CHECKING:
    from ops.capture.delivery import Report
    from ops.capture.hooks import HookCall
    from ops.capture.reading import Asked

FAIL_OPEN_SECONDS: Final = 5.0
"""So long a client waits for its hook at most, unless --timeout says another time."""
_HOW: Final = "How it is done"
capture_app: Final = typer.Typer(
    no_args_is_help=True,
    help="Post what coding agents were told, from their session logs; each part once.",
)


@dataclass(frozen=True, kw_only=True)
class Captured(Where):
    """What is captured, from where on, and how it ends where it cannot be."""

    log: Annotated[
        str | None,
        typer.Argument(
            metavar="SESSION.jsonl",
            help="The session's log; with --hook what the client says, instead of standard input.",
            show_default=False,
        ),
    ] = None
    since: Annotated[
        str | None,
        typer.Option(help="Leave out turns that began before this line, or this RFC 3339 time."),
    ] = None
    trigger: Annotated[
        str | None,
        typer.Option(help="Why it is captured now. Default: manual; with --hook the event."),
    ] = None
    proposals: Annotated[
        Path | None,
        typer.Option(help="A JSON array of proposals for the last window; its events are E1, E2 …"),
    ] = None
    finished: Annotated[
        bool, typer.Option("--finished", help="The session is over: nothing waits for an answer.")
    ] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the windows as JSON lines, post nothing.")
    ] = False
    hook: Annotated[
        bool,
        typer.Option(
            "--hook", help="Started by the client; implies --fail-open.", rich_help_panel=_HOW
        ),
    ] = False
    fail_open: Annotated[
        bool,
        typer.Option(
            "--fail-open",
            help="End with 0 and a warning where it fails; the next run makes up for it.",
            rich_help_panel=_HOW,
        ),
    ] = False
    timeout: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            max=3600,
            help="Seconds until it gives up. Default: 5 with --fail-open, else none.",
            show_default=False,
            rich_help_panel=_HOW,
        ),
    ] = None
    state: Annotated[
        Path | None,
        typer.Option(
            help="Folder of what was posted. Default: memoranda/capture in the state folder "
            "(XDG_STATE_HOME, else ~/.local/state).",
            show_default=False,
            rich_help_panel=_HOW,
        ),
    ] = None

    @property
    def opens(self) -> bool:
        """Whether no failure may reach the client."""
        return self.hook or self.fail_open

    @property
    def seconds(self) -> float | None:
        """How long it may take."""
        return FAIL_OPEN_SECONDS if self.timeout is None and self.opens else self.timeout


@dataclass(frozen=True, kw_only=True)
class CodexHome:
    """Where Codex keeps its sessions."""

    codex_home: Annotated[
        Path,
        typer.Option(
            envvar="CODEX_HOME", help="For --hook: the log is found there.", rich_help_panel=_HOW
        ),
    ] = Path("~/.codex")


def codex(captured: Captured, home: CodexHome) -> None:
    """Capture a session of Codex."""
    _capture("codex", captured, home.codex_home)


def claude_code(captured: Captured) -> None:
    """Capture a session of Claude Code."""
    _capture("claude-code", captured, None)


capture_app.command("codex")(flattened(codex))
capture_app.command("claude-code")(flattened(claude_code))


def _capture(client: str, captured: Captured, codex_home: Path | None) -> None:
    """A hook of Claude Code that ends with 2 makes the agent go on: none of ours does."""
    from ops.capture.delivery import Report

    report = Report()
    ended = 0
    try:
        with telling(as_json=captured.as_json):
            _run(client, captured, codex_home, report)
    except typer.Exit as failed:
        ended = failed.exit_code
    except Exception as error:
        if not captured.opens:
            raise
        _warn(f"unexpected {type(error).__name__}")
    if report.posted or not ended:
        _tell(report, captured)
    if ended and captured.opens:
        _warn(f"it would have ended with {ended}")
    elif ended or (report.failed and not captured.opens):
        raise typer.Exit(ended or REFUSED)


def _warn(what: str) -> None:
    remark(
        f"warning: the session is not captured to its end ({what}); nothing is lost, the next run "
        "goes on where this one stopped"
    )


def _run(client: str, captured: Captured, codex_home: Path | None, report: Report) -> None:
    from ops.capture.deadline import within
    from ops.capture.running import Run, post, proposals_in, shown
    from ops.cli_views_capture import told_of_cut

    def prepared() -> Run:
        asked = _asked(client, captured, codex_home)
        proposals = None if captured.proposals is None else proposals_in(captured.proposals)
        folder = captured.state or state_folder() / "capture"
        return Run(asked, folder, _store(captured), proposals, report)

    def posted() -> None:
        run = prepared()
        with captured.door() as door:
            post(run, door)

    if not captured.dry_run:
        within(captured.seconds, posted)
        return
    for window in shown(prepared()):
        say(json.dumps(window.body, ensure_ascii=False))
        for text in told_of_cut(window):
            remark(text)


def _store(captured: Captured) -> str:
    """What tells the store from others that the same log may be posted to; no secret is in it."""
    if captured.url is not None:
        return captured.url
    where = place(captured.data)
    if isinstance(where, ServerMode):
        parts = urlsplit(where.database_url)
        shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    else:
        shown = str(where.absolute())
    return " ".join([shown, *filter(None, (captured.workspace, captured.actor))])


def _asked(client: str, captured: Captured, codex_home: Path | None) -> Asked:
    from ops.capture.reading import Asked, Since

    call = _call(captured, codex_home) if captured.hook else None
    if call is None and captured.log is None:
        raise invalid(
            "SESSION.jsonl is missing: name a session's log, or use --hook", field="SESSION.jsonl"
        )
    return Asked(
        log=(Path(captured.log or "") if call is None else call.log).absolute(),
        client=client,
        trigger=captured.trigger or ("manual" if call is None else call.trigger),
        since=Since() if captured.since is None else Since.of(captured.since),
        whole=captured.finished or (call is not None and call.turn_ended),
    )


def _call(captured: Captured, codex_home: Path | None) -> HookCall:
    """What the client says: as the last argument, or on standard input."""
    from ops.capture.hooks import CALL_BYTES_MAX, hook_call

    said = captured.log
    text = sys.stdin.buffer.read(CALL_BYTES_MAX + 1) if said is None else os.fsencode(said)
    return hook_call(text, codex_home)


def _tell(report: Report, captured: Captured) -> None:
    """What was posted, and what was left out. A client reads its hook's standard output."""
    from ops.cli_views_capture import told

    beside = captured.hook or captured.dry_run
    if captured.as_json and not beside:
        say_json(report.as_json())
        return
    for text in told(report):
        (remark if beside else say)(text)
