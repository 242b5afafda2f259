"""Which proposals a workspace has, and how they ended: followed in memory, from the log.

Proposals are few, and a list of them is for people, so they have no read model, which every commit
would pay for (ADR 0030). The first question about a workspace in a process goes through its log;
later ones read what came since. Nothing of their text is kept.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple, TypeAlias
from uuid import UUID

from domain.event_bases import Target
from domain.events import ConsolidationApplied, ConsolidationProposed, ConsolidationRejected
from domain.ids import PROPOSAL, encode_id
from domain.ports import LogReader
from domain.recorded import RecordedEvent
from domain.visibility import Home
from read_api.around_damage import Damaged, around_damage

WORKSPACES_MAX: Final = 64
"""Workspaces whose proposals a process keeps."""
PAGE: Final = 500
"""Events that are read at a time."""
_TOPICS: Final = (
    ConsolidationProposed.TOPIC,
    ConsolidationApplied.TOPIC,
    ConsolidationRejected.TOPIC,
)

Ended: TypeAlias = Literal["applied", "rejected"]


@dataclass(frozen=True, slots=True)
class Listed:
    """A proposal as a list needs it. `members` at the versions that it has seen; none once ended.

    `ended` is None for one that may still be applied, unless a member has changed since.
    """

    id: str
    home: Home
    members: tuple[Target, ...]
    ended: Ended | None = None


class KnownProposals(NamedTuple):
    """Proposals by id; and the positions of events of proposals that cannot be read.

    A proposal with such an event is not among them: nobody knows how it stands.
    """

    listed: list[Listed]
    damaged: list[int]


@dataclass(slots=True)
class _Followed:
    """The proposals of one workspace up to a position."""

    position: int = 0
    known: dict[str, Listed] = field(default_factory=dict)
    damaged: list[int] = field(default_factory=list)
    unreadable: set[str] = field(default_factory=set)
    turn: threading.Lock = field(default_factory=threading.Lock)


class ProposalIndex:
    """Follows the log for those who list proposals; safe to share between threads."""

    def __init__(self, log: LogReader, page: int = PAGE) -> None:
        self._log = log
        self._page = page
        self._lock = threading.Lock()
        self._workspaces: OrderedDict[str, _Followed] = OrderedDict()

    def of(self, workspace: str) -> KnownProposals:
        """All proposals of a workspace that the log has now."""
        followed = self._followed(workspace)
        with followed.turn:
            self._follow(workspace, followed)
            names = sorted(followed.known.keys() - followed.unreadable)
            return KnownProposals([followed.known[name] for name in names], [*followed.damaged])

    def _followed(self, workspace: str) -> _Followed:
        with self._lock:
            found = self._workspaces.setdefault(workspace, _Followed())
            self._workspaces.move_to_end(workspace)
            if len(self._workspaces) > WORKSPACES_MAX:
                self._workspaces.popitem(last=False)
            return found

    def _follow(self, workspace: str, followed: _Followed) -> None:
        head = self._log.head()
        while followed.position < head:
            found = around_damage(
                lambda after, most: self._log.after(
                    after, most, workspace=workspace, topics=_TOPICS
                ),
                followed.position,
                self._page,
            )
            for event in found.events:
                _fold(followed.known, event)
            for one in found.damaged:
                followed.damaged.append(one.position)
                followed.unreadable.update(_proposals(one))
            full = found.looked == self._page
            followed.position = found.last if full else max(head, found.last)


def _proposals(damaged: Damaged) -> Iterator[str]:
    """A damaged column may name nothing at all."""
    for name in damaged.originator_ids:
        with suppress(ValueError):
            yield encode_id(PROPOSAL, UUID(hex=name))


def _fold(known: dict[str, Listed], event: RecordedEvent) -> None:
    for fact in event.facts:
        before = known.get(event.stream)
        if isinstance(fact, ConsolidationProposed):
            home = Home(fact.session, fact.visibility, fact.owner)
            known[event.stream] = Listed(event.stream, home, tuple(fact.targets))
        elif before is not None and isinstance(fact, ConsolidationApplied):
            known[event.stream] = replace(before, members=(), ended="applied")
        elif before is not None and isinstance(fact, ConsolidationRejected):
            known[event.stream] = replace(before, members=(), ended="rejected")
