"""Servers and workers in processes of their own: what waits survives whoever had it in hand."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from tests.bundles.scribes import saying
from tests.bundles.windows import says, window
from tests.cli.processes import HOST_KEY, Server, serving
from tests.extraction.conftest import KEY
from tests.extraction.endpoint import completion, holds, proposes, resets, sends
from tests.server_mode.conftest import MASTER_KEY, working
from tests.workers.server_log import until

GOOD = saying("Charts are stored flat")
SECONDS = 60
pytestmark = pytest.mark.timeout(300)


@dataclass
class Host:
    """Speaks for an agent's host."""

    server: Server
    status: int = 0
    headers: dict[str, str] = field(
        default_factory=lambda: {
            "Authorization": f"Bearer {HOST_KEY}",
            "X-Workspace-Id": "team",
            "X-Actor-Id": "ana",
            "X-Session-Id": "default",
            "X-Permissions": "read,write,trace",
            "Content-Type": "application/json",
        }
    )

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        with self.server.connect() as connection:
            data = None if body is None else json.dumps(body).encode()
            connection.request(method, path, data, self.headers)
            answer = connection.getresponse()
            self.status = answer.status
            return json.loads(answer.read())

    def send(self, number: int) -> Any:
        body = window(events=[says(f"Remark {number}")])
        return self.ask("POST", "/v1/agent-sessions/windows", body)

    def read(self, sent: Any) -> Any:
        return self.ask("GET", f"/v1/agent-sessions/windows/{sent['window_id']}")

    def processed(self, sent: Any) -> Any:
        """The window, once it was decided."""
        until(lambda: self.read(sent).get("status") == "processed", "the extraction", SECONDS * 4)
        return self.read(sent)


def child_of(worker):
    """The process that a command started."""
    children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text()
    return int(children.split()[0])


def extractor(endpoint, **more):
    return {
        "extractor": "openai",
        "extractor_url": endpoint.url,
        "extractor_model": "scribe-1",
        "extractor_key": KEY,
        **more,
    }


def modes(host):
    """How often each window was recorded."""
    items = host.ask("GET", "/v1/bundles/completeness")
    return {name: items[name] for name in ("knowledge_patched", "failed", "waiting", "total")}


def test_a_server_that_is_killed_while_a_model_is_asked_loses_and_doubles_nothing(
    endpoint, tmp_path
):
    settings = {"host_key": HOST_KEY, **extractor(endpoint)}
    # Given a server that is killed while it waits for the model's answer
    endpoint.will(holds(endpoint, resets))
    with serving(tmp_path / "data", **settings) as server:
        host = Host(server)
        sent = host.send(1)
        assert (host.status, sent["status"], sent["result"]) == (202, "accepted", None)
        assert endpoint.arrived.wait(SECONDS)
        assert host.read(sent)["result"] is None
        assert server.stop(signal.SIGKILL)[0] == -signal.SIGKILL
    # When another one starts
    endpoint.will(proposes(GOOD))
    with serving(tmp_path / "data", **settings) as server:
        host = Host(server)
        # Then the window is extracted, once
        found = host.processed(sent)
        assert (found["result"], len(found["attempts"])) == ("knowledge_patched", 2)
        again = host.send(1)
        assert (host.status, again["idempotent"]) == (200, True)
        assert modes(host) == {"knowledge_patched": 1, "failed": 0, "waiting": 0, "total": 1}
        replayed = host.ask("GET", f"/v1/agent-sessions/windows/{sent['window_id']}/replay")
        assert replayed["verdict"] == "identical"
        # And what fails is read as failed
        endpoint.will(sends(completion("no JSON")))
        bad = host.processed(host.send(2))
        assert (bad["result"], bad["proposals"][0]["outcome"]) == ("failed", "parse_failed")
        status, out, err = server.stop()
    assert status == 0
    assert KEY not in out + err
    for file in (tmp_path / "data").rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()


def test_workers_ask_the_model_in_the_server_mode_and_redis_sees_names_alone(
    endpoint, postgres_url, redis_url, tmp_path
):
    said = {
        "database_url": postgres_url,
        "redis_url": redis_url,
        "master_key": MASTER_KEY,
        "host_key": HOST_KEY,
        **extractor(endpoint, extractor_timeout="600"),
    }
    with Redis.from_url(redis_url) as redis, serving(tmp_path / "data", **said) as server:
        host = Host(server)
        # Given a window whose job is lost before a worker has it
        lost = host.send(1)
        assert (host.status, lost["status"]) == (202, "accepted")
        redis.flushall()
        endpoint.will(proposes(GOOD))
        with working(said) as worker:
            # Then a sweep finds it
            assert host.processed(lost)["result"] == "knowledge_patched"
            # When a worker asks the model about another one
            endpoint.will(holds(endpoint, proposes(GOOD)))
            endpoint.arrived.clear()
            second = host.send(2)
            assert endpoint.arrived.wait(SECONDS)
            # Then Redis holds no word of it
            held = [key + (redis.dump(key) or b"") for key in redis.scan_iter()]
            assert any(second["window_id"].encode() in one for one in held)
            assert all(b"Remark" not in one and KEY.encode() not in one for one in held)
            # And it is decided when the answer comes
            endpoint.let_go.set()
            found = host.processed(second)
            assert (found["result"], len(found["attempts"])) == ("knowledge_patched", 2)
            # When a worker is told to stop while it asks, it does not wait for the answer
            endpoint.arrived.clear()
            endpoint.let_go.clear()
            third = host.send(3)
            assert endpoint.arrived.wait(SECONDS)
            worker.terminate()
            said_last, _ = worker.communicate(timeout=SECONDS)
            assert (worker.returncode, KEY in said_last) == (0, False)
        # Then the next one asks at once
        endpoint.will(proposes(GOOD))
        with working(said) as worker:
            assert host.processed(third)["result"] == "knowledge_patched"
            # When a worker is killed while it asks, though its job may take hours
            endpoint.will(holds(endpoint, proposes(GOOD)))
            endpoint.arrived.clear()
            fourth = host.send(4)
            assert endpoint.arrived.wait(SECONDS)
            endpoint.will(proposes(GOOD))
            os.kill(child_of(worker), signal.SIGKILL)
            # Then the one that is started in its place asks when the lease is over
            assert host.processed(fourth)["result"] == "knowledge_patched"
        assert modes(host) == {"knowledge_patched": 4, "failed": 0, "waiting": 0, "total": 4}
