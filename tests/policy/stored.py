"""Generated event sets in stores: imported, exported and imported elsewhere, and asked there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine, create_engine

from domain.context import CONTRACT_PERMISSIONS, Context
from domain.instants import parse_instant
from ops.memoranda import Memoranda
from ops.wiring import open_memoranda
from tests.policy.foreign import positions_of
from tests.policy.imported import Streams
from tests.policy.imported_world import Imported
from tests.policy.playing import LIMITS

WORKSPACE: Final = "generated"
_NAMES: Final = ("id", "target", "canonical")


def together(histories: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Several sets as one: each in sessions and with ids of its own, as a store may take it.

    What no store takes, an event that corrects itself or one that never holds, is left out.
    """
    return [
        _renamed(event, f"-{number}")
        for number, history in enumerate(histories)
        for event in history
        if _is_taken(event)
    ]


def _renamed(event: Mapping[str, Any], mark: str) -> dict[str, Any]:
    names = {name: event[name] + mark for name in _NAMES if name in event}
    if "targets" in event:
        names["targets"] = [name + mark for name in event["targets"]]
    return {**event, **names, "session": event["session"] + mark}


def _is_taken(event: Mapping[str, Any]) -> bool:
    start, end = (event.get(name) for name in ("valid_from", "valid_until"))
    empty = start and end and parse_instant(end, "until") <= parse_instant(start, "from")
    return event["id"] != event.get("target") and not empty


class Store:
    """A store that is open, asked as a world of tests is."""

    def __init__(self, memoranda: Memoranda, views: Engine) -> None:
        self._memoranda = memoranda
        self.views = views

    def recall(self, words: str, by: Mapping[str, Any], more: Mapping[str, Any]) -> Any:
        context = Context(
            workspace=WORKSPACE,
            actor="ann",
            session=by["session"],
            permissions=CONTRACT_PERMISSIONS,
            request_id="asked",
        )
        said = {"objective": words, "seed_ids": [], "limits": LIMITS, **more}
        body = {"contract_version": "v1", "operation": "recall", "input": said}
        return self._memoranda.execute(context, body)["result"]["result"]


@contextmanager
def opened(
    folder: Path, events: Sequence[Mapping[str, Any]], streams: Streams
) -> Iterator[Imported]:
    """The events of the sets in the store of a folder, which has taken them."""
    positions = positions_of(folder, streams)
    with closing(open_memoranda(folder)) as memoranda:
        views = create_engine(f"sqlite:///{folder / 'views.db'}")
        try:
            there = Imported(Store(memoranda, views), events, streams)
            there.positions = [positions[one.stream, one.version] for one in streams.placed]
            yield there
        finally:
            views.dispose()
