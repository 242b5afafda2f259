"""The embedded mode under SIGKILL: `make chaos-embedded ROUNDS=30`.

Eight callers send mixed commands over HTTP and keep every answer in a journal that is synced
before they go on. The server is killed at random moments and started again on the same folder;
what was not answered is repeated under its key. At the end the log must hold every receipt, each
once, and nothing else; docs/verify.py must find nothing, and the read models equal a rebuild.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from ops.wiring import open_memoranda
from tests.chaos.callers import Caller
from tests.chaos.commands import Seen
from tests.chaos.journals import read_all
from tests.chaos.servers import Gate, Killed
from tests.chaos.verdict import Verdict, judge

CALLERS: Final = 8
WORKSPACES: Final = 2
REQUESTS_MAX: Final = 200
"""How many requests a server sees at most before it is killed."""
START_SECONDS: Final = 3.0
"""About how long a start takes; a server that is killed within it may not have answered yet."""
JOIN_SECONDS_MAX: Final = 120.0


@dataclass
class Figures:
    """What a run did, and what it found."""

    rounds: int = 0
    kills: int = 0
    commands: int = 0
    receipts: int = 0
    repeated: int = 0
    events: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: list[str] = field(default_factory=list)

    def line(self) -> str:
        """All of them on one line."""
        said = {name: value for name, value in asdict(self).items() if name != "wrong"}
        figures = ", ".join(f"{name} {value}" for name, value in said.items())
        return f"chaos-embedded: {figures}, wrong {len(self.wrong)}"


@dataclass
class Chaos:
    """One run over a folder of its own."""

    folder: Path
    dice: Random
    gate: Gate = field(default_factory=Gate)
    server: Killed | None = None
    figures: Figures = field(default_factory=Figures)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def journals(self) -> Path:
        return self.folder / "journals"

    def run(self, rounds: int) -> Figures:
        """Live, die and be judged."""
        self.journals.mkdir()
        callers = self._callers()
        try:
            for _ in range(rounds):
                self._round()
            self._end(callers)
        finally:
            if self.server is not None:
                self.server.kill()
        self._count(callers)
        return self.figures

    def _callers(self) -> list[Caller]:
        seen = [Seen() for _ in range(WORKSPACES)]
        callers = [
            Caller(
                number,
                self.gate,
                seen[number % WORKSPACES],
                self.journals / f"{number}.jsonl",
                Random(self.dice.random()),
                f"w{number % WORKSPACES}",
            )
            for number in range(CALLERS)
        ]
        for caller in callers:
            caller.start()
        return callers

    def _start(self) -> Killed:
        self.server = Killed(self.data, self.folder / "server.log")
        return self.server

    def _answering(self) -> Killed:
        server = self._start()
        port = server.port()
        assert port, f"the server did not start: {self._errors()}"
        self.gate.open(port)
        return server

    def _round(self) -> None:
        """Start, serve for a while, die; now and then die before anything was served."""
        if self.dice.randrange(4) == 0:
            self._start().kill_within(self.dice.uniform(0.1, START_SECONDS))
            self.figures.kills += 1
        server = self._answering()
        self.gate.wait_for_more(
            self.dice.randrange(1, REQUESTS_MAX), answers=bool(self.dice.randrange(2))
        )
        self.gate.close()
        server.kill()
        self.figures.kills += 1
        self.figures.rounds += 1

    def _end(self, callers: list[Caller]) -> None:
        """Let everybody have their last answer, then end in order."""
        for caller in callers:
            caller.end()
        server = self._answering()
        for caller in callers:
            caller.join(JOIN_SECONDS_MAX)
            assert not caller.is_alive(), f"{caller.name} hangs"
        assert not self.gate.failure, self.gate.failure
        status = server.stop()
        if status or self._errors():
            self.figures.wrong.append(f"the server ended with {status}: {self._errors()}")

    def _errors(self) -> str:
        """What the servers said beside their answers: nothing, if all went well."""
        return (self.folder / "server.log").read_text(encoding="utf-8")

    def _count(self, callers: list[Caller]) -> None:
        for caller in callers:
            for told, answer in caller.replays_unlike:
                self.figures.wrong.append(f"{told.key} was answered {told.receipt}, then {answer}")
        self.figures.commands = sum(caller.commands for caller in callers)
        self.figures.repeated = sum(caller.repeated for caller in callers)
        told = list(read_all(self.journals))
        if len(told) != self.figures.commands:
            self.figures.wrong.append(f"{len(told)} answers in the journals")
        memoranda = open_memoranda(self.data)
        try:
            self._take(judge(memoranda, told, self.folder / "rebuilt.db"))
        finally:
            memoranda.close()

    def _take(self, verdict: Verdict) -> None:
        self.figures.events, self.figures.receipts = verdict.events, verdict.receipts
        self.figures.lost, self.figures.doubled = verdict.lost, verdict.doubled
        self.figures.wrong += verdict.wrong


def main() -> int:
    """Run it; the last line has the figures, and the status says whether all was well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seed", type=int, help="default: another one each time")
    options = parser.parse_args()
    seed = Random().randrange(10**9) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="memoranda-chaos-") as folder:
        figures = Chaos(Path(folder), Random(seed)).run(options.rounds)
    for sentence in figures.wrong:
        print(sentence)
    print(figures.line())
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
