"""One revision of the PyPA advisory database: one commit that touched one advisory's file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator

from ops.advisory_ranges import RangeEvent, intervals, sentence, symbols

_AS_YAML_PRINTS: Final = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)\+00:00")
_REPOSITORY: Final = "https://github.com/pypa/advisory-database"


class Statement(NamedTuple):
    """What one affected range says: enough to make a claim, or to see that one has changed."""

    package: str
    kind: str
    object: str
    text: str


class Range(BaseModel):
    """An OSV range; a single event that stands without its list is a list of one."""

    model_config = ConfigDict(frozen=True)

    type: str | None = None
    events: tuple[RangeEvent, ...] = ()

    @field_validator("events", mode="before")
    @classmethod
    def _one_event_is_a_list(cls, value: object) -> object:
        return (value,) if isinstance(value, Mapping) else value


class Affected(BaseModel):
    """A package and its ranges."""

    model_config = ConfigDict(frozen=True)

    package: str
    ranges: tuple[Range, ...] = ()


class Revision(BaseModel):
    """A line of the history; a `remove` has commit, recorded_at, action and path alone.

    `path` is `vulns/<package>/<advisory>.yaml`. It is what identifies an advisory: a removal names
    nothing else, and some ids have stood in several folders. Members that we do not read are
    ignored, since the database may add some.
    """

    model_config = ConfigDict(frozen=True)

    commit: str
    recorded_at: str
    action: Literal["create", "update", "remove"]
    path: str = Field(pattern=r"^[^/]+/[^/]+/[^/]+\.yaml$")
    id: str | None = None
    aliases: tuple[str, ...] = ()
    published: str | None = None
    modified: str | None = None
    withdrawn: str | None = None
    affected: tuple[Affected, ...] = ()
    details: str = ""
    references: tuple[str, ...] = ()
    severity: JsonValue = None

    @field_validator("published", "modified", "withdrawn")
    @classmethod
    def _with_the_t(cls, value: str | None) -> str | None:
        """`2023-08-22 06:18:00+00:00` → `2023-08-22T06:18:00Z`; what has its T stays as it is."""
        return None if value is None else _AS_YAML_PRINTS.sub(r"\1T\2Z", value)

    @property
    def folder(self) -> str:
        """The package under which the advisory is filed."""
        return self.path.split("/")[1]

    @property
    def name(self) -> str:
        """The advisory's id; from the path where the row does not give it."""
        return self.id or self.path.rsplit("/", 1)[1].removesuffix(".yaml")

    @property
    def place(self) -> str:
        """`<package>/<advisory>`, unique among the advisories of one moment and over time."""
        return f"{self.folder}/{self.path.rsplit('/', 1)[1].removesuffix('.yaml')}"

    @property
    def source_id(self) -> str:
        """The name of this revision, in provenance and as the identity key of its source."""
        return f"revision:{self.commit}:{self.path}"

    @property
    def locator(self) -> str:
        """Where a person can read the revision."""
        if self.action == "remove":
            return f"{_REPOSITORY}/commit/{self.commit}"
        return f"{_REPOSITORY}/blob/{self.commit}/{self.path}"

    def statements(self) -> list[Statement]:
        """What each affected range says; a range without events says nothing."""
        return [
            _statement(self.name, affected.package, part)
            for affected in self.affected
            for part in affected.ranges
            if part.events
        ]


def _statement(advisory: str, package: str, part: Range) -> Statement:
    kind = part.type or "UNSPECIFIED"
    found = intervals(part.events)
    return Statement(package, kind, symbols(found), sentence(advisory, package, kind, found))
