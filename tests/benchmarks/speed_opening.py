"""A process that opens a store and asks: `python -m tests.benchmarks.speed_opening FOLDER`.

Takes a workspace and questions from its input as JSON, prints milliseconds and bytes as JSON.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path

from ops.collector import calm_collector
from ops.wiring import open_memoranda
from tests.benchmarks.speed_asking import Times, recall, resident_bytes
from tests.benchmarks.speed_data import within


def main() -> None:
    said = json.load(sys.stdin)
    calm_collector()
    times = Times()
    with closing(times.take(lambda: open_memoranda(Path(sys.argv[1])))) as memoranda:
        before = resident_bytes()
        who, questions = within(said["workspace"]), said["questions"]
        for _ in range(2):
            times.take(lambda: recall(memoranda, who, questions[0]))
        held = resident_bytes()
        for question in questions:
            recall(memoranda, who, question)
        used = resident_bytes()
    opened, first, second = (seconds * 1000 for seconds in times.wall)
    found = {"open": opened, "first": first, "second": second}
    print(json.dumps({**found, "rss": before, "held": held, "used": used}))


if __name__ == "__main__":
    main()
