"""What may be asked of claims."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from domain.canonical import JsonObject
from domain.checks import short
from domain.claims.gap_names import GapName
from read_api.list_filters import PAGE, PAGE_MAX, Waiting
from read_api.past_basis import AskedBasis

LISTED_MAX: Final = 500
"""Claims that one page looks at: with the filter `gap` it may hold few of them."""

EVIDENCE_MAX: Final = 1_000
"""Relationships about a claim that one page tells."""


class ClaimFilters(Waiting):
    """Which claims. Filters that are given must all hold."""

    status: Annotated[
        str | None, Field(description="Epistemic status, as written in the properties.")
    ] = None
    gap: Annotated[GapName | None, Field(description="Claims that have this gap now.")] = None
    kind: Literal["claim", "fact"] | None = None
    slot: str | None = None
    rests_on: Annotated[
        str | None,
        Field(
            description="A memory: what was derived from it, cites it or is supported by it, "
            "at any depth."
        ),
    ] = None
    limit: Annotated[int, Field(ge=1, le=PAGE_MAX)] = PAGE
    cursor: Annotated[str | None, Field(description="`next_cursor` of the page before.")] = None

    def check(self) -> None:
        """Refuse values that are too long."""
        for name in ("status", "slot", "rests_on", "cursor"):
            short(getattr(self, name), name)

    def question(self) -> JsonObject:
        """The part that a cursor is bound to."""
        return self.model_dump(exclude={"limit", "cursor", "min_position"}, exclude_none=True)


class ClaimQuestion(AskedBasis):
    """One claim at a basis."""


class EvidenceQuestion(ClaimQuestion):
    """The evidence about one claim at a basis, page by page."""

    limit: Annotated[
        int, Field(ge=1, le=EVIDENCE_MAX, description="Relationships that a page tells.")
    ] = 100
    cursor: Annotated[str | None, Field(description="`next_cursor` of the page before.")] = None

    def check(self) -> None:
        """Refuse a cursor that is too long, too."""
        short(self.cursor, "cursor")
        super().check()

    def question(self) -> JsonObject:
        """The part that a cursor is bound to."""
        return self.model_dump(exclude={"limit", "cursor", "min_position"}, exclude_none=True)
