"""The history of the PyPA advisory database, told as memory operations.

Each revision becomes a source; an advisory is a document, each of its affected ranges a claim that
is `part_of` it, and each revision that states a range `supports` the claim. Aliases and references
are memories with `alias_of` and `cites` edges. A changed range is an update of its claim, a
withdrawal or a removal a forget `expire` of the advisory and its claims. A revision that only moves
the date of modification leaves a source and nothing else.

The translation is pure and goes forward only: the lines of a revision depend on that revision and
the earlier ones, so the lines of a prefix of the history are a prefix of its lines.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Final

from ops.advisory_claims import Claims
from ops.advisory_lines import Line, Properties, RevisionLines
from ops.advisory_records import Revision

SAMPLE: Final = "pypa_advisories.jsonl.gz"


def load_sample() -> Iterator[dict[str, object]]:
    """The revisions of the shipped sample in commit order; its terms are in ATTRIBUTION.md."""
    with files("ops.samples").joinpath(SAMPLE).open("rb") as raw, gzip.open(raw, "rb") as rows:
        yield from map(json.loads, rows)


def import_lines(revisions: Iterable[Mapping[str, object]]) -> Iterator[dict[str, object]]:
    """The lines for `memoranda import`, for revisions in commit order.

    A line is `{"context": {"recorded_at": …}, "contract_version", "idempotency_key", "operation",
    "input"}` (spec/operations.md §2), with `{"identity_key": …}` where an input takes an id.
    Idempotency keys are made of commit, path and a running number, so a second import of the same
    history replays it. Raises pydantic.ValidationError for a row that is no revision.
    """
    history = _History()
    for row in revisions:
        yield from history.follow(Revision.model_validate(dict(row)))


@dataclass
class _Advisory:
    """What the lines so far have said of one advisory; `removed_in` = the commit that did it."""

    key: str
    claims: Claims
    last: Revision | None = None
    edges: dict[str, bool] = field(default_factory=dict)
    hidden_at: str | None = None
    removed_in: str | None = None

    @property
    def absent(self) -> bool:
        """Never there, or removed since."""
        return self.last is None or self.removed_in is not None

    @property
    def aliases(self) -> frozenset[str]:
        return frozenset(() if self.last is None else self.last.aliases)


class _History:
    """All advisories, by folder and path, and which alias and reference memories there are."""

    def __init__(self) -> None:
        self._folders: dict[str, dict[str, _Advisory]] = {}
        self._known: set[str] = set()

    def follow(self, revision: Revision) -> list[Line]:
        out = RevisionLines(revision)
        folder = self._folders.setdefault(revision.folder, {})
        if revision.action == "remove":
            self._removed(out, folder.get(revision.path))
        else:
            fresh = _Advisory(f"advisory:{revision.place}", Claims(revision.place))
            self._stated(out, folder.setdefault(revision.path, fresh))
        return out.lines

    def _stated(self, out: RevisionLines, advisory: _Advisory) -> None:
        """A revision that creates or updates an advisory."""
        revision, last = out.revision, advisory.last
        _source(out, "" if last and last.details == revision.details else revision.details)
        _document(out, advisory)
        self._link(out, advisory)
        if advisory.absent:
            self._merge_renamed(out, advisory)
        advisory.last, advisory.removed_in = revision, None
        advisory.claims.follow(out, advisory.key)
        if revision.withdrawn is not None:
            reason = f"{revision.name} was withdrawn from the PyPA advisory database."
            advisory.claims.expire_all(out, revision.withdrawn, reason)
            if advisory.hidden_at != revision.withdrawn:
                out.expire(advisory.key, revision.withdrawn, reason)
                advisory.hidden_at = revision.withdrawn

    def _removed(self, out: RevisionLines, advisory: _Advisory | None) -> None:
        """A removal takes the advisory back; those that list one of its aliases take its place."""
        _source(out, "")
        if advisory is None or advisory.absent:
            return
        revision = out.revision
        heirs = [other for other in self._kin(out, advisory) if not other.absent]
        names = ", ".join(heir.last.name for heir in heirs if heir.last is not None)
        reason = f"{revision.name} was removed from the PyPA advisory database" + (
            f"; {names} covers the same vulnerability." if heirs else "."
        )
        for heir in heirs:
            out.relate("merged_into", advisory.key, heir.key)
        advisory.claims.close(out, revision.recorded_at, reason)
        if advisory.hidden_at is None:
            out.expire(advisory.key, revision.recorded_at, reason)
            advisory.hidden_at = revision.recorded_at
        advisory.removed_in = revision.commit

    def _merge_renamed(self, out: RevisionLines, advisory: _Advisory) -> None:
        """An advisory that takes the place of one that the same commit has just removed."""
        for other in self._kin(out, advisory):
            if other.removed_in == out.revision.commit:
                out.relate("merged_into", other.key, advisory.key)

    def _kin(self, out: RevisionLines, advisory: _Advisory) -> list[_Advisory]:
        """Other advisories of the folder that share an alias, in order of their coming."""
        aliases = advisory.aliases.union(out.revision.aliases)
        others = self._folders[out.revision.folder].values()
        return [o for o in others if o is not advisory and not aliases.isdisjoint(o.aliases)]

    def _link(self, out: RevisionLines, advisory: _Advisory) -> None:
        """Edges to aliases and references; one that a revision no longer lists has expired."""
        revision = out.revision
        listed = [("alias", name) for name in revision.aliases]
        listed += [("reference", address) for address in revision.references]
        wanted: dict[str, None] = {}
        for kind, name in listed:
            memory_key = f"{kind}:{name}"
            if memory_key not in self._known:
                out.remember(memory_key, kind, name, {}, [])
                self._known.add(memory_key)
            ends = (memory_key, advisory.key) if kind == "alias" else (advisory.key, memory_key)
            edge = "alias_of" if kind == "alias" else "cites"
            edge_key = f"{edge}:{ends[0]}:{ends[1]}"
            wanted[edge_key] = None
            if not advisory.edges.get(edge_key):
                advisory.edges[out.relate(edge, *ends)] = True
        for edge_key in [k for k, live in advisory.edges.items() if live and k not in wanted]:
            out.retire_edge(edge_key, "expired")
            advisory.edges[edge_key] = False


def _source(out: RevisionLines, details: str) -> None:
    """The revision itself. Its text holds the details only where it brings them: one text, once."""
    revision = out.revision
    verb = {"create": "created", "update": "updated", "remove": "removed"}[revision.action]
    text = f"Commit {revision.commit} {verb} {revision.name} ({revision.folder})."
    properties: Properties = {
        "action": revision.action,
        "advisory": revision.name,
        "commit": revision.commit,
        "path": revision.path,
    }
    if revision.action != "remove":
        properties |= {
            "affected": [f"{s.package} {s.kind} {s.object}" for s in revision.statements()],
            "aliases": list(revision.aliases),
            "modified": revision.modified,
            "package": revision.folder,
            "withdrawn": revision.withdrawn,
        }
    text = f"{text} {details}".rstrip()
    out.remember(revision.source_id, "source", text, _given(properties), [])


def _document(out: RevisionLines, advisory: _Advisory) -> None:
    """The advisory: new, back again, corrected, or as before (no line)."""
    revision, last = out.revision, advisory.last
    text, properties = _text(revision), _properties(revision)
    back = advisory.hidden_at is not None and revision.withdrawn is None
    if last is None or back or advisory.absent:
        out.remember(advisory.key, "document", text, properties, _tags(revision))
        advisory.hidden_at = None
    elif (text, properties) != (_text(last), _properties(last)):
        fresh = [tag for tag in _tags(revision) if tag not in _tags(last)]
        out.correct(advisory.key, text, properties, fresh)


def _text(revision: Revision) -> str:
    return f"{revision.name} ({revision.folder}): {revision.details}"


def _tags(revision: Revision) -> list[str]:
    return list(dict.fromkeys([revision.folder, *revision.aliases]))


def _properties(revision: Revision) -> Properties:
    return _given(
        {
            "advisory": revision.name,
            "aliases": list(revision.aliases),
            "package": revision.folder,
            "published": revision.published,
            "severity": revision.severity,
            "withdrawn": revision.withdrawn,
        }
    )


def _given(properties: Properties) -> Properties:
    """Without the unset ones: recall looks at names too, and `withdrawn` should find what was."""
    return {name: value for name, value in properties.items() if value is not None}
