"""The cases of the policy on a sanitized export that was imported elsewhere.

A case is played on a running server; what its workspace holds then is exported, verified, and
imported into an empty store, which is asked. What the file may not contain is looked for in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from domain.canonical import JsonObject
from domain.context import CONTRACT_PERMISSIONS, Context
from domain.errors import MemorandaError
from domain.events import SettingsChange
from domain.instants import parse_instant
from ops.event_import import import_events
from ops.exporting import ExportQuestion, export
from ops.memoranda import Memoranda
from ops.settings import ServerMode
from ops.standalone_verifier import verify_export
from ops.wiring import open_memoranda
from tests.policy.doors import Door
from tests.policy.over_http import BY_IMPORT, HttpStore, opened_store
from tests.policy.playing import Played


class LeakError(AssertionError):
    """A file holds what it may not, or does not verify."""


def sanitized(
    where: Path | ServerMode, workspace: str, out: Path, session: str | None = None
) -> Path:
    """The sanitized export of a workspace or of one session, which has to verify."""
    asked = ExportQuestion(workspace=workspace, session=session, sanitized=True)
    export(where, asked, out, lambda *_: None)
    report = verify_export(out)
    if report.wrong:
        raise LeakError(f"the export of {workspace} does not verify: {report.findings}")
    return out


def through(memoranda: Memoranda, workspace: str, played: Played) -> Played:
    """A played case that goes on in a store of this process."""

    def send(operation: str, said: JsonObject, how: Mapping[str, str]) -> JsonObject:
        recorded = how.get("recorded_at")
        context = Context(
            workspace=workspace,
            actor="ann",
            session=how["session"],
            permissions=CONTRACT_PERMISSIONS,
            request_id="elsewhere",
            recorded_at=None if recorded is None else (recorded, parse_instant(recorded, "at")),
        )
        trusted = memoranda.settings.trusted(context)
        body = {
            "contract_version": "v1",
            "operation": operation,
            "input": said,
            "idempotency_key": how.get("request", "elsewhere"),
        }
        found: JsonObject = memoranda.execute(trusted, body)["result"]["result"]
        return found

    return played.going_on(send)


def _stands_in(text: str, words: str) -> bool:
    """As words: a number such as 555 stands in many a hash by chance."""
    return re.search(rf"(?<![0-9a-z]){re.escape(words)}(?![0-9a-z])", text) is not None


def _operator(workspace: str) -> Context:
    return Context(workspace, "ann", "s", frozenset({"policy"}), "elsewhere")


class Elsewhere:
    """Where cases are asked and refused once they were exported and imported."""

    def __init__(self, store: HttpStore, folder: Path) -> None:
        self._store = store
        self._folder = folder

    def answer(self, case: Mapping[str, Any]) -> JsonObject:
        """The answer to a case, in its own names."""
        session = case["query"]["session"]
        by_import = case["id"] in BY_IMPORT
        with self._imported(
            case["events"], session, case["must_not_contain"], by_import=by_import
        ) as played:
            return played.ask(case["query"])

    def refusal(self, case: Mapping[str, Any]) -> str | None:
        """The reason for which the event of a case is refused; None where it is taken."""
        if case["id"] in BY_IMPORT:
            return self._store.refusal(case)
        with self._imported(case["history"], None, (), by_import=False) as played:
            try:
                played.play(case["event"])
            except MemorandaError as refusal:
                return refusal.reason
        return None

    @contextmanager
    def _imported(
        self,
        events: list[JsonObject],
        session: str | None,
        forbidden: Sequence[str],
        *,
        by_import: bool,
    ) -> Iterator[Played]:
        if by_import:
            workspace, played = self._store.arrived(events)
        else:
            workspace, played = self._store.begin()
            for event in events:
                played.play(event)
        data, out = self._folder / workspace, self._folder / f"{workspace}.jsonl"
        if any(session in {None, event["session"]} for event in events):
            said = sanitized(self._store.where, workspace, out, session).read_text("utf-8")
            if any(_stands_in(said, one) for one in forbidden):
                raise LeakError(f"the export of {workspace} contains what it may not")
            import_events(data, out, lambda *_: None)
        with closing(open_memoranda(data)) as memoranda:
            if not out.exists():  # what holds no events has no export, and no settings in it
                change = SettingsChange(session_isolation="strict", require_source=True)
                memoranda.settings.change(_operator(workspace), change)
            yield through(memoranda, workspace, played)


@contextmanager
def exported_door(name: str, data: Path, folder: Path) -> Iterator[Door]:
    """The door of stores in a folder, each with what a server of another one has exported."""
    with opened_store(data) as store:
        elsewhere = Elsewhere(store, folder)
        yield Door(name, elsewhere.answer, elsewhere.refusal)
