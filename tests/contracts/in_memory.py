"""The smallest store that keeps the contract: where to begin with one of your own."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from threading import Lock

from commands.store_errors import PlacesTakenError, StoreError, StreamConflictError
from commands.store_loading import by_stream
from commands.store_rows import Appended, Growth, StoredRef, StoredRow, originator_id


@dataclass
class Kept:
    """What lasts from one open to the next."""

    rows: list = field(default_factory=list)
    refs: list = field(default_factory=list)
    keys: dict = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)


class InMemoryLog:
    """A `LogStore`. All that an append changes, it changes at its end, under the lock."""

    parts = 1

    def __init__(self, kept, clock):
        self._open_one, self._clock = kept, clock

    @property
    def _kept(self):
        if self._open_one is None:
            raise StoreError("the store is closed: open it again")
        return self._open_one

    def close(self):
        self._open_one = None

    def append(self, rows, refs, *, api_keys=(), durable=True, not_before_us=0):
        with self._kept.lock:
            if not (rows or refs or api_keys):
                return Appended((), 0)
            self._refuse_clashes(rows)
            last = self.head()
            now = max(self._clock.now_us(), not_before_us, self.appended_at(last) + 1)
            new = [_stored(row, at, now) for at, row in enumerate(rows, last + 1)]
            added = [
                StoredRef(r.workspace, r.kind, r.ref, r.stream, last + 1 + r.row_index)
                for r in refs
            ]
            if len(set(added)) < len(added):
                raise StoreError("a reference is given twice")
            self._kept.keys = _changed(self._kept.keys, api_keys)
            self._kept.refs += added
            self._kept.rows += new
            return Appended(tuple(row.position for row in new), now)

    def append_placed(self, rows, refs, places):
        with self._kept.lock:
            self._refuse_clashes(rows)
            last = self.head()
            first = places[0] if places else None
            if first and (first.position <= last or first.appended_us < self.appended_at(last)):
                raise PlacesTakenError
            self._kept.refs += [
                StoredRef(r.workspace, r.kind, r.ref, r.stream, places[r.row_index].position)
                for r in refs
            ]
            self._kept.rows += [
                _stored(row, *place) for row, place in zip(rows, places, strict=True)
            ]

    def _refuse_clashes(self, rows):
        given = Counter((originator_id(row.stream), row.version) for row in rows)
        if any(originator is None for originator, _ in given):
            raise ValueError("an event is appended to a stream with an id of ours")
        taken = {one for one, times in given.items() if times > 1}
        taken |= given.keys() & {(row.originator_id, row.version) for row in self._kept.rows}
        if taken:
            clashing = [r.stream for r in rows if (originator_id(r.stream), r.version) in taken]
            raise StreamConflictError(frozenset(clashing))

    def load(self, wanted):
        return by_stream(wanted, self._kept.rows)

    def rows_after(self, position, limit, *, part=None, workspace=None, topics=()):
        return [
            row
            for row in self._kept.rows
            if row.position > position
            and part in {None, row.part}
            and workspace in {None, row.workspace}
            and (not topics or row.topic in topics)
        ][:limit]

    def naming(self, workspace, topics, ids, after, until):
        found = self.rows_after(after, until, workspace=workspace, topics=topics)
        named = [one.encode() for one in ids]
        return [r for r in found if r.position <= until and any(one in r.state for one in named)]

    def grown(self, after, until, topics):
        found = {}
        for row in self.rows_after(after, until, topics=topics):
            if row.position <= until:
                events, _ = found.get((row.workspace, row.topic), (0, 0))
                found[row.workspace, row.topic] = (events + 1, row.position)
        return [Growth(*key, *counted) for key, counted in found.items()]

    def references(self, workspace, kind, ref):
        found = (
            r for r in self._kept.refs if (r.workspace, r.kind, r.ref) == (workspace, kind, ref)
        )
        return [(r.stream, r.position) for r in sorted(found, key=lambda r: (r.position, r.stream))]

    def references_to(self, workspace, kind, refs):
        found = (
            r
            for r in self._kept.refs
            if (r.workspace, r.kind) == (workspace, kind) and r.ref in refs
        )
        return sorted(
            ((r.ref, r.stream, r.position) for r in found), key=lambda r: (r[2], r[1], r[0])
        )

    def references_between(self, after, until):
        found = (r for r in self._kept.refs if after < r.position <= until)
        return sorted(found, key=lambda r: (r.position, r.kind, r.ref))

    def head(self):
        return self._kept.rows[-1].position if self._kept.rows else 0

    def appended_at(self, position):
        return max((r.appended_us for r in self._kept.rows if r.position <= position), default=0)

    def position_at(self, known_at):
        return max((r.position for r in self._kept.rows if r.appended_us <= known_at), default=0)

    def api_keys(self):
        return sorted(self._kept.keys.values(), key=lambda key: (key.created_at, key.key_id))

    def api_key(self, digest):
        return next((key for key in self._kept.keys.values() if key.digest == digest), None)


def _stored(row, position, now):
    columns = {name: value for name, value in asdict(row).items() if name != "stream"}
    originator = originator_id(row.stream)
    return StoredRow(position=position, originator_id=originator, appended_us=now, **columns)


def _changed(keys, changes):
    keys = dict(keys)
    for change in changes:
        if change.issued:
            keys[change.issued.key_id] = change.issued
        if change.revoked:
            key_id, when = change.revoked
            if key_id not in keys:
                raise StoreError("there is no such API key: list the keys")
            keys[key_id] = replace(keys[key_id], revoked_at=keys[key_id].revoked_at or when)
    return keys
