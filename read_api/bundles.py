"""Reading the Agent Knowledge Bundle from its read model (spec/bundle.md §5).

All of it is private to its owner: what is another's, of another workspace, or of another session
where sessions are strict, is answered as if it were not there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine, func, select

from domain.canonical import JsonObject
from domain.context import Context
from projections.bundle_tables import BUNDLE_CONCEPT, BUNDLE_WINDOW
from projections.database import reading
from read_api.bundle_bodies import (
    citation_bodies,
    claim_body,
    concept_body,
    failure_bodies,
    former_bodies,
    late_bodies,
    memories_of,
    window_body,
)
from read_api.bundle_lookups import (
    CLAIMS,
    CONCEPTS,
    DOORS,
    WINDOWS,
    citations_of,
    claims_in,
    counts_of,
    lifecycles_of,
    row_of,
)
from read_api.bundle_questions import CompletenessQuestion, ConceptFilters, own
from read_api.list_cursors import read_cursor, write_cursor
from read_api.record_doors import seen_at_all

FAILURES_MAX: Final = 100
"""Of an answer about completeness: the latest ones."""
_SHORT: Final = ("citation_url", "window_id", "cited_as", "observed_at")


@dataclass(frozen=True, slots=True)
class Bundles:
    """Reads bundles; safe to share between threads. `secrets` and `seen` as for `Records`."""

    views: Engine
    secrets: Callable[[str], bytes | None]
    seen: Callable[[str], int]
    trusted: Callable[[Context], Context]

    def concepts(self, context: Context, filters: ConceptFilters) -> JsonObject:
        """`{items, next_cursor, position}`: one's own concepts, oldest first."""
        filters.check()
        context = self.trusted(context)
        secret = self.secrets(context.workspace)
        question = ["concepts", filters.question()]
        row = BUNDLE_CONCEPT.c
        query = select(BUNDLE_CONCEPT).where(
            own(BUNDLE_CONCEPT, context), *filters.conditions(BUNDLE_CONCEPT)
        )
        if filters.cursor is not None:
            query = query.where(row.opened > int(read_cursor(secret, question, filters.cursor)))
        seen = self.seen(context.workspace)
        with reading(self.views) as connection:
            listed = query.order_by(row.opened).limit(filters.limit + 1)
            rows = [dict(one) for one in connection.execute(listed).mappings()]
            shown = rows[: filters.limit]
            counted = counts_of(connection, context, [one["concept_id"] for one in shown])
            position = seen_at_all(connection, DOORS, context, seen)
        items = [concept_body(one, *counted.get(one["concept_id"], (0, None))) for one in shown]
        cursor = None
        if len(rows) > filters.limit and secret is not None:
            cursor = write_cursor(secret, question, str(shown[-1]["opened"]))
        return {"items": items, "next_cursor": cursor, "position": position}

    def concept(self, context: Context, concept_id: str) -> JsonObject:
        """A concept with its claims in the order of their creation; NOT_FOUND for another's."""
        context = self.trusted(context)
        seen = self.seen(context.workspace)
        with reading(self.views) as connection:
            row = row_of(connection, CONCEPTS, context, concept_id)
            claims = claims_in(connection, context, concept_id)
            lifecycles = lifecycles_of(connection, context, [one["memory_id"] for one in claims])
            cited = citations_of(connection, context, [one["claim_id"] for one in claims])
            position = seen_at_all(connection, DOORS, context, seen)
        changed = max((one["changed_us"] for one in claims), default=None)
        told = [
            {
                **claim_body(one, lifecycles),
                "citations": [
                    {name: citation[name] for name in _SHORT}
                    for citation in citation_bodies(cited.get(one["claim_id"], ()))
                ],
            }
            for one in claims
        ]
        body = concept_body(row, len(claims), changed)
        return {**body, "claims": told, "position": position}

    def claim(self, context: Context, claim_id: str) -> JsonObject:
        """A claim with all that it said before, and all of its citations; NOT_FOUND as above."""
        context = self.trusted(context)
        seen = self.seen(context.workspace)
        with reading(self.views) as connection:
            row = row_of(connection, CLAIMS, context, claim_id)
            lifecycles = lifecycles_of(connection, context, memories_of(row))
            cited = citations_of(connection, context, [claim_id]).get(claim_id, ())
            about = select(BUNDLE_CONCEPT).where(
                own(BUNDLE_CONCEPT, context), CONCEPTS.id == row["concept_id"]
            )
            concept = connection.execute(about).mappings().first()
            position = seen_at_all(connection, DOORS, context, seen)
        topic = {} if concept is None else concept_body(dict(concept), 0, None)
        return {
            **claim_body(row, lifecycles),
            "concept_path": topic.get("concept_path"),
            "concept_title": topic.get("title"),
            "repo_identifier": topic.get("repo_identifier"),
            "owner": row["owner"],
            "visibility": row["visibility"],
            "citations": citation_bodies(cited),
            "former": former_bodies(row, lifecycles),
            "late": late_bodies(cited),
            "position": position,
        }

    def window(self, context: Context, window_id: str) -> JsonObject:
        """A window with its events, attempts and outcomes; NOT_FOUND as above."""
        context = self.trusted(context)
        seen = self.seen(context.workspace)
        with reading(self.views) as connection:
            row = row_of(connection, WINDOWS, context, window_id)
            position = seen_at_all(connection, (WINDOWS,), context, seen)
        return {**window_body(row), "position": position}

    def completeness(self, context: Context, asked: CompletenessQuestion) -> JsonObject:
        """How many of one's own windows came to what; all of them, or those of a session."""
        asked.check()
        context = self.trusted(context)
        row = BUNDLE_WINDOW.c
        mine = [own(BUNDLE_WINDOW, context)]
        if asked.session_id is not None:
            mine.append(row.session_id == asked.session_id)
        failed = (
            select(BUNDLE_WINDOW)
            .where(*mine, row.mode == "failed")
            .order_by(row.decided.desc())
            .limit(FAILURES_MAX)
        )
        seen = self.seen(context.workspace)
        with reading(self.views) as connection:
            modes = select(row.mode, func.count()).where(*mine).group_by(row.mode)
            counts: dict[str, int] = {mode: int(n) for mode, n in connection.execute(modes)}
            failures = [dict(one) for one in connection.execute(failed).mappings()]
            position = seen_at_all(connection, (WINDOWS,), context, seen)
        told = [one for window in failures for one in failure_bodies(window)]
        return {
            "session_id": asked.session_id,
            **_completeness(counts),
            "failures": told[:FAILURES_MAX],
            "position": position,
        }


def _completeness(counts: Mapping[str, int]) -> JsonObject:
    """The share is of what was processed: neither failed nor waiting (spec/bundle.md §6)."""
    patched, nothing = counts.get("knowledge_patched", 0), counts.get("no_output", 0)
    processed = patched + nothing
    return {
        "total": sum(counts.values()),
        "processed": processed,
        "knowledge_patched": patched,
        "no_output": nothing,
        "no_output_share": nothing / processed if processed else None,
        "failed": counts.get("failed", 0),
        "waiting": counts.get("accepted", 0),
    }
