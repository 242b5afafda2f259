"""What a why-not says: one reason, what did it, and the limits to raise (spec/policy.md §2.8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from domain.canonical import JsonObject
from domain.limits import BUDGETS

RETURNED: Final = "returned"
EARLIER: Final = "on_earlier_page"
ABSENT: Final = "absent"
OTHER_OWNER: Final = "other_owner"
LATER: Final = "recorded_later"
ERASED: Final = "objective_erased"
HIDDEN: Final = "objective_hidden"
OTHER_SESSION: Final = "other_session"
FILTERED: Final = "filtered"
CORRECTED: Final = "corrected"
NO_MATCH: Final = "no_lexical_match"
RANK: Final = "rank_cutoff"
CHANGED: Final = "answer_changed"

_RAISE: Final = "ask again with the limits in `raise`"
DETAILS: Final[Mapping[str, str]] = {
    RETURNED: "it is an item of this recall",
    EARLIER: "it was given on a page before, by the recall that `by` names",
    ABSENT: "there is no such memory",
    OTHER_OWNER: "it is private, and not to who asked this recall",
    LATER: "it was first recorded after the position that this recall saw",
    "deleted": "it, or the version that stood then, is forgotten",
    "superseded": "it was consolidated into another memory",
    "hidden": "an update had hidden it",
    "not_yet_valid": "it was not valid yet at the instant that was asked about",
    "validity_ended": "it was not valid any more at the instant that was asked about",
    "expired": "it had expired at the instant that was asked about",
    ERASED: "the question of this recall was erased, so nobody can say more",
    HIDDEN: "the question may quote what was forgotten since: it takes trace and forget to see it",
    OTHER_SESSION: "it was first recorded in another session than was asked for",
    FILTERED: "it is not within the filter that `filter` names",
    "shadowed": "the policy chose another memory of its slot, which `by` names; they disagree",
    "same_value": "the policy chose another memory of its slot, which `by` names; they agree",
    CORRECTED: "a version that matches was corrected by the one that `by` names, which does not",
    NO_MATCH: "no word of the question is in it, and no relationship leads to it from what matches",
    "max_depth_reached": f"it is further away than relationships were followed: {_RAISE}",
    "supernode_blocked": f"the way to it is through a memory with too many edges: {_RAISE}",
    "cost_budget_exhausted": f"too many edges were looked at before it: {_RAISE}",
    RANK: f"others come before it: {_RAISE}, or go on with next_page_token",
    "payload_budget_exhausted": f"the page was full: {_RAISE}, or go on with next_page_token",
    "item_exceeds_payload_budget": f"it is larger than the page: {_RAISE}",
    "timeout": "time was up: ask again with a larger timeout_ms",
    "event_damaged": "an event of it could not be read, so nobody finds it: see memoranda verify",
    CHANGED: "asked again at the same basis it is an item: what stood before it is hidden now",
}
"""Every reason there is, in words."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a memory was no item of a recall, or that it was one.

    `by` is the event that did it (`<id>@<version>`), or the recall that gave it. `limit` is the
    first limit that it met, `raised` all that have to be raised for it, with the least values that
    suffice together. `rank` counts from 1.
    """

    reason: str
    version: int | None = None
    by: str | None = None
    filter: str | None = None
    rank: int | None = None
    page: int | None = None
    limit: str | None = None
    raised: Mapping[str, int] = field(default_factory=dict)

    def wire(self, recall_id: str, memory_id: str, position: int) -> JsonObject:
        """The answer; all members are always there.

        A value to raise a limit to is null where the greatest one allowed does not suffice.
        """
        least = {
            name: value if value <= (BUDGETS[name] or value) else None
            for name, value in self.raised.items()
        }
        return {
            "recall_id": recall_id,
            "memory_id": memory_id,
            "item": self.reason == RETURNED,
            "reason": self.reason,
            "detail": DETAILS[self.reason],
            "version": self.version,
            "by": self.by,
            "filter": self.filter,
            "rank": self.rank,
            "page": self.page,
            "limit": self.limit,
            "raise": least,
            "position": position,
        }
