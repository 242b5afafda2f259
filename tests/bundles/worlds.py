"""Logs with concepts, takeaways and windows, appended as the write side appends them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from domain.canonical import JsonObject
from domain.decisions import Fact
from domain.erasure import ErasureState
from domain.events import ErasureStep
from domain.ids import CLAIM, CONCEPT, WINDOW
from domain.recorded import RecordedEvent
from tests import builders
from tests.projections.commands import FORGETS, REMEMBER, UPDATE, forget
from tests.projections.histories import Command, World


def verdict(outcome: str, reason: str = "", index: int = 0) -> JsonObject:
    """What became of a proposal that is about nothing."""
    nothing = ("concept_id", "claim_id", "memory_id", "covered_concept_id", "covered_claim_id")
    return {
        "index": index,
        "outcome": outcome,
        "reason": reason,
        "restated": False,
        "candidates": [],
        **dict.fromkeys(nothing),
    }


@dataclass
class BundleWorld(World):
    """A world in which agents' windows are told, too; ids by workspace, in order."""

    concepts: list[tuple[str, str]] = field(default_factory=list)
    takeaways: list[tuple[str, str]] = field(default_factory=list)
    windows: list[tuple[str, str]] = field(default_factory=list)

    def do(self, name: str, **said: Any) -> list[RecordedEvent]:
        """One command of either kind."""
        mine = _HANDLERS.get(name)
        return super().do(name, **said) if mine is None else mine(self, said)

    def destroy_keys(self) -> None:
        """Of memories, and of what names them in `targets`, as the eraser does."""
        super().destroy_keys()
        asked = self.log.after(0, 10**6, topics=(ErasureStep.TOPIC,))
        for event in asked:
            for step in event.facts:
                erasure = ErasureState(
                    event.stream, event.context, step.scope, dict(step.targets), event.position
                )
                self._destroy_quoting(erasure)

    def _destroy_quoting(self, erasure: ErasureState) -> None:
        for stream in (*self.concepts, *self.takeaways, *self.windows):
            if stream[0] != erasure.context.workspace:
                continue
            events = self.log.stream(*stream)
            reached = [
                event.version
                for event in events
                if erasure.answered_with(
                    getattr(event.facts[0], "targets", None) or (), event.position
                )
            ]
            if reached and stream in self.windows:
                reached = [event.version for event in events]
            for version in reached:
                self.log.destroy_key(*stream, version)

    def target(self, said: dict[str, Any]) -> tuple[str, int] | None:
        """The memory that a command is about, at its version; None where there is none."""
        memory_id = self.pick(self.memories, said, "memory")
        state = self.memory(said["workspace"], memory_id)
        return None if state is None else (memory_id, state.version)

    def append(self, said: dict[str, Any], stream: str, event: Any) -> list[RecordedEvent]:
        return self.record(said, [Fact(stream, event)])


def _home(said: dict[str, Any]) -> dict[str, Any]:
    return {
        "session": said.get("session", "monday"),
        "visibility": "private",
        "owner": said.get("actor", "ann"),
    }


def _open(world: Any, said: dict[str, Any]) -> list[RecordedEvent]:
    opening = builders.concept_opened().payload.model_copy(update=said.get("opening", {}))
    stream = world.new_id(CONCEPT)
    world.concepts.append((said["workspace"], stream))
    event = builders.concept_opened(**_home(said), payload=opening)
    return world.append(said, stream, event)


def _words(said: dict[str, Any], window: str) -> Any:
    citation = builders.citation(
        window_id=window, citation_url=f"/v1/bundles/windows/{window}#E1", **said.get("cited", {})
    )
    return builders.takeaway(citation=citation, **said.get("words", {}))


def _named(world: Any, said: dict[str, Any]) -> tuple[tuple[str, int], str, str] | None:
    """Memory, concept and window of a takeaway; None where one is missing."""
    target = world.target(said)
    concept = world.pick(world.concepts, said, "concept")
    window = world.pick(world.windows, said, "window")
    if target is None or "mem_none" in {concept, window}:
        return None
    return target, concept, window


def _take(world: Any, said: dict[str, Any]) -> list[RecordedEvent]:
    named = _named(world, said)
    if named is None:
        return []
    target, concept, window = named
    stream = world.new_id(CLAIM)
    world.takeaways.append((said["workspace"], stream))
    event = builders.takeaway_added(
        **_home(said),
        target_id=target[0],
        targets=[target, (concept, 1), (window, 1)],
        payload=_words(said, window),
    )
    return world.append(said, stream, event)


def _move(world: Any, said: dict[str, Any]) -> list[RecordedEvent]:
    named, stream = _named(world, said), world.pick(world.takeaways, said, "takeaway")
    if named is None or stream == "mem_none":
        return []
    target, concept, window = named
    event = builders.takeaway_moved(
        **_home(said),
        mode=said.get("mode", "revision"),
        target_id=target[0],
        targets=[target, (concept, 1), (window, 1)],
        payload=_words(said, window),
    )
    return world.append(said, stream, event)


def _cite(world: Any, said: dict[str, Any]) -> list[RecordedEvent]:
    named, stream = _named(world, said), world.pick(world.takeaways, said, "takeaway")
    if named is None or stream == "mem_none":
        return []
    target, _, window = named
    cited = builders.citation_added().payload.model_copy(
        update={
            "citation": _words(said, window).citation,
            "reason": said.get("reason", "they said so"),
            "offered": said.get("offered"),
        }
    )
    event = builders.citation_added(
        **_home(said),
        mode=said.get("mode", "restated"),
        target_id=target[0],
        targets=[target, (window, 1)],
        payload=cited,
    )
    return world.append(said, stream, event)


def _window(world: Any, said: dict[str, Any]) -> list[RecordedEvent]:
    again = said.get("again")
    if again is None or not world.windows:
        stream = world.new_id(WINDOW)
        world.windows.append((said["workspace"], stream))
    else:
        stream = world.pick(world.windows, said, "again")
        if stream == "mem_none":
            return []
    target = world.target(said) if "memory" in said else None
    event = builders.window_recorded(
        **_home(said),
        mode=said.get("mode", "no_output"),
        targets=[] if target is None else [target],
        counts={"events": 1},
        payload=builders.window(**said.get("words", {})),
    )
    return world.append(said, stream, event)


def _resolve(world: Any, said: dict[str, Any]) -> list[RecordedEvent]:
    stream = world.pick(world.windows, said, "window")
    target = world.target(said)
    if stream == "mem_none" or target is None:
        return []
    event = builders.window_resolved(**_home(said), targets=[target])
    return world.append(said, stream, event)


_HANDLERS = {
    "open": _open,
    "take": _take,
    "move": _move,
    "cite": _cite,
    "window": _window,
    "resolve": _resolve,
}


def _command(name: str) -> Any:
    def make(said: Any = None, /, **more: Any) -> Command:
        return name, {"workspace": "acme", **(said or {}), **more}

    return make


open_concept = _command("open")
send_window = _command("window")


def take(memory: int = 0, /, **more: Any) -> Command:
    """A takeaway of a memory, in the first concept, from the first window."""
    said = {"workspace": "acme", "concept": 0, "window": 0}
    return "take", {**said, "memory": memory, **more}


def move(memory: int = 1, /, **more: Any) -> Command:
    """The first takeaway says something else."""
    said = {"workspace": "acme", "concept": 0, "window": 0, "takeaway": 0}
    return "move", {**said, "memory": memory, **more}


def cite(memory: int = 0, /, **more: Any) -> Command:
    """More evidence for the first takeaway."""
    return "cite", {**move(memory)[1], **more}


def resolve(memory: int = 0, /, **more: Any) -> Command:
    """The owner settles the first proposal of the first window."""
    return "resolve", {"workspace": "acme", "window": 0, "memory": memory, **more}


# --- Strategies -----------------------------------------------------------------------------------

_NUMBERS = st.integers(0, 3)
_WORDS = st.sampled_from(["Rosebud", "Tea\x00", "\x01"])
_SAID = st.fixed_dictionaries(
    {"workspace": st.sampled_from([*["acme"] * 5, "other"])},
    optional={"actor": st.sampled_from(["ann", "bob"])},
)
_ABOUT = st.builds(
    lambda said, memory, concept, window, takeaway, words: {
        **said,
        "memory": memory,
        "concept": concept,
        "window": window,
        "takeaway": takeaway,
        "words": {"claim_text": words},
    },
    _SAID, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, _WORDS,
)  # fmt: skip
_TOLD = st.builds(
    lambda said, memory, mode, words, again: {
        **said,
        **({} if memory is None else {"memory": memory}),
        "mode": mode,
        "again": again,
        "words": {
            "session_id": words,
            "verdicts": [verdict("parse_failed", words)],
        },
    },
    _SAID,
    st.none() | _NUMBERS,
    st.sampled_from(["accepted", "knowledge_patched", "no_output", "failed"]),
    _WORDS,
    st.none() | _NUMBERS,
)
OPEN = st.builds(open_concept, _SAID)
SEND = st.builds(send_window, _TOLD)
FORGET = st.builds(
    lambda said, how, memory, version: forget(
        memory, **said, **how, **({"version": version} if how.get("scope") == "event" else {})
    ),
    _SAID, FORGETS, _NUMBERS, _NUMBERS,
)  # fmt: skip
COMMANDS = st.one_of(
    st.builds(lambda said: ("take", said), _ABOUT),
    st.builds(lambda said: ("take", said), _ABOUT),
    st.builds(lambda said: ("move", said), _ABOUT),
    st.builds(lambda said: ("cite", said), _ABOUT),
    st.builds(lambda said: ("resolve", said), _ABOUT),
    SEND,
    FORGET,
    FORGET,
    UPDATE,
    OPEN,
)
HISTORIES = st.builds(
    lambda memories, more: [
        *memories, open_concept(), send_window(), take(), *more
    ],
    st.lists(REMEMBER, min_size=2, max_size=3),
    st.lists(COMMANDS, min_size=4, max_size=16),
)  # fmt: skip
"""Sequences of commands; those that are about nothing record nothing."""
