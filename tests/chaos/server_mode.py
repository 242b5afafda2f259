"""The server mode under everything that kills: `make chaos SECONDS=60`.

Four callers send mixed commands over HTTP to two servers, beside three workers, and keep every
answer in a journal that is synced before they go on. Servers, supervisors and worker processes are
killed, Redis is flushed, PostgreSQL restarted, connections are cut after their commit, and one
command in a hundred makes events that no projection can handle. At the end the log must hold every
receipt, each once, and nothing else; every event must be applied once and in order, or parked; and
the read models must be what an undisturbed fold of the log makes.

Exit status: 0 all is well; 1 something is wrong; 2 too little was done to tell.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from ops.server_site import open_site
from ops.settings import ServerMode
from tests.chaos.breaks import BREAKS
from tests.chaos.callers import Caller, Poisoner
from tests.chaos.commands import Seen
from tests.chaos.fleet import Fleet
from tests.chaos.grounds import Grounds, prepared_grounds
from tests.chaos.journals import read_all
from tests.chaos.ledger import balance
from tests.chaos.product import BREAK, MARK
from tests.chaos.servers import Gate
from tests.chaos.storm import Storm
from tests.chaos.strength import KILLS, lacking
from tests.chaos.verdict import judge_log, unrecorded
from tests.cli.processes import HOST_KEY
from workers.site import Site

CALLERS: Final = 4
WORKSPACES: Final = 2
POISON_MARK: Final = "poison-"
DRAIN_SECONDS_MAX: Final = 10.0
WAIT_SECONDS_MAX: Final = 120.0
LONGER: Final = 4
"""A slow machine may take so many times as long to do enough, unless it is told otherwise."""
MASTER_KEY: Final = bytes(range(32))


@dataclass
class Result:
    """Figures of a run, and every sentence about something that is wrong."""

    figures: dict[str, object] = field(default_factory=dict)
    lacking: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def status(self) -> int:
        """The exit status: what is wrong is wrong however little was done."""
        return 1 if self.wrong else 2 if self.lacking else 0

    def lines(self) -> Iterator[str]:
        """What people read; the last line has all figures."""
        yield from self.wrong
        if self.lacking:
            yield f"too weak: {', '.join(self.lacking)}"
        said = ", ".join(f"{name} {value}" for name, value in self.figures.items())
        yield f"chaos: {said}, wrong {len(self.wrong)}"


@dataclass
class Chaos:
    """One run of so many seconds in a folder of its own; of more, where little was done."""

    folder: Path
    seconds: float
    longest: float
    dice: Random
    gate: Gate = field(default_factory=Gate)
    result: Result = field(default_factory=Result)

    @property
    def journals(self) -> Path:
        return self.folder / "journals"

    def run(self) -> Result:
        """Live, suffer and be judged."""
        self.journals.mkdir()
        with ExitStack() as opened:
            grounds = opened.enter_context(prepared_grounds(self.folder))
            fleet = self._fleet(grounds)
            opened.callback(fleet.kill_all)
            fleet.all_ready()
            mode = ServerMode(grounds.database_url, grounds.redis.url, MASTER_KEY)
            site = opened.enter_context(open_site(mode))
            callers = self._callers()
            storm = Storm(fleet, grounds, self.dice, lambda: _commands(callers))
            took = storm.blow(self.seconds, lambda now: self._enough(now, storm, callers))
            self._end(callers, fleet)
            drained = self._drained(site)
            self.result.wrong += fleet.stop()
            self.result.figures = {"seconds": round(took), **self._counts(storm, callers)}
            self.result.lacking = lacking(self._counts(storm, callers), self.seconds)
            self.result.figures["repeated"] = sum(caller.repeated for caller in callers)
            self.result.figures["ended_without_database"] = storm.revived
            self._judge(site, storm, grounds.database_url)
            self.result.figures["drained_s"] = drained
            self.result.wrong += fleet.faults()
        return self.result

    def _fleet(self, grounds: Grounds) -> Fleet:
        common = {
            "MEMORANDA_REDIS_URL": grounds.redis.url,
            "MEMORANDA_MASTER_KEY": MASTER_KEY.hex(),
        }
        return Fleet(
            self.folder,
            common
            | {
                "MEMORANDA_HOST_KEY": HOST_KEY,
                "MEMORANDA_DATABASE_URL": grounds.of_servers.url,
            },
            common | {"MEMORANDA_DATABASE_URL": grounds.of_workers.url},
            self.gate,
        )

    def _callers(self) -> list[Caller]:
        seen = [Seen() for _ in range(WORKSPACES)]
        callers: list[Caller] = [
            Poisoner(
                number,
                self.gate,
                seen[number % WORKSPACES],
                self.journals / f"{number}.jsonl",
                Random(self.dice.random()),
                f"w{number % WORKSPACES}",
                mark=POISON_MARK,
            )
            for number in range(CALLERS)
        ]
        for caller in callers:
            caller.start()
        return callers

    def _counts(self, storm: Storm, callers: list[Caller]) -> dict[str, int]:
        counts = storm.counts()
        kills = sum(counts[sort] for sort in KILLS)
        return {"kills": kills, **counts, "commands": sum(_commands(callers).values())}

    def _enough(self, seconds: float, storm: Storm, callers: list[Caller]) -> bool:
        if self.gate.failure or seconds >= self.longest:
            return True
        return seconds >= self.seconds and not lacking(self._counts(storm, callers), self.seconds)

    def _end(self, callers: list[Caller], fleet: Fleet) -> None:
        """Let everybody have their last answer."""
        for caller in callers:
            caller.end()
        began = time.monotonic()
        while any(one.is_alive() for one in callers):
            if time.monotonic() - began > WAIT_SECONDS_MAX:
                break
            fleet.revive()
            next(one for one in callers if one.is_alive()).join(0.1)
        for caller in callers:
            if caller.is_alive():
                self.result.wrong.append(f"{caller.name} hangs")
            for told, answer in caller.replays_unlike:
                self.result.wrong.append(f"{told.key} was answered {told.receipt}, then {answer}")
        if self.gate.failure:
            self.result.wrong.append(self.gate.failure)

    def _drained(self, site: Site) -> float:
        """Seconds until the read models have seen all that was written."""
        began, ticking = time.monotonic(), threading.Event()
        while site.laggards():
            if time.monotonic() - began > WAIT_SECONDS_MAX:
                self.result.wrong.append("the read models do not reach the end of the log")
                break
            ticking.wait(0.02)
        took = round(time.monotonic() - began, 1)
        if took > DRAIN_SECONDS_MAX:
            self.result.wrong.append(f"drained after {took} s, not within {DRAIN_SECONDS_MAX}")
        return took

    def _judge(self, site: Site, storm: Storm, url: str) -> None:
        events = site.log.after(0, 10**9)
        told = list(read_all(self.journals))
        verdict = judge_log(events, told)
        ledger = balance(events, site, url, POISON_MARK)
        self.result.wrong += [*verdict.wrong, *ledger.wrong]
        taken_back = unrecorded(events, told)
        for one in taken_back:
            if not storm.excuses(one, told):
                self.result.wrong.append(f"lost: {one.committed_without_receipt} was answered")
        self.result.figures |= {
            "events": verdict.events,
            "receipts": verdict.receipts,
            "lost": verdict.lost,
            "written": ledger.written,
            "applied": ledger.applied,
            "parked": ledger.parked,
            "poison": ledger.poison,
            "doubled": verdict.doubled + ledger.doubled,
            "out_of_order": ledger.out_of_order,
            "recalls_taken_back": len(taken_back),
        }


def _commands(callers: list[Caller]) -> dict[str, int]:
    return {caller.actor: caller.commands for caller in callers}


def main() -> int:
    """Run it; the last line has the figures, and the status says whether all was well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--longest", type=float, help=f"seconds; default: {LONGER} times as long")
    parser.add_argument("--seed", type=int, help="default: another one each time")
    options = parser.parse_args()
    if os.environ.get(BREAK, "") not in ("", *BREAKS):
        parser.error(f"{BREAK} is one of {', '.join(BREAKS)}")
    seed = Random().randrange(10**9) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    for name in [name for name in os.environ if name.startswith("MEMORANDA_")]:
        del os.environ[name]
    os.environ[MARK] = POISON_MARK
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="memoranda-chaos-") as folder:
        longest = options.longest or LONGER * options.seconds
        result = Chaos(Path(folder), options.seconds, longest, Random(seed)).run()
    for line in result.lines():
        print(line)
    return result.status()


if __name__ == "__main__":
    sys.exit(main())
