"""Asking recall in a world whose projections follow as soon as somebody waits for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine

from domain.contract import RecallInput, TraceInput
from domain.slots import slot_ref
from domain.validation.policies import SHIPPED_ONLY
from projections.catalogue import CATALOGUE
from projections.database import part_in
from read_api.basis_choice import BasisChoice, Chosen
from read_api.deadlines import Deadline
from read_api.memtables import Memtables
from read_api.recall import Recall
from read_api.replay import Replay
from read_api.rereading import Rereading
from read_api.slot_questions import HistoryQuestion, SlotFilters, SlotQuestion
from read_api.slots import Slots
from read_api.trace import Trace
from read_api.why_not import WhyNot
from tests.projections.databases import current, new_views
from tests.recall.recordings import LIMITS
from tests.recall.world import SECRET, LogRecorder, World
from workers.catch_up import catch_up


class SecretsOfTests:
    """Those that the world's memories were made with."""

    def page_tokens(self, workspace: str) -> bytes:
        return workspace.encode() + SECRET

    def slot_ref(self, _workspace: str, slot: str) -> str:
        return slot_ref(SECRET, slot)


class Asker(World):
    """A world that answers."""

    def __init__(self, views: Engine) -> None:
        super().__init__()
        self.followed = views
        self.views = current().reader(views)
        self.follows = True
        self.reached = 0
        self.recorder = LogRecorder(self)
        self.memtables = Memtables(self.log)
        self.answers = self.recalling()

    def recalling(self, **other: Any) -> Recall:
        parts = {
            "log": self.log,
            "views": self.views,
            "memtables": self.memtables,
            "wait_for": self.wait_for,
            "recorder": self.recorder,
            "secrets": SecretsOfTests(),
            "new_id": self.new_id,
            "clock": self.clock,
            "policies": lambda *_: SHIPPED_ONLY,
        }
        return Recall(**{**parts, **other})

    def wait_for(self, workspace: str, position: int, timeout_s: float) -> int:
        if self.follows:
            part = part_in(self.followed, workspace)
            moved = [catch_up(one, part, self.log, self.followed) for one in CATALOGUE]
            self.reached = min(moved)
        return self.reached

    def choose(self, said: RecallInput) -> Chosen:
        """The basis that a question gets now."""
        bases = BasisChoice(self.log, self.memtables, self.wait_for, self.clock)
        return bases.choose(self.context(), said, None, Deadline.after(60))

    def recall(
        self,
        objective: str = "alpha",
        seeds: tuple[str, ...] | list[str] = (),
        by: dict[str, Any] | None = None,
        *,
        page: str | None = None,
        more: dict[str, Any] | None = None,
        **limits: int,
    ) -> dict[str, Any]:
        said = RecallInput(
            objective=objective,
            seed_ids=list(seeds),
            limits={**LIMITS, **limits},
            page_token=page,
            **(more or {}),
        )
        said.check()
        return self.answers.answer(self.context(by), said)

    def rereading(self) -> Rereading:
        """What asks a recorded recall again."""
        return Rereading(
            log=self.log,
            views=self.views,
            memtables=self.memtables,
            wait_for=self.wait_for,
            slot_ref=SecretsOfTests().slot_ref,
            clock=self.clock,
            trusted=lambda context: context,
        )

    def why_not(
        self, recall_id: str, memory: str, by: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        asking = WhyNot(self.rereading())
        return asking.answer(self.context(by), recall_id, memory)

    @property
    def slots(self) -> Slots:
        """A reader of slots, once all that was recorded is followed."""
        self.wait_for("w", self.log.head(), 60)
        return Slots(self.views, self.log, self.clock, SecretsOfTests(), lambda _: self.reached)

    def slot(self, slot: str, by: dict[str, Any] | None = None, **asked: Any) -> dict[str, Any]:
        return self.slots.one(self.context(by), slot, SlotQuestion(**asked))

    def slot_history(
        self, slot: str, by: dict[str, Any] | None = None, **asked: Any
    ) -> dict[str, Any]:
        return self.slots.history(self.context(by), slot, HistoryQuestion(**asked))

    def slot_pages(
        self, by: dict[str, Any] | None = None, **asked: Any
    ) -> Iterator[dict[str, Any]]:
        """All pages of a question about slots."""
        cursor = asked.pop("cursor", None)
        while True:
            page = self.slots.page(self.context(by), SlotFilters(cursor=cursor, **asked))
            yield page
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def replay(self, recall_id: str, by: dict[str, Any] | None = None) -> dict[str, Any]:
        again = Replay(self.rereading())
        return again.answer(self.context(by), recall_id)

    def pages(self, *asked: Any, **more: Any) -> Iterator[dict[str, Any]]:
        """All pages of a question."""
        page = self.recall(*asked, **more)
        yield page
        while page["next_page_token"] is not None:
            page = self.recall(*asked, page=page["next_page_token"], **more)
            yield page

    def trace(self, kind: str, record: str, by: dict[str, Any] | None = None) -> dict[str, Any]:
        said = TraceInput(target={"kind": kind, "id": record})
        return Trace(self.log, self.receipts).answer(self.context(by), said)


def ids(answer: dict[str, Any]) -> list[str]:
    return [item["record"]["id"] for item in answer["items"]]


def outcomes(answer: dict[str, Any]) -> list[str]:
    return answer["completeness"]["outcomes"]


def edges(answer: dict[str, Any]) -> list[str]:
    return [edge["id"] for edge in answer["relationships"]]


@contextmanager
def new_world() -> Iterator[Asker]:
    """A world of its own for one example."""
    with new_views() as engine:
        yield Asker(engine)
