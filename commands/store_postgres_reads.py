"""What is asked of the log in PostgreSQL. Every method may be called from any thread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from commands.postgres_arrays import int8s, uuids
from commands.postgres_readers import Readers
from commands.store_loading import by_originator, by_stream
from commands.store_rows import ApiKeyRow, Growth, StoredRef, StoredRow
from domain.instants import Micros

_EVENT: Final = (
    "SELECT e.position, e.originator_id, e.originator_version, e.topic, e.state, e.event_hash,"
    " e.workspace, e.part, e.appended_at FROM"
)
_LOAD: Final = (
    f"{_EVENT} unnest(%(ids)s::uuid[], %(after)s::int8[]) AS wanted (id, version)"
    " JOIN memoranda_log.event AS e"
    " ON e.originator_id = wanted.id AND e.originator_version > wanted.version ORDER BY e.position"
)
_API_KEY: Final = (
    "SELECT key_id, digest, name, workspace, actor, agent, permissions, expires_at, created_at,"
    " revoked_at FROM memoranda_log.api_key"
)
_AT: Final = (
    "SELECT position, appended_at FROM memoranda_log.event WHERE position <= %(at)s"
    " ORDER BY position DESC LIMIT 1"
)
_REF: Final = "SELECT workspace, kind, ref, stream, position FROM memoranda_log.event_ref"
_NAMES_ONE: Final = (
    "EXISTS (SELECT FROM unnest(%(ids)s::bytea[]) AS named (id) WHERE position(id IN e.state) > 0)"
)
_GROWN: Final = (
    "SELECT workspace, topic, count(*), max(position) FROM memoranda_log.event"
    " WHERE position > %(after)s AND position <= %(until)s AND topic = ANY (%(topics)s::text[])"
    " GROUP BY workspace, topic"
)
_HEADS: Final = """
SELECT part, head FROM generate_series(0, %(parts)s::int4 - 1) AS part
CROSS JOIN LATERAL (
  SELECT max(position) AS head FROM memoranda_log.event AS e WHERE e.part = part.part
) AS last WHERE head IS NOT NULL"""
_END: Final = 2**63 - 1
# Bisection in one statement, and so of one state of the log.
_KNOWN: Final = """
WITH RECURSIVE last AS (
  SELECT position, appended_at FROM memoranda_log.event ORDER BY position DESC LIMIT 1
), search (known, beyond) AS (
  SELECT 0::int8, position FROM last
  UNION ALL
  SELECT CASE WHEN found THEN middle ELSE known END, CASE WHEN found THEN beyond ELSE middle END
  FROM search
  CROSS JOIN LATERAL (SELECT (known + beyond) / 2 AS middle) AS halved
  CROSS JOIN LATERAL (SELECT coalesce((
    SELECT e.appended_at FROM memoranda_log.event AS e WHERE e.position <= middle
    ORDER BY e.position DESC LIMIT 1
  ), 0) <= %(known_at)s AS found) AS looked
  WHERE beyond - known > 1
)
SELECT CASE WHEN last.appended_at <= %(known_at)s THEN last.position ELSE (
  SELECT max(e.position) FROM memoranda_log.event AS e
  WHERE e.position <= (SELECT max(known) FROM search)
) END FROM last"""


class PostgresReads:
    """Queries over events, references and API keys."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers

    def load(self, wanted: Mapping[str, int]) -> dict[str, list[StoredRow]]:
        """Events of public stream ids after a version each, by version: one SELECT.

        A stream without such events is left out, as is what is no id of a stream.
        """
        after = by_originator(wanted)
        if not after:
            return {}
        asked = {"ids": uuids(list(after)), "after": int8s(list(after.values()))}
        return by_stream(wanted, _rows(self._readers.fetch(_LOAD, asked)))

    def rows_after(
        self,
        position: int,
        limit: int,
        *,
        part: int | None = None,
        workspace: str | None = None,
        topics: Sequence[str] = (),
    ) -> list[StoredRow]:
        """At most `limit` events after a position, in order; restricted where asked."""
        conditions = {"e.position >": position, "e.part =": part, "e.workspace =": workspace}
        return self.rows(conditions, topics=topics, limit=limit)

    def part_heads(self, parts: int) -> dict[int, int]:
        """The last position of each of so many parts that has events."""
        return dict(self._readers.fetch(_HEADS, {"parts": parts}))

    def rows(
        self,
        conditions: Mapping[str, object],
        *,
        topics: Sequence[str] = (),
        order: str = "e.position",
        limit: int | None = None,
    ) -> list[StoredRow]:
        """Events that meet all conditions but those whose value is None."""
        where: list[str] = []
        asked: dict[str, Any] = {}
        for number, (sql, value) in enumerate(conditions.items()):
            if value is not None:
                where.append(f"{sql} %(v{number})s")
                asked[f"v{number}"] = value
        return self._selected(where, topics, asked, order, limit)

    def _selected(
        self,
        where: Sequence[str],
        topics: Sequence[str],
        asked: dict[str, Any],
        order: str = "e.position",
        limit: int | None = None,
    ) -> list[StoredRow]:
        conditions = [*where, "e.topic = ANY(%(topics)s::text[])"] if topics else where
        query = (
            f"{_EVENT} memoranda_log.event AS e WHERE {' AND '.join(conditions) or 'true'}"
            f" ORDER BY {order} LIMIT %(limit)s::int8"
        )
        asked |= {"topics": list(topics), "limit": limit}
        return list(_rows(self._readers.fetch(query, asked)))

    def naming(
        self, workspace: str, topics: Sequence[str], ids: Sequence[str], after: int, until: int
    ) -> list[StoredRow]:
        """Events of the topics at positions in (after, until] in whose bytes an id stands.

        In sealed bytes an id can stand by chance, so the caller reads the head. No index leads
        there: the rows of the workspace in between are read, and none of them is decoded.
        """
        where = ["e.workspace = %(w)s", "e.position > %(after)s", "e.position <= %(until)s"]
        asked: dict[str, Any] = {
            "w": workspace,
            "after": after,
            "until": until,
            "ids": [one.encode() for one in ids],
        }
        return self._selected([*where, _NAMES_ONE], topics, asked)

    def grown(self, after: int, until: int, topics: Sequence[str]) -> list[Growth]:
        """How many events of each workspace and topic are at positions in (after, until].

        No event is decoded.
        """
        asked = {"after": after, "until": until, "topics": list(topics)}
        return [Growth(*row) for row in self._readers.fetch(_GROWN, asked)]

    def references(self, workspace: str, kind: str, ref: str) -> list[tuple[str, int]]:
        """(stream, position) of the references of a kind to `ref`, by position."""
        query = (
            "SELECT stream, position FROM memoranda_log.event_ref"
            " WHERE workspace = %(workspace)s AND kind = %(kind)s AND ref = %(ref)s"
            " ORDER BY position, stream"
        )
        asked = {"workspace": workspace, "kind": kind, "ref": ref}
        return [(stream, at) for stream, at in self._readers.fetch(query, asked)]

    def references_to(
        self, workspace: str, kind: str, refs: Sequence[str]
    ) -> list[tuple[str, str, int]]:
        """(ref, stream, position) of the references of a kind to any of `refs`, by position."""
        query = (
            "SELECT ref, stream, position FROM memoranda_log.event_ref"
            " WHERE workspace = %(workspace)s AND kind = %(kind)s AND ref = ANY(%(refs)s::text[])"
            " ORDER BY position, stream, ref"
        )
        asked = {"workspace": workspace, "kind": kind, "refs": list(refs)}
        return [(ref, stream, at) for ref, stream, at in self._readers.fetch(query, asked)]

    def references_between(self, after: int, until: int) -> list[StoredRef]:
        """The references of the events at positions in (after, until], by position.

        Reads the whole table: it is for verifying.
        """
        query = (
            f"{_REF} WHERE position > %(after)s AND position <= %(until)s"
            " ORDER BY position, kind, ref"
        )
        asked = {"after": after, "until": until}
        return [StoredRef(*row) for row in self._readers.fetch(query, asked)]

    def head(self) -> int:
        """The last position; 0 for an empty log."""
        return self._at(_END)[0]

    def appended_at(self, position: int) -> Micros:
        """Append time of the last event at or before a position; 0 for none."""
        return self._at(position)[1]

    def position_at(self, known_at: Micros) -> int:
        """The largest position with every event up to it appended at or before that time.

        Append times only grow along the log, so that some twenty look-ups find it.
        """
        found = self._readers.fetch(_KNOWN, {"known_at": known_at})
        return (found[0][0] or 0) if found else 0

    def _at(self, position: int) -> tuple[int, Micros]:
        """Position and append time of the last event at or before a position; (0, 0) for none."""
        found = self._readers.fetch(_AT, {"at": min(position, _END)})
        return (found[0][0], found[0][1]) if found else (0, 0)

    def api_keys(self) -> list[ApiKeyRow]:
        """All API keys, the revoked ones too, oldest first."""
        found = self._readers.fetch(f"{_API_KEY} ORDER BY created_at, key_id", {})
        return [ApiKeyRow(*row) for row in found]

    def api_key(self, digest: str) -> ApiKeyRow | None:
        """The API key with a digest; None where there is none."""
        found = self._readers.fetch(f"{_API_KEY} WHERE digest = %(digest)s", {"digest": digest})
        return ApiKeyRow(*found[0]) if found else None


def _rows(found: Iterable[tuple[Any, ...]]) -> Iterable[StoredRow]:
    for position, originator, *rest in found:
        yield StoredRow(position, originator.hex, *rest)
