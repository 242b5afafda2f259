"""A server whose database goes away says so, and that it is to be asked again."""

from __future__ import annotations

import http.client
import json

import pytest

from projections.views_postgres import open_reader
from read_api.memtables import Memtables
from read_api.warming import Warmer
from tests.cli.processes import serving
from tests.http.api import envelope, host_headers, memory, question
from tests.services.cutting_proxy import CuttingProxy
from tests.services.ports import free_port
from tests.workers.server_log import ServerLog

OPERATIONS = "/v1/memory/operations"
pytestmark = pytest.mark.timeout(300)


def asked(server, method, path, said=None):
    """Status, Retry-After and the code."""
    connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
    headers = host_headers() | {"Content-Type": "application/json"}
    connection.request(method, path, None if said is None else json.dumps(said), headers)
    answer = connection.getresponse()
    body = json.loads(answer.read())
    connection.close()
    code = body.get("code") or body.get("error", {}).get("code")
    return answer.status, answer.headers["Retry-After"], code


def test_nobody_is_told_to_rebuild_because_a_connection_is_lost(tmp_path, settings):
    # given
    proxy = CuttingProxy(settings["database_url"])
    requests = {
        b"memory_version": ("GET", "/v1/memories"),
        b"checkpoint": ("POST", OPERATIONS, envelope("recall", question(), None)),
    }
    told = {}
    with serving(tmp_path / "data", **settings | {"database_url": proxy.url}) as server:
        assert asked(server, "POST", OPERATIONS, envelope("remember", memory()))[0] == 200
        for asks_for, request in requests.items():
            assert asked(server, *request)[0] == 200
            # when
            proxy.cut_next("before", asks_for)
            told[asks_for] = asked(server, *request)
            # then
            assert asked(server, *request)[0] == 200
    proxy.close()
    assert proxy.cuts == len(requests)
    assert set(told.values()) <= {(503, "1", "DURABILITY_FAILED"), (200, None, None)}
    assert told[b"memory_version"][0] == 503


def test_a_server_starts_to_answer_though_nothing_can_be_warmed(postgres_url):
    # given
    log = ServerLog(postgres_url)
    views = open_reader(f"postgresql://nobody:none@127.0.0.1:{free_port()}/none")
    warmer = Warmer(Memtables(log), views, log.head)
    # when
    warmer.start()
    # then
    assert warmer.wait(60)
    warmer.stop()
    log.close()
