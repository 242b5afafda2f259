"""A rebuild in PostgreSQL that can be killed: `python -m tests.projections.rebuilding URL`.

It makes the log of `big_world` in its own memory, which is the same in every process, and says
where it stands before each batch.
"""

from __future__ import annotations

import sys

from ops.rebuild_postgres import rebuild_beside
from projections.views_postgres import PARTS
from tests.bundles.worlds import BundleWorld, open_concept, send_window, take
from tests.projections.commands import forget, recall, relate, remember, update
from tests.projections.databases import Sqlite, using

BATCH = 3


def big_world() -> BundleWorld:
    """Two workspaces with a hundred and twenty commands; the same each time."""
    with using(Sqlite(parts=PARTS)):
        world = BundleWorld()
    world.run([remember("First"), open_concept(), send_window(), take()])
    for number in range(30):
        said = {"workspace": "acme" if number % 3 else "other"}
        world.run([remember(f"Fact {number}", said=said, tags=[f"t{number % 4}"])])
        world.run([remember(f"More {number}", said=said), relate(number, number + 1, said=said)])
        world.run([update(number, said=said, confidence=0.5)])
        if number % 7 == 0:
            world.run([forget(number, **said), recall(**said)])
            world.run([remember("Another", said=said)])
    return world


def main(url: str) -> None:
    """Rebuild, and tell."""
    position = rebuild_beside(
        big_world().log, url, lambda done, total: print(done, total, flush=True), batch=BATCH
    )
    print("position", position, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
