"""The main job on real data: `memoranda demo`.

Imports a sample of the PyPA advisory history, then asks five questions of it. Quiet when run
again: every line of the import is then a replay.
"""

from __future__ import annotations

import json
import textwrap
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from domain.context import CONTRACT_PERMISSIONS, Context
from domain.errors import MemorandaError
from domain.instants import parse_instant
from ops.advisories import import_lines, load_sample
from ops.importer import import_lines_into
from ops.memoranda import Memoranda
from ops.wiring import open_memoranda
from read_api.list_filters import MemoryFilters

WORKSPACE: Final = "demo"
CLAIM_KEY: Final = "claim:pyspark/PYSEC-2019-169:pyspark:ECOSYSTEM:0"
DATES: Final = ("2021-08-26T00:00:00Z", "2022-07-01T00:00:00Z")
WIDTH: Final = 100
TEXT_CHARACTERS_MAX: Final = 150
QUESTION: Final = "local user can impersonate the user running a Spark application"
BUDGETS: Final = {
    "max_items": 3,
    "max_depth": 1,
    "max_payload_bytes": 65_536,
    "max_cost": 200,
    "timeout_ms": 10_000,
    "supernode_threshold": 100,
}


@dataclass(frozen=True, slots=True)
class Part:
    """One question, the answer as data, and as lines for people."""

    question: str
    answer: dict[str, Any]
    lines: list[str]


def run(data: Path, *, as_json: bool, console: Console) -> None:
    """Import the sample, ask, print at most 60 lines."""
    memoranda = open_memoranda(data)
    try:
        imported = _import(memoranda, console, quiet=as_json)
        demo = Demo(memoranda)
        parts = [ask() for ask in demo.questions()]
    finally:
        memoranda.close()
    if as_json:
        answers = {"import": imported, **{part.question: part.answer for part in parts}}
        console.print_json(json.dumps(answers))
        return
    _print(f"{imported['accepted']} lines of the PyPA advisory history are remembered.", console)
    for number, part in enumerate(parts, 1):
        console.print()
        _print(f"{number}. {part.question}", console, style="bold")
        for line in part.lines:
            _print(line, console, indent="   ")
    console.print()
    _print(f"Now ask it yourself: memoranda serve --data {data}", console)
    _print("The data: PyPA advisory database, CC BY 4.0 (ops/samples/ATTRIBUTION.md).", console)


def _print(line: str, console: Console, *, indent: str = "", style: str | None = None) -> None:
    """One answer line, wrapped with a hanging indent, as it is: no markup."""
    hanging = indent + ("      " if indent else "")
    for piece in textwrap.wrap(line, WIDTH, initial_indent=indent, subsequent_indent=hanging):
        console.print(piece, style=style, markup=False, soft_wrap=True)


def _import(memoranda: Memoranda, console: Console, *, quiet: bool) -> dict[str, Any]:
    report = import_lines_into(
        memoranda,
        import_lines(load_sample()),
        name="the PyPA sample",
        workspace=WORKSPACE,
        actor="importer",
        console=None if quiet else console,
    )
    return {"accepted": report.accepted, "refused": report.refused, "replayed": report.replayed}


class Demo:
    """The five questions."""

    def __init__(self, memoranda: Memoranda) -> None:
        self._memoranda = memoranda

    def questions(self) -> list[Callable[[], Part]]:
        """In the order in which they are asked."""
        return [self.recall, self.two_dates, self.corrections, self.stale_update, self.replay]

    def recall(self) -> Part:
        """What is known about the words of a question, and why was each item chosen?"""
        said = {
            "objective": QUESTION,
            "seed_ids": [],
            "limits": BUDGETS,
            "kinds": ["document", "claim"],
        }
        answer = self._ask("recall", said)
        lines = []
        for item in answer["items"]:
            record = item["record"]
            lines.append(f"{item['score']:.2f}  {record['kind']}  {_text(record)}")
            lines.append(f"      because {', '.join(item['selection_reasons'])}")
        whole = "complete" if answer["completeness"]["complete"] else "more on the next page"
        lines.append(f"{whole}; answered from position {answer['basis']['position']} of the log")
        return Part(f"What do we know about “{QUESTION}”?", answer, lines)

    def two_dates(self) -> Part:
        """One claim as it was known on two dates, read from its stream."""
        versions = self._trace()["versions"]
        known = {date: _known_at(versions, date) for date in DATES}
        lines = [
            f"{date[:10]}  version {version['version']}: {_text(version['record'])}"
            for date, version in known.items()
        ]
        return Part("Which versions of pyspark were said to be affected, and when?", known, lines)

    def corrections(self) -> Part:
        """The trace of that claim through its corrections."""
        trace = self._trace()
        lines = []
        for version in trace["versions"]:
            changed = ", ".join(version["changed"]) or "everything is new"
            lines.append(
                f"{version['recorded_at'][:10]}  version {version['version']}  "
                f"{version['event']} by {version['actor_id']}: {changed}"
            )
        sources = sorted({s for path in trace["paths"] for s in path["evidence_source_ids"]})
        lines.append(f"evidence: {len(trace['paths'])} relations, from {len(sources)} sources")
        return Part("How did that claim come to say what it says?", trace, lines)

    def stale_update(self) -> Part:
        """An update that was decided on an old version is refused, and changes nothing."""
        patch = {"content": {"format": "text", "value": "decided on version 1"}}
        target = {"kind": "memory", "id": self._claim_id()}
        said = {"target": target, "expected_version": 1, "patch": patch}
        try:
            self._ask("update", said, key=f"stale-{uuid.uuid4()}")
        except MemorandaError as refusal:
            error = refusal.as_wire()
            return Part(
                "What happens to an update that was decided on version 1?",
                error,
                [f"{error['code']}: {error['message']}"],
            )
        raise AssertionError("an update of a stale version was accepted")

    def replay(self) -> Part:
        """A command that is sent twice happens once."""
        said = {
            "identity_key": "demo:note",
            "kind": "observation",
            "schema_version": "1",
            "content": {"format": "text", "value": "The demo was run."},
            "provenance": [],
            "tags": ["demo"],
        }
        self._ask("remember", said, key="demo-note")
        receipt = self._ask("remember", said, key="demo-note")["receipt"]
        line = (
            f"the same receipt: {receipt['committed_id']} at version "
            f"{receipt['committed_version']}, replayed: {receipt['replayed']}"
        )
        return Part("What happens to a command whose answer was lost?", receipt, [line])

    def _claim_id(self) -> str:
        found = self._memoranda.read.memories(_context(), MemoryFilters(identity_key=CLAIM_KEY))
        return str(found["items"][0]["id"])

    def _trace(self) -> dict[str, Any]:
        return self._ask("trace", {"target": {"kind": "memory", "id": self._claim_id()}})

    def _ask(self, operation: str, said: dict[str, Any], key: str | None = None) -> dict[str, Any]:
        envelope = {"contract_version": "v1", "operation": operation, "input": said}
        if key is not None:
            envelope["idempotency_key"] = key
        answer: dict[str, Any] = self._memoranda.execute(_context(), envelope)["result"]["result"]
        return answer


def _context() -> Context:
    return Context(
        workspace=WORKSPACE,
        actor="demo",
        session="demo",
        permissions=CONTRACT_PERMISSIONS,
        request_id=f"demo-{uuid.uuid4()}",
    )


def _known_at(versions: list[dict[str, Any]], date: str) -> dict[str, Any]:
    until = parse_instant(date, "date")
    return [v for v in versions if parse_instant(v["recorded_at"], "recorded_at") <= until][-1]


def _text(record: dict[str, Any]) -> str:
    value = record["content"]["value"]
    text = " ".join(str(value if isinstance(value, str) else value["text"]).split())
    return text if len(text) <= TEXT_CHARACTERS_MAX else text[:TEXT_CHARACTERS_MAX] + "…"
