"""Gathering evidence in a world, from its read models or from its log."""

from __future__ import annotations

from typing import Any

from domain.claims.gathering import Gathered, gather
from domain.decisions import Fact
from domain.events import Review, ReviewApproved, ReviewRejected
from domain.visibility import Viewer
from projections.database import reading
from read_api.basis import Basis
from read_api.decisions import Decisions
from read_api.histories import Histories
from read_api.known_in_log import KnownInLog
from read_api.known_in_views import KnownInViews
from tests.recall.asking import Asker


def evidence(world: Asker, claim: str, **how: Any) -> Any:
    """The evidence about one claim as it stands, or at a position."""
    return in_views(world, [claim], **how)[claim].evidence


def in_views(
    world: Asker,
    claims: list[str],
    *,
    position: int | None = None,
    as_of_us: int | None = None,
    actor: str = "ann",
    **how: Any,
) -> dict[str, Gathered]:
    at = world.log.head() if position is None else position
    now = world.clock.now if as_of_us is None else as_of_us
    world.wait_for("w", world.log.head(), 5)
    basis = Basis("w", actor, at, now)
    decisions = Decisions(world.log, "w", basis.viewer, at)
    with reading(world.views) as connection:
        return gather(KnownInViews(connection, basis, decisions), claims, now, **how)


def in_log(
    world: Asker,
    claims: list[str],
    *,
    position: int | None = None,
    as_of_us: int | None = None,
    actor: str = "ann",
    **how: Any,
) -> dict[str, Gathered]:
    at = world.log.head() if position is None else position
    now = world.clock.now if as_of_us is None else as_of_us
    viewer = Viewer(actor)
    records = KnownInLog(Histories(world.log, "w", viewer), Decisions(world.log, "w", viewer, at))
    return gather(records, claims, now, **how)


def review(
    world: Asker, claim: str, *, by: str = "rae", approved: bool = True, policy: str = "p/v1"
) -> str:
    """What a reviewer says about a claim as it stands; the id of the decision."""
    context = world.context(actor=by)
    d = world.decision(context)
    state = world.memory(claim)
    assert state is not None
    kind = ReviewApproved if approved else ReviewRejected
    event = kind(
        session=state.home.session,
        visibility=state.home.visibility,
        owner=state.home.owner,
        target_id=claim,
        targets=[(claim, state.version)],
        payload=Review(policy=policy),
    )
    decision = d.new_id("dec_")
    world.log.append([Fact(decision, event)], context.for_event(), d.now_us)
    return decision
