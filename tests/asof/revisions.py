"""What was known of an advisory on a date, computed from the history itself.

Nothing of the product is imported: this is the other opinion. A history is its revisions in the
order in which they were committed, as JSON objects; an advisory is known by its path.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeAlias

Revision: TypeAlias = dict[str, Any]


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def spelled(text: str | None) -> str | None:
    """An instant as RFC 3339 wants it: some of the history have a blank for the T."""
    return None if text is None else text.replace(" ", "T")


def committed_by(history: Sequence[Revision], date: datetime) -> int:
    """How many revisions there were by a date: up to the last one that was committed by then."""
    by_then = [at for at, one in enumerate(history, 1) if instant(one["recorded_at"]) <= date]
    return by_then[-1] if by_then else 0


def said(revision: Revision) -> dict[str, Any]:
    """What a revision says of its advisory."""
    names = ("id", "aliases", "modified", "affected", "references", "severity")
    return {
        "text": revision["details"].strip() or revision["path"],
        "properties": {name: revision[name] for name in names},
    }


def known(of_path: Sequence[tuple[int, Revision]], count: int, date: datetime) -> Any:
    """What the first `count` revisions say of one advisory, and whether it held on the date.

    `of_path` has the revisions of the advisory with their numbers from 1. None: nothing was known.
    """
    content, published, begun, ended = None, None, None, None
    for number, revision in of_path:
        if number > count:
            break
        committed = instant(revision["recorded_at"])
        if revision["action"] == "remove":
            ended = committed if ended is None else min(ended, committed)
            continue
        content, published, ended = said(revision), spelled(revision["published"]), None
        begun = committed if published is None else instant(published)
        if revision["withdrawn"] is not None:
            ended = min(instant(revision["withdrawn"]), committed)
    if content is None or begun is None:
        return None
    reason = None
    if ended is not None and date >= ended:
        reason = "expired"
    if date < begun:
        reason = "not_yet_valid"
    return {"content": content, "valid_from": published, "reason": reason}
