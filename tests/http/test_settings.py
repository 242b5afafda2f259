"""What holds in a workspace, over HTTP: who may change it, and what then is refused."""

from __future__ import annotations

import pytest

from ops.http.operator_models import WorkspaceSettings
from tests.http.api import Api, change, host_headers, memory, question
from tests.http.test_records import problem_of

SURFACE_ALL, NEWEST = "surface-all/v1", "newest-recorded/v1"
DEFAULTS = {
    "session_isolation": "label",
    "require_source": False,
    "recall_policy": SURFACE_ALL,
    "version": 0,
}


class Keeper:
    """A client whose key holds `policy` in the workspace w."""

    def __init__(self, client, store, workspace="w"):
        self.client = client
        token, _ = store.keys.create(
            name="keeper",
            permissions=["read", "write", "policy"],
            workspace=workspace,
            actor="kim",
        )
        self.headers = {"Authorization": f"Bearer {token}"}

    def show(self):
        return self.client.get("/v1/settings", headers=self.headers)

    def change(self, body, **headers):
        return self.client.patch("/v1/settings", json=body, headers=self.headers | headers)


@pytest.fixture
def keeper(client, store):
    return Keeper(client, store)


def settings_events(store, workspace="w"):
    return store.log.after(0, 10, workspace=workspace, topics=("workspace.settings_changed",))


def test_a_workspace_begins_with_the_defaults(keeper):
    shown = keeper.show()

    assert WorkspaceSettings.model_validate(shown.json())
    assert shown.json() == DEFAULTS
    assert shown.headers["ETag"] == '"0"'


def test_a_change_holds_for_everybody_in_the_workspace_and_for_nobody_else(keeper, api):
    changed = keeper.change({"require_source": True})

    assert changed.json() == DEFAULTS | {"require_source": True, "version": 1}
    here, elsewhere = api.send("remember", memory()), api.send("remember", memory(), workspace="v")
    assert (here.status_code, elsewhere.status_code) == (400, 200)
    error = here.json()["error"]
    assert (error["field"], error["reason"]) == ("provenance", "FIELD_REQUIRED")
    source = {"source_id": "s", "locator": None, "observed_at": None}
    assert api.send("remember", memory(provenance=[source])).status_code == 200


def test_what_is_not_named_is_kept(keeper):
    keeper.change({"require_source": True})

    changed = keeper.change({"session_isolation": "strict"}).json()

    named = {"session_isolation": "strict", "require_source": True, "version": 2}
    assert changed == DEFAULTS | named
    assert keeper.show().json() == changed


def test_no_change_records_nothing(keeper, store):
    first = keeper.change({"require_source": True}).json()

    again = keeper.change({"require_source": True}).json()
    empty = keeper.change({}).json()

    assert first == again == empty
    assert len(settings_events(store)) == 1


def test_a_change_is_an_event_of_who_made_it(keeper, store):
    keeper.change({"require_source": True})

    [event] = settings_events(store)
    assert (event.context.actor, event.context.workspace) == ("kim", "w")
    assert event.facts[0].payload.require_source is True


def test_a_change_on_another_version_is_refused_and_names_the_current_one(keeper):
    keeper.change({"require_source": True})

    late = keeper.change({"require_source": False}, **{"If-Match": '"0"'})

    problem = problem_of(late, 412, "VERSION_CONFLICT")
    assert problem["current_version"] == 1
    assert keeper.change({"require_source": False}, **{"If-Match": '"1"'}).json()["version"] == 2


def test_who_may_see_a_record_is_settled_before_the_first(keeper, api):
    api.do("remember", memory())

    late = keeper.change({"session_isolation": "strict"})

    problem = problem_of(late, 400, "INVALID_REQUEST")
    assert (problem["field"], problem["reason"]) == ("session_isolation", "ISOLATION_FIXED")
    assert keeper.show().json() == DEFAULTS
    assert keeper.change({"session_isolation": "label"}).status_code == 200


def test_nobody_changes_them_without_the_permission(client, store):
    plain = Keeper(client, store)
    plain.headers = host_headers()

    problem_of(plain.change({"require_source": True}), 403, "PERMISSION_DENIED")
    assert plain.show().json() == DEFAULTS


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"session_isolation": "loose"}, "session_isolation"),
        ({"require_source": "yes"}, "require_source"),
        ({"require_sources": True}, "require_sources"),
        ({"recall_policy": "newest"}, "recall_policy"),
        ({"version": 3}, "version"),
    ],
)
def test_what_is_no_setting_is_refused_by_its_field(keeper, body, field):
    assert problem_of(keeper.change(body), 400, "INVALID_REQUEST")["field"] == field


@pytest.mark.parametrize("header", ["Idempotency-Key", "If-None-Match"])
def test_headers_that_say_nothing_here_are_refused(keeper, header):
    refused = keeper.change({"require_source": True}, **{header: "*"})

    assert problem_of(refused, 400, "INVALID_REQUEST")["field"] == header


def test_a_strict_session_sees_and_changes_its_own_records_alone(keeper, api):
    keeper.change({"session_isolation": "strict"})
    mine = api.do("remember", memory("otter", identity_key="k"), session="mine")["record"]
    theirs = api.do("remember", memory("otter", identity_key="k"), session="theirs")["record"]

    found = api.do("recall", question("otter"), key=None, session="mine")
    listed = api.get("/v1/memories", session="mine").json()
    refused = api.send("update", change(theirs["id"], confidence=1), session="mine")

    assert mine["id"] != theirs["id"]
    assert [item["record"]["id"] for item in found["items"]] == [mine["id"]]
    assert [item["id"] for item in listed["items"]] == [mine["id"]]
    assert refused.json()["error"]["code"] == "NOT_FOUND"


def test_a_strict_session_is_named_in_its_normal_form(keeper, api):
    keeper.change({"session_isolation": "strict"})

    refused = api.send("remember", memory(), session="se%CC%81ance")

    error = refused.json()["error"]
    assert (error["code"], error["reason"]) == ("INVALID_REQUEST", "SESSION_FORMAT")


def test_settings_outlive_the_process(client_of, store, tmp_path):
    from ops.wiring import open_memoranda

    Keeper(client_of(), store).change({"require_source": True})
    store.close()

    with_them = open_memoranda(tmp_path / "data")
    try:
        assert with_them.settings.read("w").settings.require_source
        assert not with_them.settings.read("v").settings.require_source
    finally:
        with_them.close()


def test_an_unknown_workspace_is_not_made_by_a_look(client, store):
    shown = Api(client).client.get("/v1/settings", headers=host_headers(workspace="nobody"))

    assert shown.json() == DEFAULTS
    assert store.commands.keys.workspace("nobody") is None


def test_a_strict_session_replays_its_own_recalls_alone(keeper, api):
    keeper.change({"session_isolation": "strict"})
    for session in ("mine", "theirs"):
        api.do("remember", memory("otter"), session=session)
    recall = api.do("recall", question("otter"), key=None, session="mine")["recall_id"]
    path = f"/v1/recalls/{recall}/replay"

    mine = api.get(path, session="mine").json()
    refused = api.get(path, session="theirs")

    assert (mine["verdict"], len(mine["replayed"]["items"])) == ("identical", 1)
    assert problem_of(refused, 404, "NOT_FOUND")
