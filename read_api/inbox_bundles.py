"""Windows that wait for their owner: a proposal of theirs is close to several claims."""

from __future__ import annotations

import json
from typing import Final

from sqlalchemy import and_, bindparam, or_, select

from domain.canonical import JsonObject
from domain.visibility import Home
from projections.bundle_tables import BUNDLE_WINDOW
from read_api.inbox_parts import Part, Place, Site

AMBIGUOUS: Final = "skipped_ambiguous"
_W: Final = BUNDLE_WINDOW.c
_AHEAD: Final = (
    select(_W.window_id, _W.decided, _W.visibility, _W.owner, _W.session, _W.record)
    .where(
        _W.workspace == bindparam("workspace"),
        _W.owner == bindparam("owner"),
        _W.mode == "failed",
        _W.failures.is_not(None),
        _W.decided <= bindparam("seen"),
        or_(
            _W.decided > bindparam("position"),
            and_(_W.decided == bindparam("position"), _W.window_id > bindparam("after")),
        ),
    )
    .order_by(_W.decided, _W.window_id)
    .limit(bindparam("look"))
)


def ambiguous_windows(site: Site, place: Place, most: int, look: int) -> Part:
    """One's own windows with an ambiguous proposal, each proposal an item, oldest first.

    A window is told whole, so that a page may be longer by the proposals of its last one.
    """
    asked = {
        "workspace": site.basis.workspace,
        "owner": site.basis.actor,
        "seen": site.basis.position,
        "position": place.position,
        "after": place.after,
        "look": look,
    }
    rows = site.connection.execute(_AHEAD, asked).all()
    items: list[JsonObject] = []
    for looked, row in enumerate(rows, 1):
        if Home(row.session, row.visibility, row.owner).visible_to(site.basis.viewer):
            record = json.loads(row.record)
            items += _waiting(row.window_id, row.decided, record)
        if len(items) >= most and looked < len(rows):
            return Part(items, Place(row.decided, row.window_id), looked)
    go_on = Place(rows[-1].decided, rows[-1].window_id) if len(rows) == look else None
    return Part(items, go_on, len(rows))


def _waiting(window: str, position: int, record: JsonObject) -> list[JsonObject]:
    return [
        {
            "what": "ambiguous_window",
            "id": window,
            "version": None,
            "since": record["attempts"][-1]["recorded_at"],
            "position": position,
            "because": " ".join(one["claim_id"] for one in verdict["candidates"]),
            "policy": None,
            "command": f"memoranda bundle resolve {window} {verdict['index']} CLAIM",
        }
        for verdict in record["verdicts"] or ()
        if verdict["outcome"] == AMBIGUOUS
    ]
