"""Hosts, health, and what becomes of failures that nobody foresaw."""

from __future__ import annotations

import logging

import pytest
from starlette.requests import ClientDisconnect

from domain.envelope import CorruptEventError
from ops.http.hosts import AllowedHosts
from ops.settings import Settings
from tests.http.api import Api, host_headers

LIVE = "/health/live"
EVERYWHERE = "0.0.0.0"  # noqa: S104 - nothing is bound to it here


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8420", "localhost:9", "LOCALHOST", "[::1]:8420", "[::1]"]
)
def test_loopback_names_are_answered(client, host):
    assert client.get(LIVE, headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8420",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "127.0.0.2",
        "user@localhost",
        "localhost:x",
        "",
        "[::1",
        EVERYWHERE,
    ],
)
def test_a_name_that_was_rebound_to_us_is_refused(client, host):
    response = client.get(LIVE, headers={"Host": host})

    assert response.status_code == 421
    assert response.json()["reason"] == "HOST_NOT_ALLOWED"
    assert response.headers["X-Request-Id"]


def test_no_other_origin_is_let_in(client):
    headers = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}

    preflight = client.options("/v1/memory/operations", headers=headers)
    plain = client.get(LIVE, headers=headers)

    assert preflight.status_code == 405
    for response in (preflight, plain):
        assert not [name for name in response.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("settings", "host", "allowed"),
    [
        ({"host": "memory.example"}, "memory.example:8420", True),
        ({"host": "memory.example"}, "other.example", False),
        ({"host": EVERYWHERE}, "192.0.2.7:8420", True),
        ({"host": "::"}, "[2001:db8::7]:8420", True),
        ({"host": EVERYWHERE}, "rebound.example", False),
        ({"host": EVERYWHERE, "allowed_hosts": "a.example, B.example"}, "b.example", True),
        ({"host": "2001:db8::7"}, "[2001:db8::7]", True),
        ({}, "192.0.2.7", False),
    ],
)
def test_the_names_of_a_server_on_other_addresses(settings, host, allowed):
    refusal = AllowedHosts(Settings(**settings)).refusal([host])

    assert (refusal is None) is allowed


@pytest.mark.parametrize("hosts", [[], ["localhost", "localhost"]])
def test_a_request_names_one_host(hosts):
    assert AllowedHosts(Settings()).refusal(hosts) is not None


def test_health_says_how_far_everything_is(client, api):
    api.remember()
    api.read("/v1/memories")

    ready = client.get("/health/ready")

    body = ready.json()
    assert (ready.status_code, body["status"]) == (200, "ready")
    assert body["read_models"]["lag"] == 0
    assert body["read_models"]["failing"] is None
    assert body["read_models"]["parked"] == []
    assert body["doorbell"] is None
    assert client.get(LIVE).json() == {"status": "live"}
    assert client.get("/version").json()["contract_versions"] == ["v1"]


def test_a_server_whose_read_models_lie_too_far_behind_is_not_ready(client_of, store):
    client = client_of(lag_events_max=1)
    store.runner.stop()
    Api(client).remember()

    ready = client.get("/health/ready")

    assert (ready.status_code, ready.json()["status"]) == (503, "behind")
    assert client.get(LIVE).status_code == 200


@pytest.mark.parametrize("path", ["/health/ready", "/v1/log"])
def test_a_server_whose_store_cannot_be_read_is_not_ready(client, store, path):
    store.close()

    response = client.get(path, headers=host_headers())

    assert (response.status_code, response.json()["code"]) == (503, "DURABILITY_FAILED")
    assert response.headers["Retry-After"] == "1"
    assert client.get(LIVE).status_code == 200


@pytest.fixture
def failing(client):
    """A route that fails in the way that it is told."""

    def make(error):
        async def fail():
            raise error

        client.app.add_api_route("/fail", fail)
        return client

    return make


def test_an_unforeseen_failure_names_no_internals_and_logs_where_not_what(failing, caplog):
    client = failing(KeyError("canary"))

    with caplog.at_level(logging.ERROR, "memoranda.http"):
        response = client.get("/fail", headers={"X-Request-Id": "r1"})

    assert (response.status_code, response.json()["code"]) == (500, "INTERNAL")
    assert response.headers["X-Request-Id"] == "r1"
    assert "KeyError" not in response.text
    assert "canary" not in response.text + caplog.text
    assert "r1 failed with KeyError" in caplog.text
    assert "test_gate.py" in caplog.text


def test_a_damaged_event_is_told_with_its_place(failing):
    response = failing(CorruptEventError("position 7: its hash is another")).get("/fail")

    problem = response.json()
    assert (problem["code"], problem["reason"]) == ("INTERNAL", "CORRUPTED")
    assert "position 7" in problem["detail"]


def test_a_client_that_goes_away_is_no_failure(failing, caplog):
    client = failing(ClientDisconnect())

    nothing = pytest.raises(AssertionError, match="did not receive any response")
    with nothing, caplog.at_level(logging.ERROR):
        client.get("/fail")

    assert caplog.records == []
