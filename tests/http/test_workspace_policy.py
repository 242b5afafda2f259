"""The policy of a workspace: of recalls and slots whose question names none."""

from __future__ import annotations

import pytest

from tests.http.api import host_headers, memory, question
from tests.http.test_log import problem_of
from tests.http.test_settings import NEWEST, SURFACE_ALL, Keeper
from tests.http.test_slots import claim

ONE = {**question()["limits"], "max_items": 1}


@pytest.fixture
def keeper(client, store):
    return Keeper(client, store)


@pytest.fixture
def cities(api):
    """Two memories of one slot; the second one is the newer one."""
    return [claim(api, "city", name)[0] for name in ("Rome", "Oslo")]


def recalled(api, **asked):
    said = api.do("recall", question("otter", **asked), key=None)
    return [item["record"]["id"] for item in said["items"]], said["basis"]["policy"]


def test_a_question_that_names_no_policy_has_that_of_its_workspace(keeper, api, cities):
    older, newer = cities
    before = recalled(api)
    keeper.change({"recall_policy": NEWEST})

    assert (sorted(before[0]), before[1]) == (sorted(cities), SURFACE_ALL)
    assert recalled(api) == ([newer], NEWEST)
    slot, page = api.read("/v1/slots/city"), api.read("/v1/slots")
    assert (slot["policy"], slot["selected"]) == (NEWEST, [newer])
    assert slot["excluded"][0]["id"] == older
    assert (page["policy"], page["items"][0]["selected"]) == (NEWEST, [{"id": newer, "version": 1}])


def test_what_a_question_names_goes_before_the_setting(keeper, api, cities):
    keeper.change({"recall_policy": NEWEST})

    items, named = recalled(api, policy=SURFACE_ALL)
    slot = api.read(f"/v1/slots/city?policy={SURFACE_ALL}")
    page = api.read(f"/v1/slots?policy={SURFACE_ALL}")

    assert (sorted(items), named) == (sorted(cities), SURFACE_ALL)
    assert (slot["policy"], sorted(slot["selected"])) == (SURFACE_ALL, sorted(cities))
    assert (page["policy"], len(page["items"][0]["selected"])) == (SURFACE_ALL, 2)


def test_another_workspace_keeps_its_own_policy(keeper, api, cities):
    keeper.change({"recall_policy": NEWEST})
    names = {"workspace": "v"}
    for text in ("otter", "otters"):
        api.remember(text, content=memory()["content"], names=names)

    said = api.do("recall", question("alpha"), key=None, **names)

    assert said["basis"]["policy"] == SURFACE_ALL


def test_a_recall_is_replayed_by_the_policy_that_it_had(keeper, api, cities):
    surfaced = api.do("recall", question("otter"), key=None)["recall_id"]
    keeper.change({"recall_policy": NEWEST})
    chosen = api.do("recall", question("otter"), key=None)["recall_id"]
    keeper.change({"recall_policy": SURFACE_ALL})

    for recall, policy, count in ((surfaced, SURFACE_ALL, 2), (chosen, NEWEST, 1)):
        said = api.read(f"/v1/recalls/{recall}/replay")
        assert (said["verdict"], said["recorded"]["basis"]["policy"]) == ("identical", policy)
        assert len(said["replayed"]["items"]) == count
    why = api.read(f"/v1/recalls/{chosen}/why-not/{cities[0]}")
    assert why["reason"] == "shadowed"


@pytest.mark.parametrize(("first", "then"), [(NEWEST, SURFACE_ALL), (SURFACE_ALL, NEWEST)])
def test_all_pages_of_a_question_have_the_policy_of_the_first(keeper, api, cities, first, then):
    claim(api, "river", "otter")
    keeper.change({"recall_policy": first})
    asked = question("otter", limits=ONE)
    whole = recalled(api)
    pages, said = [], api.do("recall", asked, key=None)
    keeper.change({"recall_policy": then})

    while said["next_page_token"]:
        pages.append(said)
        said = api.do("recall", {**asked, "page_token": said["next_page_token"]}, key=None)
    pages.append(said)

    assert {page["basis"]["policy"] for page in pages} == {first}
    assert [page["items"][0]["record"]["id"] for page in pages] == whole[0]


def test_a_page_is_no_page_of_a_question_that_names_another_policy(keeper, api, cities):
    claim(api, "river", "otter")
    keeper.change({"recall_policy": NEWEST})
    asked = question("otter", limits=ONE)
    token = api.do("recall", asked, key=None)["next_page_token"]

    for policy in (SURFACE_ALL, NEWEST):
        refused = api.send("recall", {**asked, "page_token": token, "policy": policy}, key=None)
        assert refused.json()["error"]["field"] == "page_token"


def test_all_pages_of_slots_have_the_policy_of_the_first(keeper, api, cities):
    for name in ("river", "sea"):
        claim(api, name, "x")
        claim(api, name, "y")
    keeper.change({"recall_policy": NEWEST})
    page = api.read("/v1/slots?limit=1")
    keeper.change({"recall_policy": SURFACE_ALL})
    counts = [len(page["items"][0]["selected"])]
    while page["next_cursor"]:
        page = api.read(f"/v1/slots?limit=1&cursor={page['next_cursor']}")
        assert page["policy"] == NEWEST
        counts += [len(item["selected"]) for item in page["items"]]

    assert counts == [1, 1, 1]
    other = f"/v1/slots?limit=1&policy={SURFACE_ALL}&cursor="
    first = api.read("/v1/slots?limit=1")["next_cursor"]
    assert problem_of(api.get(other + first), 400, "INVALID_REQUEST")["field"] == "cursor"


def test_who_may_read_sees_the_policy_and_may_not_change_it(keeper, client):
    sent = client.patch("/v1/settings", json={"recall_policy": NEWEST}, headers=host_headers())

    problem_of(sent, 403, "PERMISSION_DENIED")
    assert keeper.show().json()["recall_policy"] == SURFACE_ALL
