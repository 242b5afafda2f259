"""The kinds of things that wait for a person: where each is found, and what settles it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from domain.canonical import JsonObject
from domain.events import ConsolidationProposed, MemoryForgotten
from domain.instants import server_time
from domain.proposals import apply_proposal
from domain.recorded import RecordedEvent
from projections.catalogue import CATALOGUE
from projections.parked_streams import ParkedStream, parked_streams
from read_api.derivations import Derivations, Reason
from read_api.evidence_view import EvidenceView
from read_api.inbox_bundles import ambiguous_windows
from read_api.inbox_claims import waiting_claims
from read_api.inbox_parts import Part, Place, Site, behind, positions
from read_api.proposals import matching

OPERATE: Final = "operate"


def _proposals(site: Site, place: Place, most: int, look: int) -> Part:
    """Proposals that can be applied as they are, by id, which is by creation."""
    known = site.index.of(site.basis.workspace)
    ahead = [
        one
        for one in known.listed
        if one.ended is None and one.id > place.after and one.home.visible_to(site.basis.viewer)
    ]
    part = ahead[:look]
    standing = matching(site.connection, site.basis.workspace, part, "open")
    found = [one.id for one in islice(standing, most + 1)]
    streams = site.log.streams(site.basis.workspace, found[:most])
    items = [_proposal(event) for one in found[:most] for event in _first(streams.get(one, ()))]
    if len(found) > most:
        return Part(items, Place(0, found[most - 1]), len(part), known.damaged)
    go_on = Place(0, part[-1].id) if len(ahead) > len(part) else None
    return Part(items, go_on, len(part), known.damaged)


def _first(events: Sequence[RecordedEvent]) -> Iterator[RecordedEvent]:
    proposed = (event for event in events if event.topic == ConsolidationProposed.TOPIC)
    return islice(proposed, 1)


def _proposal(event: RecordedEvent) -> JsonObject:
    state = apply_proposal(None, event)
    members = [] if state is None else [key for key, _ in state.members]
    canonical = [] if state is None else ["--canonical", state.canonical_id]
    words = ["memoranda", "consolidate", "apply", event.stream, *members, *canonical]
    return {
        "what": "proposal",
        "id": event.stream,
        "version": None,
        "since": event.recorded_at,
        "position": event.position,
        "because": None,
        "policy": None,
        "command": " ".join([*words, "--reason", "REASON", "--policy", "POLICY"]),
    }


def _needing_review(site: Site, place: Place, most: int, look: int) -> Part:
    """Memories that were made from something forgotten since, by when it was forgotten last.

    Of each memory that was forgotten all that was made from it is looked at.
    """
    forgotten = site.events(place, look, MemoryForgotten.TOPIC)
    times = {event.position: event.recorded_at for event in forgotten.events}
    derivations = Derivations(site.connection, site.basis.workspace, site.basis.viewer)
    streams = {event.stream for event in forgotten.events}
    reasons = derivations.reasons(derivations.made_from(streams))
    found = sorted(
        (Place(reason.position, memory), reason)
        for memory, reason in reasons.items()
        if reason.position in times and Place(reason.position, memory) > place
    )
    nodes = EvidenceView(site.connection, site.basis).nodes(at.after for at, _ in found[:most])
    items = [
        _reviewed(at.after, nodes[at.after].version, reason, times[at.position])
        for at, reason in found[:most]
        if at.after in nodes
    ]
    go_on = found[most - 1][0] if len(found) > most else behind(forgotten, look)
    return Part(items, go_on, forgotten.looked, positions(forgotten))


def _reviewed(memory: str, version: int, reason: Reason, since: str) -> JsonObject:
    return {
        "what": "needs_review",
        "id": memory,
        "version": version,
        "since": since,
        "position": reason.position,
        "because": reason.origin,
        "policy": None,
        "command": f"memoranda update {memory} TEXT --expected-version {version}",
    }


def _parked(site: Site, place: Place, most: int, _: int) -> Part:
    """Streams of the workspace that stopped a read model, for who may operate."""
    if OPERATE not in site.context.permissions:
        return Part([], None, 0)
    found = [
        (Place(one.position, f"{one.projection} {one.stream}"), one)
        for one in parked_streams(site.connection, CATALOGUE)
        if one.workspace == site.basis.workspace and one.state == "parked"
    ]
    ahead = [(at, one) for at, one in found if at > place]
    items = [_stopped(one) for _, one in ahead[:most]]
    return Part(items, ahead[most - 1][0] if len(ahead) > most else None, len(found))


def _stopped(one: ParkedStream) -> JsonObject:
    return {
        "what": "parked",
        "id": one.stream,
        "version": None,
        "since": server_time(one.since_us),
        "position": one.position,
        "because": one.error,
        "policy": None,
        "command": f"memoranda parked retry {one.stream} --projection {one.projection}",
    }


SECTIONS: Final[tuple[Callable[[Site, Place, int, int], Part], ...]] = (
    waiting_claims,
    _proposals,
    _needing_review,
    _parked,
    ambiguous_windows,
)
"""In the order of the list. A cursor names one by its place here: a new kind goes behind them."""
