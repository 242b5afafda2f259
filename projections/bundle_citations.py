"""Citations put behind the rows of a claim that stands: nothing of it is read or written again.

A claim may be cited thousands of times, and a citation changes nothing that its row says but how
far it is folded. Whatever else happens to a claim folds it whole (`bundles`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sqlalchemy import Connection, bindparam

from domain.bundle_events import CitationAdded
from domain.bundles.takeaways import cited_by
from domain.ids import CLAIM
from domain.recorded import RecordedEvent
from projections.bundle_forgets import Forgets
from projections.bundle_rows import citation_row
from projections.bundle_tables import BUNDLE_CITATION, BUNDLE_CLAIM, BUNDLE_STREAM
from projections.columns import Words
from projections.dialects import Changes, Selection, replacing
from projections.lineages import Lineage

_ROW: Final = BUNDLE_CLAIM.c
_STANDING: Final = Selection(
    BUNDLE_CLAIM, _ROW.claim_id, _ROW.workspace == bindparam("w", type_=Words)
)
_PUT: Final = replacing(BUNDLE_CITATION)
_MOVED_ON: Final = [
    Changes(
        {"in_workspace": table.c.workspace, "in_stream": stream},
        {"to_version": table.c.version, "to_position": table.c.position},
    )
    for table, stream in ((BUNDLE_CLAIM, _ROW.claim_id), (BUNDLE_STREAM, BUNDLE_STREAM.c.stream))
]


def append(
    connection: Connection, fresh: Mapping[Lineage, Sequence[RecordedEvent]]
) -> Collection[Lineage]:
    """Handle the claims of which citations alone have come; which ones these are.

    `fresh` are the new events of each stream. Claims whose rows are not there, or not at the
    version before, are left to be folded.
    """
    cited = {
        lineage: events
        for lineage, events in fresh.items()
        if lineage[1].startswith(CLAIM) and all(one.topic == CitationAdded.TOPIC for one in events)
    }
    standing = _standing(connection, cited)
    cited = {
        lineage: events
        for lineage, events in cited.items()
        if standing.get(lineage) == events[0].version - 1
    }
    if not cited:
        return ()
    forgets = Forgets(connection, [event for events in cited.values() for event in events])
    _PUT.put(
        connection,
        [
            citation_row(event, stream, cited_by(event, fact))
            for (_, stream), events in cited.items()
            for event in forgets.hidden(events)
            for fact in event.facts
            if isinstance(fact, CitationAdded)
        ],
    )
    rows = [
        {
            "in_workspace": workspace,
            "in_stream": stream,
            "to_version": events[-1].version,
            "to_position": events[-1].position,
        }
        for (workspace, stream), events in cited.items()
    ]
    for changes in _MOVED_ON:
        changes.make(connection, rows)
    return cited.keys()


def _standing(connection: Connection, claims: Collection[Lineage]) -> dict[Lineage, int]:
    """The versions up to which the rows of claims are folded."""
    streams: dict[str, list[str]] = {}
    for workspace, stream in sorted(claims):
        streams.setdefault(workspace, []).append(stream)
    return {
        (workspace, row["claim_id"]): row["version"]
        for workspace, ids in streams.items()
        for row in _STANDING.of(connection, ids, {"w": workspace})
    }
