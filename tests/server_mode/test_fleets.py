"""Several servers and workers over one database are one Memoranda."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.cli.processes import Server
from tests.http.api import envelope, host_headers, memory, question

pytestmark = pytest.mark.timeout(300)


class Client:
    """A client that asks another server every time, on connections of its own."""

    def __init__(self, servers: list[Server], workspace: str):
        self._doors = [
            http.client.HTTPConnection(one.host, one.port, timeout=60) for one in servers
        ]
        self._headers = host_headers(workspace=workspace) | {"Content-Type": "application/json"}
        self._turn = 0

    def close(self):
        for door in self._doors:
            door.close()

    def send(self, operation, said, key=...):
        """Status and answer."""
        door = self._doors[self._turn % len(self._doors)]
        self._turn += 1
        body = json.dumps(envelope(operation, said, key))
        door.request("POST", "/v1/memory/operations", body, self._headers)
        answer = door.getresponse()
        return answer.status, json.loads(answer.read())

    def do(self, operation, said, key=...):
        """The result of what succeeds."""
        status, body = self.send(operation, said, key)
        assert status == 200, body
        return body["result"]["result"]

    def finds(self, text):
        """The ids that a recall gives, and whether it saw everything."""
        found = self.do("recall", question(text), None)
        return [item["record"]["id"] for item in found["items"]], found["completeness"]["complete"]


@pytest.fixture
def client_of():
    """A client of some servers; its connections are closed at the end."""
    with contextlib.ExitStack() as opened:
        yield lambda servers, workspace="w": opened.enter_context(
            contextlib.closing(Client(servers, workspace))
        )


@pytest.mark.parametrize("workers", [2, 0])
def test_whoever_wrote_reads_it_at_every_server_with_and_without_workers(fleet, client_of, workers):
    # given
    servers = fleet(2, workers)
    wrong = []

    def life(number):
        client = client_of(servers, f"w{number}")
        for round_ in range(12):
            word = f"zebra{number}x{round_}"
            made = client.do("remember", memory(word))["record"]["id"]
            if client.finds(word) != ([made], True):
                wrong.append((number, round_, "remembered"))
            client.do("forget", {"memory_id": made, "mode": "tombstone", "reason": "r"})
            if client.finds(word)[0]:
                wrong.append((number, round_, "forgotten"))

    # when
    with ThreadPoolExecutor(4) as clients:
        list(clients.map(life, range(4)))
    # then
    assert wrong == []


def test_a_command_that_many_send_at_once_is_carried_out_once(fleet, client_of):
    # given
    servers = fleet(2, 1)
    clients = [client_of(servers) for _ in range(8)]
    together = threading.Barrier(len(clients))

    def send(client, number):
        together.wait()
        return client.do("remember", memory(f"text {number}"), f"key-{number}")

    # when
    answers = {}
    with ThreadPoolExecutor(len(clients)) as pool:
        for number in range(20):
            answers[number] = list(pool.map(send, clients, [number] * len(clients)))
    # then
    for key, said in answers.items():
        assert len({json.dumps(one["record"], sort_keys=True) for one in said}) == 1, key
        receipts = [one["receipt"] for one in said]
        assert sum(not receipt["replayed"] for receipt in receipts) == 1, key
        assert len({receipt["position"] for receipt in receipts}) == 1, key
    memories = {one["record"]["id"] for said in answers.values() for one in said}
    assert len(memories) == len(answers)


def test_text_that_was_erased_through_one_server_is_gone_from_the_other(fleet, client_of):
    # given a memory that both servers have shown
    first, second = (client_of([server]) for server in fleet(2, 1))
    made = first.do("remember", memory("canary zyzzyva"))["record"]["id"]
    assert first.finds("zyzzyva")[0] == second.finds("zyzzyva")[0] == [made]
    traced = {"target": {"kind": "memory", "id": made}}
    assert "zyzzyva" in json.dumps(second.do("trace", traced, None))
    # when
    erase = {"memory_id": made, "mode": "application_delete", "reason": "asked"}
    first.do("forget", erase)
    # then
    assert second.finds("zyzzyva")[0] == []
    assert "zyzzyva" not in json.dumps(second.do("trace", traced, None))


def test_a_server_that_is_told_to_stop_answers_what_it_has_begun(fleet, client_of):
    # given
    (server,) = fleet(1, 0)
    clients = [client_of([server]) for _ in range(8)]
    begun, told = threading.Barrier(len(clients) + 1), []

    def write(client):
        begun.wait()
        # The connection is closed between two requests when the server ends.
        with contextlib.suppress(OSError, http.client.HTTPException):
            told.extend(client.send("remember", memory("text"))[0] for _ in range(200))

    writers = [threading.Thread(target=write, args=(client,)) for client in clients]
    for writer in writers:
        writer.start()
    begun.wait()
    # when
    status, _, errors = server.stop()
    for writer in writers:
        writer.join(60)
    # then
    assert not any(writer.is_alive() for writer in writers)
    assert status == 0, errors
    assert set(told) <= {200, 503}
