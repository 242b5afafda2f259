"""A window that waits, as its sender sees it over HTTP; and the endpoint behind TLS."""

from __future__ import annotations

import ssl

import pytest
from starlette.testclient import TestClient

from ops.extraction.model_settings import endpoint_of
from ops.http.app import create_app
from ops.settings import Settings
from tests.bundles.scribes import saying
from tests.extraction import endpoint as endpoints
from tests.extraction.certificates import certificate
from tests.extraction.endpoint import proposes
from tests.http.api import HOST_KEY, host_headers

GOOD = saying("Charts are stored flat")
ROUTE = "/v1/agent-sessions/windows"


@pytest.fixture
def client(desk, tmp_path):
    settings = Settings(data=tmp_path / "data", host_key=HOST_KEY)
    with TestClient(create_app(desk.store, settings), base_url="http://127.0.0.1:8420") as client:
        client.headers = host_headers(actor="ana")
        yield client


@pytest.mark.parametrize("route", [ROUTE, "/api/agent-sessions/windows"])
def test_a_window_that_waits_is_answered_202_and_read_when_it_is_done(client, desk, route):
    body = desk.scribe.window()
    answer = client.post(route, json=body)
    assert answer.status_code == 202
    said = answer.json()
    assert (said["accepted"], said["status"], said["result"]) == (True, "accepted", None)

    def read():
        desk.store.runner.wait_for("w", desk.store.log.head(), 30)
        return client.get(f"{ROUTE}/{said['window_id']}").json()

    waiting = read()
    assert (waiting["status"], waiting["result"], waiting["processed_at"]) == (
        "accepted",
        None,
        None,
    )
    desk.endpoint.will(proposes(GOOD))
    desk.extract(said)
    done = read()
    assert (done["status"], done["result"]) == ("processed", "knowledge_patched")
    assert done["processed_at"] > done["submitted_at"]
    assert done["receipt"]["author"]["kind"] == "model"
    again = client.post(route, json=body)
    assert (again.status_code, again.json()["idempotent"]) == (200, True)


@pytest.fixture
def behind_tls(endpoint, monkeypatch, tmp_path):
    """The endpoint's URL over TLS, by a certificate that this process trusts."""
    chain = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    endpoint.speak_tls(context)
    monkeypatch.setenv("SSL_CERT_FILE", str(chain))
    return endpoint.url.replace("http:", "https:")


def test_an_endpoint_behind_tls_is_asked_and_held_to_the_same_limit(behind_tls, desk_of, endpoint):
    desk = desk_of(endpoint=endpoint_of(behind_tls), seconds=5)
    endpoint.will(proposes(GOOD))
    assert desk.extract(desk.send())["mode"] == "knowledge_patched"
    desk.store.close()
    desk = desk_of(endpoint=endpoint_of(behind_tls), seconds=1, tries=1)
    desk.scribe.remarks = iter(range(100, 200))
    endpoint.will(endpoints.drips(endpoint))
    assert "no whole answer within 1 s" in desk.extract(desk.send())["reason"]


def test_a_certificate_that_nobody_vouches_for_gets_no_key(
    behind_tls, desk_of, endpoint, monkeypatch
):
    monkeypatch.delenv("SSL_CERT_FILE")
    desk = desk_of(endpoint=endpoint_of(behind_tls), tries=1)
    found = desk.extract(desk.send())
    assert "no connection" in found["reason"]
    assert endpoint.asked == []
