"""Windows of a session: bounded parts of it, cut between turns (docs/spec/bundle.md §2).

A turn begins where somebody asks the agent for something, and lasts until the next one does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from domain.bundles.evidence import cut_in_the_middle
from domain.bundles.redaction import redacted
from domain.canonical import JsonObject, canonical
from domain.limits import NAME_BYTES_MAX
from ops.capture.checkout import Checkout
from ops.capture.events import ASSISTANT, CLIENT, LogEvent, Session
from ops.capture.lines import Place

SCHEMA_VERSION: Final = "agent-session-window/v1"
EVENTS_MAX: Final = 200
"""Of one window."""
BYTES_MAX: Final = 256 * 1024
"""Of the canonical JSON of one window without proposals."""
END_CHARACTERS: Final = 8 * 1024
"""So much of each end of a text is redacted."""
_RANGE_BYTES: Final = 256
"""For history_window and observed_at, which are known last."""
_ENDS: Final = frozenset({("assistant_message", ASSISTANT), ("error", CLIENT)})
"""Kind and actor of what may be the last of a turn: after all others the agent has yet to speak."""


@dataclass(frozen=True, slots=True)
class Window:
    """A window that can be sent: its body, and where the log goes on behind it.

    `redactions` counts what was redacted, by kind. `cut_turn`: it is a part of one turn, which is
    larger than a window.
    """

    body: JsonObject
    next: Place
    redactions: dict[str, int]
    cut_turn: bool = False

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line of the log that it holds events of."""
        held = self.body["history_window"]
        return held["start"], held["end"]


@dataclass(frozen=True, slots=True)
class Sized:
    """An event as it will be sent, and how many bytes of canonical JSON that takes.

    `event` is the one of the log without its text, which may be megabytes.
    """

    event: LogEvent
    wire: JsonObject
    size: int
    redactions: dict[str, int]


@dataclass(slots=True)
class Part:
    """Events that stay together."""

    events: list[Sized] = field(default_factory=list)
    size: int = 0

    def add(self, *events: Sized) -> None:
        """Further events."""
        self.events += events
        self.size += sum(one.size for one in events)

    def has_room(self, events: int, size: int, bytes_max: int) -> bool:
        """Whether so many more fit into one window."""
        return len(self.events) + events <= EVENTS_MAX and self.size + size <= bytes_max


def sized(event: LogEvent) -> Sized:
    """The event redacted, then cut: a secret that is cut in two would not be recognised."""
    text, left_out = _both_ends(event.text)
    said = {"kind": event.kind, "actor": event.actor, "text": text, "line": event.place.line}
    told = {"name": event.name, "at": event.at}
    wire, counts = redacted(said | {key: one for key, one in told.items() if one is not None})
    wire["text"] = cut_in_the_middle(wire["text"], left_out)
    if event.name is not None:
        wire["name"] = _name(wire["name"])
    # With the comma behind it.
    return Sized(replace(event, text=""), wire, len(canonical(wire)) + 1, counts)


def _both_ends(text: str) -> tuple[str, int]:
    """What has to be redacted of a long text, and how many characters are left out of its middle.

    Of megabytes of output 2 000 characters at each end are sent, and around these stands more than
    any key takes. So what is left of a secret at the cut is not among what is sent; where there are
    words, none is cut.
    """
    if len(text) <= 2 * END_CHARACTERS:
        return text, 0
    head, tail = text[:END_CHARACTERS], text[-END_CHARACTERS:]
    words = "".join(head.rsplit(maxsplit=1)[:1]), "".join(tail.split(maxsplit=1)[-1:])
    head, tail = (
        one if len(one) >= END_CHARACTERS // 2 else whole
        for one, whole in zip(words, (head, tail), strict=True)
    )
    return f"{head}\n[…]\n{tail}", len(text) - len(head) - len(tail)


def envelope(client: str, session: Session, checkout: Checkout, trigger: str) -> JsonObject:
    """What all windows of a run say of where they come from, redacted."""
    said: JsonObject = {
        "client": client,
        "session_id": session.session_id,
        "trigger": trigger,
        "workspace": checkout.workspace,
        "repo": checkout.repository,
        "branch": checkout.branch,
        "commit_sha": checkout.commit,
    }
    names = {
        name: None if text is None else _name(text) for name, text in redacted(said)[0].items()
    }
    return {"schema_version": SCHEMA_VERSION, **names}


def _name(text: str) -> str:
    """At most as long as the server takes it: what is longer was never a name."""
    return text.encode()[:NAME_BYTES_MAX].decode(errors="ignore")


def _has_ended(last: LogEvent) -> bool:
    return (last.kind, last.actor) in _ENDS


class Windows:
    """Takes the events of a log in order, gives windows as they become full."""

    def __init__(self, said: JsonObject, latest: str) -> None:
        """`said` is `envelope`; no window is observed after `latest`, a time in the server's form.

        A clock that was ahead when the log was written must not make the server refuse it.
        """
        self._said = said
        self._latest = latest
        self._bytes_max = BYTES_MAX - len(canonical({**said, "events": []})) - _RANGE_BYTES
        self._window = Part()
        self._turn = Part()
        self._cut = False

    def add(self, event: LogEvent) -> Iterator[Window]:
        """One more event; the windows that end before it."""
        one = sized(event)
        if event.begins_turn and self._turn.events:
            yield from self._end_turn(event.place)
        if not self._turn.has_room(1, one.size, self._bytes_max):
            yield from self._end_window()
            yield self._made(self._turn, event.place, cut_turn=True)
            self._turn, self._cut = Part(), True
        self._turn.add(one)

    def end(self, place: Place, *, whole: bool) -> Iterator[Window]:
        """The last windows of a log that is read up to `place`.

        Unless it is `whole`, the last turn waits while the agent has not answered: see `waiting`.
        """
        if self._turn.events and (whole or _has_ended(self._turn.events[-1].event)):
            yield from self._end_turn(place)
            yield from self._end_window(place)
        else:
            yield from self._end_window()

    @property
    def waiting(self) -> Place | None:
        """Where the turn begins that waits; None where none does."""
        return self._turn.events[0].event.place if self._turn.events else None

    def _end_turn(self, place: Place) -> Iterator[Window]:
        turn, cut = self._turn, self._cut
        self._turn, self._cut = Part(), False
        if cut:
            yield self._made(turn, place, cut_turn=True)
            return
        if not self._window.has_room(len(turn.events), turn.size, self._bytes_max):
            yield from self._end_window(turn.events[0].event.place)
        self._window.add(*turn.events)

    def _end_window(self, place: Place | None = None) -> Iterator[Window]:
        """The window so far; the log goes on at a place, or where the open turn begins."""
        window, self._window = self._window, Part()
        if window.events:
            place = place or self._turn.events[0].event.place
            yield self._made(window, place, cut_turn=False)

    def _made(self, part: Part, place: Place, *, cut_turn: bool) -> Window:
        events = [one.event for one in part.events]
        times = [event.at for event in events if event.at is not None]
        counts: Counter[str] = Counter()
        for one in part.events:
            counts.update(one.redactions)
        body = {
            **self._said,
            "history_window": {
                "kind": "lines",
                "start": events[0].place.line,
                "end": events[-1].place.line,
            },
            "events": [one.wire for one in part.events],
        }
        if times:
            body["observed_at"] = min(times[-1], self._latest)
        return Window(body, place, dict(counts), cut_turn)
