"""Claims at a basis: lists, one claim, the evidence about it, its audit (spec issue of claims).

Nothing of this is kept: dimensions and gaps are computed from the read models of records and
relationships when they are asked for, so that what changes a source is seen in every claim that
rests on it at once (docs/adr/0031).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import Engine, Select, select

from domain.canonical import JsonObject
from domain.claims.gathering import Gathered
from domain.claims.statement import CLAIM_KINDS
from domain.context import Context
from domain.errors import Code, MemorandaError, not_found
from domain.ports import Clock, LogReader
from domain.validation.assessing import Assessed, assess
from projections.database import reading
from projections.schema import MEMORY_VERSION
from read_api.basis import parts_of
from read_api.claim_bodies import audit_body, claim_body, evidence_body, whole_claim
from read_api.claim_questions import (
    LISTED_MAX,
    ClaimFilters,
    ClaimQuestion,
    EvidenceQuestion,
)
from read_api.claim_site import ClaimSite, PoliciesAt
from read_api.evidence_pages import START, Mark, evidence_page
from read_api.list_cursors import read_cursor, write_cursor
from read_api.past_basis import AskedBasis, PastBases, told
from read_api.queries import RETRY_AFTER_SECONDS, WAIT_SECONDS_MAX, Trusted, WaitFor
from read_api.record_doors import EDGES, MEMORIES, missing, seen_at_all
from read_api.resting import resting_on
from read_api.selecting import NO_SLOT, Keyed

BATCH: Final = 50
"""Claims whose evidence is read together."""
_ROW: Final = MEMORY_VERSION.c


class Claims:
    """Reads claims; safe to share between threads. `seen` as for `Records`."""

    def __init__(
        self,
        *,
        views: Engine,
        log: LogReader,
        clock: Clock,
        secrets: Keyed,
        policies: PoliciesAt,
        seen: Callable[[str], int],
        wait_for: WaitFor,
        trusted: Trusted,
    ) -> None:
        self._views = views
        self._log = log
        self._bases = PastBases(log, clock)
        self._secrets = secrets
        self._policies = policies
        self._seen = seen
        self._wait_for = wait_for
        self._trusted = trusted

    def page(self, context: Context, filters: ClaimFilters) -> JsonObject:
        """`{items, next_cursor, basis, position}`: claims as they stand, by id.

        At most `LISTED_MAX` claims are looked at: a page may be short and have a next one.
        """
        filters.check()
        context = self._trusted(context)
        secret = self._secrets.page_tokens(context.workspace)
        after = ""
        if filters.cursor is not None:
            after = read_cursor(secret, filters.question(), filters.cursor)
        with self.site(context, AskedBasis()) as site:
            ids = self._listed(site, context, filters, after)
            items: list[JsonObject] = []
            last = after
            looked = 0
            while ids[looked:] and len(items) < filters.limit and looked < LISTED_MAX:
                part = ids[looked : looked + BATCH]
                for body in self._bodies(site, part):
                    looked += 1
                    last = body["id"]
                    if filters.gap is None or filters.gap in body["gaps"]:
                        items.append(body)
                        if len(items) == filters.limit:
                            break
            more = bool(ids[looked:])
            cursor = None
            if more and secret is not None:
                cursor = write_cursor(secret, filters.question(), last)
            return self._answer(site, {"items": items, "next_cursor": cursor})

    def one(self, context: Context, claim: str, asked: ClaimQuestion) -> JsonObject:
        """A claim at a basis; NOT_FOUND for what is no claim there."""
        with self._claim(context, claim, asked, challenged=True) as (site, found):
            decisions = site.decisions.about(claim)
            return self._answer(site, whole_claim(found, decisions, site.standing))

    def evidence(self, context: Context, claim: str, asked: EvidenceQuestion) -> JsonObject:
        """What speaks for and against a claim at a basis, a page of it."""
        asked.check()
        context = self._trusted(context)
        secret = self._secrets.page_tokens(context.workspace)
        question: JsonObject = {"claim": claim, **asked.question()}
        after = START
        if asked.cursor is not None:
            after = Mark.of(read_cursor(secret, question, asked.cursor))
        with self.site(context, asked) as site:
            page = evidence_page(site.records, claim, after, asked.limit)
            if page is None:
                raise _no_claim(site, context, claim)
            cursor = None
            if page.end is not None and secret is not None:
                cursor = write_cursor(secret, question, str(page.end))
            body = evidence_body(page.found.evidence)
            whole = body["complete"] and after == START and page.end is None
            more = {"cut": not body["complete"], "complete": whole, "next_cursor": cursor}
            return self._answer(site, {"id": claim, **body, **more})

    def audit(self, context: Context, claim: str, asked: ClaimQuestion) -> JsonObject:
        """Everything about a claim at a basis, and what was never checked."""
        with self._claim(context, claim, asked, challenged=True) as (site, found):
            decisions = site.decisions.about(claim)
            return self._answer(site, audit_body(found, decisions, site.standing))

    def assessed(
        self, context: Context, claim: str, policy: str, as_of: str | None, without: Sequence[str]
    ) -> Assessed:
        """The claim judged by a policy at the head of the log; OVERLOADED where that is not seen.

        `without` are memories and relationships that are taken for absent; NOT_FOUND for an id of
        none that may be seen, for what is left out would be nothing then.
        """
        self._catch_up(context)
        asked = AskedBasis(as_of=as_of)
        with self._claim(context, claim, asked, without) as (site, found):
            _expect_known(site, without)
            definition = site.policies.in_force(policy)
            return assess(found, context.actor, policy, definition, site.basis.position)

    def gathered(self, context: Context, claim: str) -> Gathered:
        """The claim and the evidence about it at the head of the log."""
        self._catch_up(context)
        with self._claim(context, claim, AskedBasis()) as (_, found):
            return found

    def _catch_up(self, context: Context) -> None:
        head = self._log.head()
        if self._wait_for(context.workspace, head, WAIT_SECONDS_MAX) < head:
            raise MemorandaError(
                Code.OVERLOADED,
                f"the evidence is not seen up to position {head} yet: try again",
                reason="NOT_CAUGHT_UP",
                retry_after=RETRY_AFTER_SECONDS,
            )

    def _bodies(self, site: ClaimSite, ids: Sequence[str]) -> Iterator[JsonObject]:
        found = site.gathered(ids, challenged=True)
        for one in ids:
            if one in found:
                yield claim_body(found[one], site.latest(found[one]), site.standing)

    @contextmanager
    def _claim(
        self,
        context: Context,
        claim: str,
        asked: AskedBasis,
        without: Sequence[str] = (),
        *,
        challenged: bool = False,
    ) -> Iterator[tuple[ClaimSite, Gathered]]:
        context = self._trusted(context)
        with self.site(context, asked) as site:
            found = site.gathered(
                [claim], without=without, reviewed=True, challenged=challenged
            ).get(claim)
            if found is None:
                raise _no_claim(site, context, claim)
            yield site, found

    @contextmanager
    def site(self, context: Context, asked: AskedBasis) -> Iterator[ClaimSite]:
        """A reading at the basis that is asked for, as far as it is seen."""
        context = self._trusted(context)
        seen = self._seen(context.workspace)
        with reading(self._views) as connection:
            position = seen_at_all(connection, (MEMORIES, EDGES), context, seen)
            basis = self._bases.choose(context, asked, position)
            yield ClaimSite.at(connection, basis, self._log, self._policies)

    def _listed(
        self, site: ClaimSite, context: Context, filters: ClaimFilters, after: str
    ) -> list[str]:
        """The next ids behind one, at most `LISTED_MAX` and one more."""
        query: Select[Any] = select(_ROW.memory_id).where(
            MEMORIES.visible(context),
            _ROW.to_position.is_(None),
            _ROW.erased.is_(False),
            _ROW.kind.in_([filters.kind] if filters.kind else sorted(CLAIM_KINDS)),
        )
        if filters.status is not None:
            query = query.where(_ROW.epistemic_status == filters.status)
        if filters.slot is not None:
            slot = self._secrets.slot_ref(context.workspace, filters.slot) or NO_SLOT
            query = query.where(_ROW.slot_ref == slot)
        query = query.order_by(_ROW.memory_id).limit(LISTED_MAX + 1)
        if filters.rests_on is None:
            return list(site.connection.scalars(query.where(_ROW.memory_id > after)))
        found: list[str] = []
        resting = resting_on(site.connection, site.basis, filters.rests_on)
        # Compared here: for a range of ids, SQLite would go through all memories behind its start.
        for part in parts_of(sorted(one for one in resting if one > after)):
            if len(found) <= LISTED_MAX:
                found += site.connection.scalars(query.where(_ROW.memory_id.in_(part)))
        return found[: LISTED_MAX + 1]

    def _answer(self, site: ClaimSite, body: JsonObject) -> JsonObject:
        return {**body, "basis": told(site.basis), "position": site.basis.position}


def _expect_known(site: ClaimSite, ids: Sequence[str]) -> None:
    known = site.records.memories(ids).keys() | {
        edge[-1].state.id for edge in site.records.edges(ids)
    }
    if not known.issuperset(ids):
        raise not_found("a memory or relationship to leave out", field="exclude")


def _no_claim(site: ClaimSite, context: Context, claim: str) -> MemorandaError:
    known = missing(site.connection, MEMORIES, context, claim)
    return known if known.reason else not_found("the claim", field="claim_id")
