"""recall: basis → eligible → seeds → expand → shape → record (spec/operations.md §6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection, Engine

from domain.canonical import JsonObject
from domain.claims.statement import CLAIM_KINDS
from domain.context import Context
from domain.contract import RecallInput
from domain.errors import not_found
from domain.ids import RECALL
from domain.instants import server_time
from domain.ports import Clock, LogReader, RecallRecorder
from domain.resolver.meaning import meaning_of
from projections.catalogue import CATALOGUE
from projections.database import reading
from projections.lexical.fingerprint import ANALYZER
from projections.parked_streams import first_parked
from read_api.basis_choice import BasisChoice, WaitFor
from read_api.claim_site import ClaimSite, PoliciesAt
from read_api.deadlines import Deadline
from read_api.explaining import explanation
from read_api.given_pages import given_by
from read_api.memtables import Memtables
from read_api.page_tokens import (
    PageToken,
    Secrets,
    question_digest,
    read_token,
    under_policy,
)
from read_api.pages import Given, Made, make_page
from read_api.recordings import Page, Returned, recording
from read_api.selecting import NO_SLOT, Keyed
from read_api.underway import Underway

RANKER: Final = "bm25-context/1"


class Recall:
    """Answers recall. Safe to share between threads.

    `wait_for` gives the position that the projections have reached, `new_id` an id for a prefix.
    """

    def __init__(  # noqa: PLR0913 - each is a part of the one pipeline
        self,
        *,
        log: LogReader,
        views: Engine,
        memtables: Memtables,
        wait_for: WaitFor,
        recorder: RecallRecorder,
        secrets: Keyed,
        new_id: Callable[[str], str],
        clock: Clock,
        policies: PoliciesAt,
    ) -> None:
        self._log = log
        self._policies = policies
        self._views = views
        self._bases = BasisChoice(log, memtables, wait_for, clock)
        self._recorder = recorder
        self._secrets: Secrets = secrets.page_tokens
        self._slot_ref = secrets.slot_ref
        self._new_id = new_id
        self.underway = Underway()
        """The recalls that are being answered; one counts until it is recorded."""

    def answer(self, context: Context, said: RecallInput) -> JsonObject:
        """The `result` of recall (spec/operations.md §4), recorded before it is returned.

        Raises INVALID_REQUEST and NOT_FOUND for page tokens (§10). An unknown workspace is empty.
        """
        with self.underway.question():
            return self._answer(context, said)

    def _answer(self, context: Context, asked: RecallInput) -> JsonObject:
        deadline = Deadline.after(asked.limits.timeout_ms / 1000)
        token = read_token(context, asked, self._secrets)
        said = under_policy(context, asked, token)
        given = Given() if token is None else self._given(token)
        chosen = self._bases.choose(context, said, token, deadline)
        told = token is not None and token.told
        with reading(self._views) as connection:
            if first_parked(connection, CATALOGUE, context.workspace) is not None:
                chosen = replace(chosen, partial=True)
            slot = self._asked_slot(context, said)
            made = make_page(connection, chosen, said, given, deadline, told=told, slot_ref=slot)
            explained = explanation(connection, made, said, deadline) if said.explain else {}
            gaps = self._gaps(connection, made, deadline)
        for item in made.shaped.items:
            if item.id in gaps:
                item.wire["gaps"] = gaps[item.id]
        recall_id = self._new_id(RECALL)
        result = {
            "recall_id": recall_id,
            **shown(made, said, deadline),
            "next_page_token": self._next_token(context, asked, token, made, recall_id),
            **explained,
        }
        pages = () if token is None else token.pages
        event = recording(context, said, page_of(made, result, pages, told=told))
        self._recorder.record(context, recall_id, event)
        return result

    def _gaps(
        self, connection: Connection, made: Made, deadline: Deadline
    ) -> Mapping[str, Sequence[str] | None]:
        """By claim what is missing behind it; None where there was no time to look."""
        claims = [
            item.id for item in made.shaped.items if item.wire["record"]["kind"] in CLAIM_KINDS
        ]
        if not claims or deadline.expired():
            return dict.fromkeys(claims)
        site = ClaimSite.at(connection, made.chosen.basis, self._log, self._policies)
        return {**dict.fromkeys(claims), **site.gaps(claims)}

    def _asked_slot(self, context: Context, said: RecallInput) -> str | None:
        if said.slot is None:
            return None
        return self._slot_ref(context.workspace, said.slot) or NO_SLOT

    def _given(self, token: PageToken) -> Given:
        given = given_by(self._log, token.workspace, token.pages)
        if given is None:
            # Recalls are recorded without waiting for the disk: a power cut may take one.
            raise not_found(
                "an earlier page of this question",
                field="page_token",
                remedy="ask from its first page",
            )
        return given

    def _next_token(
        self,
        context: Context,
        asked: RecallInput,
        token: PageToken | None,
        made: Made,
        recall_id: str,
    ) -> str | None:
        secret = self._secrets(context.workspace)
        if not made.more or secret is None:
            return None
        basis, chosen = made.chosen.basis, under_policy(context, asked, token).policy
        return PageToken(
            workspace=context.workspace,
            question=question_digest(context, asked),
            position=basis.position,
            as_of_us=basis.as_of_us,
            told=made.shaped.told,
            pages=(*(() if token is None else token.pages), recall_id),
            policy=None if chosen == asked.policy else chosen,
        ).encode(secret)


def shown(made: Made, said: RecallInput, deadline: Deadline) -> JsonObject:
    """The members of the answer that the page decides."""
    shaped, basis = made.shaped, made.chosen.basis
    outcomes = [made["outcome"] for made in made.outcomes]
    complete = not outcomes and not made.more
    return {
        "items": [item.wire for item in shaped.items],
        "relationships": [shaped.relationships[edge] for edge in sorted(shaped.relationships)],
        "completeness": {"complete": complete, "truncated": not complete, "outcomes": outcomes},
        "usage": {
            "items": len(shaped.items),
            "depth": max((item.depth for item in shaped.items), default=0),
            "payload_bytes": shaped.payload_bytes,
            "cost": made.selection.cost,
            "elapsed_ms": deadline.elapsed_ms(),
        },
        "basis": {
            "position": basis.position,
            "as_of": server_time(basis.as_of_us),
            "policy": said.policy,
            "ranker": RANKER,
            "adapter": made.chosen.index.adapter,
        },
        "skipped_items": [item.id for item in shaped.skipped],
    }


def page_of(made: Made, result: JsonObject, pages: Sequence[str], *, told: bool) -> Page:
    """What is recorded of a page that is answered with `result`.

    `analyzer` in its basis names the program that cut the texts into terms, `meaning` what the
    policy of the name decided then.
    """
    shaped, basis = made.shaped, made.chosen.basis
    edges = [shaped.edges[edge] for edge in sorted(shaped.edges)]
    # Scores, outcomes and seeds may tell of what the asker alone may see, also if not returned.
    private = made.chosen.index.holds_private_of(basis.viewer) or any(
        item.private for item in (*shaped.items, *shaped.skipped)
    )
    return Page(
        returned=Returned(
            items=[item.target for item in shaped.items],
            edges=[(edge.id, edge.version) for edge in edges],
            skipped=[item.target for item in shaped.skipped],
        ),
        position=basis.position,
        as_of_us=basis.as_of_us,
        basis={
            **result["basis"],
            "analyzer": ANALYZER,
            "meaning": meaning_of(result["basis"]["policy"]),
        },
        scores=[
            {
                "id": item.id,
                "version": item.target[1],
                "score": item.wire["score"],
                "reasons": item.wire["selection_reasons"],
            }
            for item in shaped.items
        ],
        outcomes=made.outcomes,
        usage=result["usage"],
        truncated=result["completeness"]["truncated"],
        pages=pages,
        private=private or any(edge.private for edge in edges),
        told=told,
    )
