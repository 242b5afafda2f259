"""A workspace with something of everything, its exports, and files that were tampered with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from domain.canonical import JsonObject, canonical
from domain.envelope import StoredState, commitment
from domain.exports import START, chained, leaf
from domain.instants import parse_instant
from ops.event_import import EventReport, import_events
from ops.exporting import Exported, ExportQuestion, export
from tests.backup.worlds import World, quiet
from tests.circumstances import context
from tests.erasure.world import Talk

WORKSPACE: Final = context().workspace
ERASED, HIDDEN = "marmalade", "cormorant"
NEWEST: Final = "newest-recorded/v1"


def text_of(words: str, slot: str | None = None) -> JsonObject:
    """A content that names a slot."""
    properties = {} if slot is None else {"slot": slot}
    return {"format": "text_and_properties", "value": {"text": words, "properties": properties}}


@dataclass
class History:
    """Ids of what was said, by what it is for."""

    ids: dict[str, str] = field(default_factory=dict)
    recalls: list[str] = field(default_factory=list)


def tell(talk: Talk) -> History:
    """Remember, relate, correct, consolidate, recall, forget in two ways."""
    told = History()
    ids = told.ids
    ids["old"] = talk.remember(content=text_of("The mast is 12 m high.", "mast"), identity_key=None)
    ids["new"] = talk.remember(content=text_of("The mast is 13 m high.", "mast"), identity_key=None)
    ids["keyed"] = talk.remember(content=text_of("The hull is green."), identity_key="hull")
    ids["erased"] = talk.remember(content=text_of(f"{ERASED} jar", "jar"), identity_key="jar")
    ids["hidden"] = talk.remember(content=text_of(f"{HIDDEN} nest", "nest"), identity_key=None)
    ids["again"] = talk.remember(content=text_of("The mast is high.", "mast"), identity_key=None)
    ids["edge"] = talk.send(
        "relate",
        source_id=ids["old"],
        target_id=ids["hidden"],
        kind="supports",
        properties={"note": HIDDEN},
        identity_key=None,
    )["relationship"]["id"]
    talk.update(ids["new"], content=text_of("The mast is 14 m high.", "mast"))
    ask(talk, told, f"mast {ERASED} {HIDDEN}")
    members = [ids["old"], ids["new"]]
    said = {"memory_ids": members, "canonical_id": ids["new"], "reason": "same mast"}
    proposed = talk.send("consolidate", **said)
    mode = {"mode": "apply_approved", "proposal_id": proposed["proposal_id"]}
    talk.send("consolidate", **said, mode={**mode, "approval_policy": "two-eyes"})
    forget(talk, ids["erased"], "application_delete", f"asked to remove {ERASED}")
    forget(talk, ids["hidden"], "tombstone", f"no {HIDDEN}")
    ask(talk, told, "mast", slot="mast")
    talk.update(ids["keyed"], content=text_of("The hull is dark green."))
    ask(talk, told, "hull")
    return told


def forget(talk: Talk, memory: str, mode: str, reason: str) -> None:
    """Forget with a reason."""
    talk.send("forget", memory_id=memory, mode=mode, reason=reason)


def ask(talk: Talk, told: History, words: str, **more: Any) -> JsonObject:
    """A recall under the policy that chooses."""
    found: JsonObject = talk.recall(words, policy=NEWEST, **more)
    told.recalls.append(found["recall_id"])
    return found


def exported(world: World, out: Path, **asked: Any) -> Exported:
    """An export of the workspace of the tests."""
    return export(world.where, ExportQuestion(workspace=WORKSPACE, **asked), out, quiet)


def imported(world: World, file: Path) -> EventReport:
    """An import into a store that nobody has open."""
    return import_events(world.where, file, quiet)


class Tampered:
    """The lines of a file, changed, and written down again."""

    def __init__(self, file: Path) -> None:
        self.lines: list[dict[str, Any]] = [
            json.loads(line) for line in file.read_bytes().split(b"\n") if line
        ]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows, without header, later forgets and manifest."""
        return [line for line in self.lines if "n" in line]

    def first(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first row that is wanted."""
        return next(row for row in self.rows if wanted(row))

    def rehash(self) -> None:
        """Commitments, chains and the header's position, as a thorough attacker makes them."""
        chain, tips = START, dict[str, str]()
        for row in self.rows:
            said = row["structure"]
            if "payload" in row:
                salt, payload = bytes.fromhex(row["salt"]), canonical(row["payload"])
                row["commitment"] = commitment(salt, payload)
            said["prev"] = tips.get(said["stream"])
            head = canonical(said | {"commitment": row["commitment"]})
            digest = StoredState(head, b"", bytes.fromhex(row["body_sha256"])).hash
            tips[said["stream"]] = digest.hex()
            at = parse_instant(row["appended_at"], "appended_at")
            if {type(row["n"]), type(row["position"])} == {int}:
                chain = chained(chain, row["n"], leaf(row["position"], at, digest))
            row["hash"] = chain.hex()
        self.lines[0]["position"] = self.rows[-1]["position"]

    def write(self, out: Path, *, hashes: bool) -> Path:
        """With its manifest as it was, or with the hashes of it computed again."""
        if hashes:
            self._manifest()
        out.write_bytes(b"".join(canonical(line) + b"\n" for line in self.lines))
        return out

    def _manifest(self) -> None:
        body = b"".join(canonical(line) + b"\n" for line in self.lines[:-1])
        heads = [row["structure"] | {"commitment": row["commitment"]} for row in self.rows]
        structure = b"".join(canonical(head) + b"\n" for head in heads)
        self.lines[-1]["manifest"] |= {
            "count": len(self.rows),
            "head": self.rows[-1]["hash"],
            "structure_sha256": hashlib.sha256(structure).hexdigest(),
            "export_sha256": hashlib.sha256(body).hexdigest(),
        }
