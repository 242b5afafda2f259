"""Two servers of one database that are sent the same takeaway at once: it stays one claim."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest

from domain.bundle_events import TakeawayAdded
from ops.settings import ServerMode
from ops.wiring import open_server
from tests.bundles.scribes import Scribe
from tests.server_mode.conftest import MASTER_KEY

RULES = (
    ("Release notes are drafted by the person who merges the change",) * 2,
    (
        "Feature flags are removed as soon as the rollout is complete",
        "Feature flags are removed from the code as soon as the rollout is complete",
    ),
    (
        "Error messages tell the operator what to do next",
        "Error messages must tell the operator what to do next",
    ),
)


@pytest.mark.timeout(240)
def test_the_same_takeaway_sent_to_two_servers_at_once_is_one_claim(
    tmp_path, postgres_url, redis_url
):
    mode = ServerMode(postgres_url, redis_url, bytes.fromhex(MASTER_KEY))
    with (
        closing(open_server(mode, tmp_path / "a")) as one,
        closing(open_server(mode, tmp_path / "b")) as other,
    ):
        for number, rules in enumerate(RULES * 3):
            scribes = [Scribe(store, workspace=f"w{number}") for store in (one, other)]
            answers = [None, None]
            ready = threading.Barrier(2)

            def send(at, scribes=scribes, rules=rules, answers=answers, ready=ready):
                ready.wait()
                answers[at] = scribes[at].say(rules[at], title=f"Title {at}")

            threads = [threading.Thread(target=send, args=(at,)) for at in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert {one["outcome"] for one in answers} <= {"applied", "skipped_conflict"}
            added = scribes[0].store.log.after(
                0, 10_000, workspace=scribes[0].workspace, topics=(TakeawayAdded.TOPIC,)
            )
            assert len(added) == 1
            assert len(scribes[1].found("release feature error notes flags messages")) == 1
            assert len({one["claim_id"] for one in answers}) == 1
