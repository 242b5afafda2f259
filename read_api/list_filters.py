"""What a list may be restricted to."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from domain.canonical import JsonObject
from domain.checks import short
from domain.event_bases import Lifecycle
from domain.instants import FOREVER, Micros, parse_instant

PAGE_MAX: Final = 200
PAGE: Final = 50
POSITION_MAX: Final = FOREVER


class Waiting(BaseModel):
    """A question to the read models; unknown parameters are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    min_position: Annotated[
        int | None,
        Field(ge=0, le=POSITION_MAX, description="Answer only once this position is seen."),
    ] = None


class ListFilters(Waiting):
    """What all lists have in common. Filters that are given must all hold."""

    identity_key: Annotated[str | None, Field(description="Exactly this identity key.")] = None
    kind: str | None = None
    lifecycle: Lifecycle | None = None
    recorded_after: Annotated[
        str | None, Field(description="The current version was recorded later than this instant.")
    ] = None
    limit: Annotated[int, Field(ge=1, le=PAGE_MAX)] = PAGE
    cursor: Annotated[str | None, Field(description="`next_cursor` of the page before.")] = None

    def check(self) -> None:
        """Refuse values that are too long, and times that do not parse."""
        for name, value in self.question().items():
            if isinstance(value, str):
                short(value, name)
        if self.cursor is not None:
            short(self.cursor, "cursor")

    @property
    def recorded_after_us(self) -> Micros | None:
        """The instant, in microseconds; INVALID_REQUEST where it does not parse."""
        after = self.recorded_after
        return None if after is None else parse_instant(after, "recorded_after")

    def question(self) -> JsonObject:
        """The part that a cursor is bound to."""
        return self.model_dump(exclude={"limit", "cursor", "min_position"}, exclude_none=True)


class MemoryFilters(ListFilters):
    """Which memories."""

    source_id: Annotated[str | None, Field(description="The provenance cites this source.")] = None
    tag: str | None = None
    slot: str | None = None
    status: Annotated[
        str | None, Field(description="Epistemic status, as written in the properties.")
    ] = None


class RelationshipFilters(ListFilters):
    """Which relationships."""

    source_id: Annotated[str | None, Field(description="Edges out of this memory.")] = None
    target_id: Annotated[str | None, Field(description="Edges into this memory.")] = None
