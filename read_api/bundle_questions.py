"""What may be asked about concepts and windows."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import ColumnElement, FromClause, and_

from domain.bundles.repositories import repo_identifier
from domain.canonical import JsonObject
from domain.checks import short
from domain.context import Context
from read_api.list_filters import PAGE, PAGE_MAX, Waiting


class ConceptFilters(Waiting):
    """Which concepts; filters that are given must all hold."""

    repo: Annotated[
        str | None,
        Field(
            description="The address of a repository in any spelling, "
            "or '' for concepts without one."
        ),
    ] = None
    type: Annotated[str | None, Field(description="A concept type, such as `convention`.")] = None
    limit: Annotated[int, Field(ge=1, le=PAGE_MAX)] = PAGE
    cursor: Annotated[str | None, Field(description="`next_cursor` of the page before.")] = None

    def check(self) -> None:
        """Refuse values that are too long."""
        for name, value in (("repo", self.repo), ("type", self.type), ("cursor", self.cursor)):
            if value is not None:
                short(value, name)

    def question(self) -> JsonObject:
        """The part that a cursor is bound to."""
        return {"repo": self.repo, "type": self.type}

    def conditions(self, concepts: FromClause) -> list[ColumnElement[bool]]:
        """The filters over the rows of `bundle_concept`."""
        found: list[ColumnElement[bool]] = []
        if self.repo is not None:
            found.append(
                concepts.c.repo_identifier.is_not_distinct_from(repo_identifier(self.repo))
            )
        if self.type is not None:
            found.append(concepts.c.concept_type == self.type)
        return found


class CompletenessQuestion(Waiting):
    """Of which session of an agent; of all without it."""

    session_id: Annotated[
        str | None, Field(description="As the client named it in its windows.")
    ] = None

    def check(self) -> None:
        """Refuse a name that is too long."""
        if self.session_id is not None:
            short(self.session_id, "session_id")


def own(table: FromClause, context: Context) -> ColumnElement[bool]:
    """Bundles exist for their owner alone, under strict sessions for their session alone."""
    mine = and_(table.c.workspace == context.workspace, table.c.owner == context.viewer.actor)
    session = context.viewer.session
    return mine if session is None else and_(mine, table.c.session == session)
