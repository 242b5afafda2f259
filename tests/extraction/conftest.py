"""A store whose windows are extracted when a test says so, by a real client of a real endpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from domain.canonical import JsonObject
from ops.extraction.chat import Model
from ops.extraction.model_settings import endpoint_of
from ops.extraction.places import Extraction
from ops.memoranda import Memoranda
from ops.wiring import open_memoranda
from tests.bundles.scribes import Scribe
from tests.extraction import endpoint as endpoints

KEY = "extractor-key-of-the-tests-0123456789"


@dataclass
class Hand:
    """A place where windows are worked on by hand; it rests at once, and remembers how long."""

    woken: list[tuple[str, str]] = field(default_factory=list)
    rests: list[float] = field(default_factory=list)
    ending: bool = False

    def wake(self, workspace: str, window_id: str) -> None:
        self.woken.append((workspace, window_id))

    def start(self, work: Callable[..., None], waiting: Callable[..., Any]) -> None:
        """By hand."""

    def stop(self) -> None:
        """Nothing runs."""

    def rest(self, seconds: float) -> bool:
        self.rests.append(seconds)
        return self.ending

    def stopping(self) -> bool:
        return self.ending


@dataclass
class Desk:
    """A store, the endpoint that it asks, and somebody who sends windows."""

    store: Memoranda
    endpoint: endpoints.Endpoint
    hand: Hand
    scribe: Scribe

    def send(self, body: JsonObject | None = None) -> JsonObject:
        return self.scribe.send(self.scribe.window() if body is None else body)

    def extract(self, answer: JsonObject) -> JsonObject:
        """Work on a window that waits; what it came to."""
        self.store.extracting.extract("w", answer["window_id"])
        return self.read(answer)

    def read(self, answer: JsonObject) -> JsonObject:
        """A window as its owner reads it."""
        state = self.store.windows.state(self.scribe.context, answer["window_id"])
        last = state.decided
        return {
            "mode": state.mode,
            "outcomes": [one["outcome"] for one in state.verdicts],
            "reason": state.verdicts[0]["reason"] if state.verdicts else None,
            "author": last.said.author,
            "raw": last.said.raw,
        }


@pytest.fixture
def endpoint() -> Iterator[endpoints.Endpoint]:
    with endpoints.running() as running:
        yield running


@pytest.fixture
def model(endpoint) -> Model:
    return Model(endpoint_of(endpoint.url), "scribe-1", KEY, seconds=20, tries=3)


@pytest.fixture
def desk_of(endpoint, model, tmp_path) -> Iterator[Callable[..., Desk]]:
    opened = []

    def make(**changes: Any) -> Desk:
        hand = Hand()
        extraction = Extraction(replace(model, **changes), lambda _: hand)
        store = open_memoranda(tmp_path / "data", extraction=extraction)
        opened.append(closing(store))
        return Desk(store, endpoint, hand, Scribe(store))

    yield make
    for store in opened:
        with store:
            pass


@pytest.fixture
def desk(desk_of) -> Desk:
    return desk_of()
