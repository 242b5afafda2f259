"""Who asks: keys, host keys, and the headers that each of them may send."""

from __future__ import annotations

import pytest
from starlette.datastructures import Headers

from ops.http.app import create_app
from ops.settings import Settings
from tests.http.api import HOST_KEY, Api, envelope, host_headers, memory, question

READ = "/v1/memories"


@pytest.fixture
def key_of(store):
    """A bearer token with the given binding."""

    def make(**given):
        bound = {"name": "k", "workspace": "w", "actor": "ann", "permissions": ["read"]}
        token, info = store.keys.create(**{**bound, **given})
        return token, info

    return make


def ask(client, token, **headers):
    return client.get(READ, headers={"Authorization": f"Bearer {token}", **headers})


def problem_of(response, status, code):
    problem = response.json()
    assert (response.status_code, problem["code"], problem["status"]) == (status, code, status)
    assert response.headers["Content-Type"] == "application/problem+json"
    return problem


@pytest.mark.parametrize("sent", [None, "", "Basic YTpi", "Bearer", "Bearer  ", "bearer"])
def test_without_a_bearer_key_nothing_is_answered(client, sent):
    headers = {} if sent is None else {"Authorization": sent}

    response = client.get(READ, headers=headers)

    problem_of(response, 401, "AUTH_REQUIRED")
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="memoranda"'


@pytest.mark.parametrize("token", ["mk_unknown", HOST_KEY[:-1], HOST_KEY + "x", "ä"])
def test_a_key_that_is_not_known_is_refused(client, token):
    headers = {"Authorization": f"Bearer {token}".encode()}

    response = client.get(READ, headers=headers)

    problem_of(response, 401, "AUTH_INVALID")
    assert 'error="invalid_token"' in response.headers["WWW-Authenticate"]


def test_the_scheme_is_read_in_any_case(client, key_of):
    token, _ = key_of()

    assert client.get(READ, headers={"Authorization": f"bearer {token}"}).status_code == 200


def test_two_authorization_headers_are_refused(client, key_of):
    token, _ = key_of()
    twice = [("Authorization", f"Bearer {token}")] * 2

    problem_of(client.get(READ, headers=twice), 400, "INVALID_REQUEST")


def test_revoked_and_expired_keys_are_refused(client, key_of, store):
    token, info = key_of()
    late, _ = key_of(expires_at="2020-01-01T00:00:00Z")
    store.keys.revoke(info.key_id)

    problem_of(ask(client, token), 401, "AUTH_INVALID")
    problem_of(ask(client, late), 401, "AUTH_INVALID")


def test_refusals_on_the_contract_route_have_its_body(client):
    response = client.post("/v1/memory/operations", json={})

    assert response.status_code == 401
    assert response.json()["error"]["code"] == "AUTH_REQUIRED"


def test_who_asks_is_known_before_the_body_is_read(client):
    response = client.post("/v1/memory/operations", content=b"{", headers={"Content-Type": "x"})

    assert response.json()["error"]["code"] == "AUTH_REQUIRED"


def test_a_key_acts_as_what_it_is_bound_to(client, key_of):
    writer, _ = key_of(permissions=["write", "read", "trace"], agent="robot")
    headers = {"Authorization": f"Bearer {writer}", "X-Session-Id": "monday"}
    body = envelope("remember", memory())

    written = client.post("/v1/memory/operations", json=body, headers=headers).json()

    target = {"kind": "memory", "id": written["result"]["result"]["record"]["id"]}
    traced = client.post(
        "/v1/memory/operations", json=envelope("trace", {"target": target}), headers=headers
    ).json()["result"]["result"]
    assert (traced["actor_id"], traced["agent_id"]) == ("ann", "robot")
    assert traced["session_id"] == "monday"


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Workspace-Id": "other"},
        {"X-Actor-Id": "bob"},
        {"X-Agent-Id": "robot"},
        {"X-Permissions": "read,write"},
        {"X-Permissions": ""},
        {"X-Recorded-At": "2024-01-01T00:00:00Z"},
    ],
)
def test_a_key_cannot_say_that_it_is_somebody_else(client, key_of, headers):
    token, _ = key_of()

    problem = problem_of(ask(client, token, **headers), 403, "PERMISSION_DENIED")

    assert problem["field"] == next(iter(headers))


def test_headers_that_agree_with_the_key_are_no_matter(client, key_of):
    token, _ = key_of(permissions=["read", "write", "review"], agent="robot")
    headers = {
        "X-Workspace-Id": "w",
        "X-Actor-Id": "ann",
        "X-Agent-Id": "robot",
        "X-Permissions": "write, read",
    }

    assert ask(client, token, **headers).status_code == 200


def test_a_key_without_the_permission_is_refused_by_name(client, key_of):
    token, _ = key_of(permissions=["write"])

    problem = problem_of(ask(client, token), 403, "PERMISSION_DENIED")

    assert "'read'" in problem["detail"]


@pytest.mark.parametrize(
    ("missing", "field"),
    [
        ("workspace", "X-Workspace-Id"),
        ("actor", "X-Actor-Id"),
        ("permissions", "X-Permissions"),
    ],
)
def test_a_host_key_must_name_the_context(client, missing, field):
    response = client.get(READ, headers=host_headers(**{missing: None}))

    assert problem_of(response, 400, "INVALID_REQUEST")["field"] == field


@pytest.mark.parametrize("named", ["host", "policy", "operate", "admin", "READ", "read;write"])
def test_a_host_can_grant_the_five_permissions_and_no_other(client, named):
    response = client.get(READ, headers=host_headers(permissions=f"read,{named}"))

    assert problem_of(response, 400, "INVALID_REQUEST")["field"] == "X-Permissions"


def test_a_host_may_grant_nothing(client):
    response = client.get(READ, headers=host_headers(permissions=""))

    problem_of(response, 403, "PERMISSION_DENIED")


@pytest.mark.parametrize("field", ["X-Workspace-Id", "X-Actor-Id", "X-Agent-Id", "X-Session-Id"])
@pytest.mark.parametrize("value", ["", " ", "x" * 257, "%C3%A4" * 129, "%", "%zz", "%FF"])
def test_names_are_visible_short_and_properly_encoded(client, field, value):
    response = client.get(READ, headers={**host_headers(), field: value})

    assert problem_of(response, 400, "INVALID_REQUEST")["field"] == field


def test_names_of_the_largest_size_are_taken(client):
    name = "%C3%A4" * 128

    response = client.get(READ, headers=host_headers(workspace=name, actor=name, session=name))

    assert response.status_code == 200


def test_raw_bytes_beyond_ascii_are_refused(client):
    headers = {**host_headers(), "X-Actor-Id": "ä".encode()}

    problem_of(client.get(READ, headers=headers), 400, "INVALID_REQUEST")


def test_names_travel_percent_encoded(api):
    record = api.remember(names={"actor": "Zo%C3%AB 50%25"})

    traced = api.do("trace", {"target": {"kind": "memory", "id": record}}, None)

    assert traced["actor_id"] == "Zoë 50%"


@pytest.mark.parametrize("session", ["a%00", "a%0A", "%7F", "e%CC%81"])
def test_a_session_has_one_spelling(client, session):
    problem = problem_of(
        client.get(READ, headers=host_headers(session=session)), 400, "INVALID_REQUEST"
    )

    assert problem["reason"] == "SESSION_FORMAT"


def test_the_workspace_of_the_system_takes_no_requests(client):
    response = client.get(READ, headers=host_headers(workspace="system"))

    problem_of(response, 403, "PERMISSION_DENIED")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2024-01-01T00:00:00", "TIMESTAMP_NAIVE"),
        ("2024-01-01T00:00:00.1234567Z", "TIMESTAMP_PRECISION"),
        ("yesterday", "TIMESTAMP_INVALID"),
    ],
)
def test_a_recording_time_must_parse(client, text, reason):
    problem = problem_of(
        client.get(READ, headers=host_headers(recorded_at=text)), 400, "INVALID_REQUEST"
    )

    assert (problem["field"], problem["reason"]) == ("X-Recorded-At", reason)


def test_a_host_gives_a_late_fact_its_own_recording_time(api):
    late = "2021-03-04T05:06:07.5+01:00"

    record = api.do("remember", memory(), recorded_at=late)["record"]

    assert record["recorded_at"] == late


def test_a_host_key_of_the_store_works_as_the_one_of_the_environment(store, client_of, key_of):
    token, _ = key_of(workspace=None, actor=None, permissions=["host"])
    client = client_of(host_key=None)

    granted = client.get(READ, headers={**host_headers(), "Authorization": f"Bearer {token}"})
    unknown = client.get(READ, headers=host_headers())

    assert granted.status_code == 200
    problem_of(unknown, 401, "AUTH_INVALID")


def test_a_host_key_that_is_bound_stays_where_it_is_bound(client, key_of):
    token, _ = key_of(permissions=["host"])
    at_home = {**host_headers(), "Authorization": f"Bearer {token}"}

    assert client.get(READ, headers=at_home).status_code == 200
    response = client.get(READ, headers={**at_home, "X-Workspace-Id": "other"})
    problem_of(response, 403, "PERMISSION_DENIED")


def test_what_a_host_key_holds_beyond_the_five_is_not_taken_away(store, tmp_path, key_of):
    token, _ = key_of(workspace=None, actor=None, permissions=["host", "operate", "read"])
    app = create_app(store, Settings(data=tmp_path / "data"))
    sent = {**host_headers(permissions="trace"), "Authorization": f"Bearer {token}"}

    context = app.state.door.authenticator.context(Headers(sent), "r")

    assert context.permissions == {"trace", "operate"}


def test_sessions_default_to_one_name(api):
    record = api.remember(names={"session": None})

    assert api.read(f"/v1/memories/{record}")["session"] == "default"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", True),
        ("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", True),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", False),
        ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", False),
        ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", False),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", False),
        ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", False),
        ("nonsense", False),
    ],
)
def test_a_valid_trace_context_is_kept_with_the_events(client, sent, kept):
    api = Api(client)
    record = api.send("remember", memory(), headers={"traceparent": sent}).json()
    record_id = record["result"]["result"]["record"]["id"]

    event = api.read(f"/v1/streams/{record_id}")["events"][0]

    assert event["head"]["ctx"]["trace"] == (sent if kept else None)


def test_the_objective_of_a_recall_needs_the_permission_to_read(api):
    refused = api.send("recall", question(), None, permissions="write,trace")

    assert refused.status_code == 403
