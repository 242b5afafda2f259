"""The reading routes of bundles: who may ask, what is answered, and in which form."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from commands.jobs import Group, RecordJob
from domain.context import CONTRACT_PERMISSIONS, Context
from domain.decisions import Fact
from ops.http.app import create_app
from ops.http.bundle_models import (
    BundleClaimAnswer,
    CompletenessAnswer,
    ConceptAnswer,
    ConceptPage,
    StoredWindow,
)
from ops.settings import Settings
from ops.wiring import open_memoranda
from tests import builders
from tests.bundles.worlds import verdict
from tests.circumstances import MEMORY, an_id
from tests.http.api import HOST_KEY, Api

# One store knows a record by its bytes: no two may have the same.
CONCEPT, TAKEAWAY = an_id("con_", 11), an_id("clm_", 12)
WINDOW, OTHER_WINDOW = an_id("win_", 13), an_id("win_", 14)
TARGETS = [(MEMORY, 1), (CONCEPT, 1), (WINDOW, 1)]
NAMES = {"workspace": "acme", "actor": "ana", "session": "s1"}
PATHS = {
    "/v1/bundles/concepts": ConceptPage,
    f"/v1/bundles/concepts/{CONCEPT}": ConceptAnswer,
    f"/v1/bundles/claims/{TAKEAWAY}": BundleClaimAnswer,
    f"/v1/bundles/windows/{WINDOW}": StoredWindow,
    f"/v1/agent-sessions/windows/{WINDOW}": StoredWindow,
    "/v1/bundles/completeness?session_id=s-1": CompletenessAnswer,
}
OF_ONE = [path for path in PATHS if "_" in path.rsplit("/", 1)[1].split("?")[0]]
MARKDOWN = f"/v1/bundles/concepts/{CONCEPT}.md"


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    """A store with a claim that was corrected, its concept, and windows; nothing changes it."""
    data = tmp_path_factory.mktemp("bundles") / "data"
    store = open_memoranda(data)
    context = Context(**NAMES, permissions=CONTRACT_PERMISSIONS, request_id="told")
    failed = builders.window(verdicts=[verdict("parse_failed", "blank")])
    for fact in (
        Fact(CONCEPT, builders.concept_opened()),
        Fact(WINDOW, builders.window_recorded(mode="knowledge_patched")),
        Fact(TAKEAWAY, builders.takeaway_added(targets=TARGETS)),
        Fact(TAKEAWAY, builders.takeaway_moved(targets=TARGETS)),
        Fact(TAKEAWAY, builders.citation_added()),
        Fact(OTHER_WINDOW, builders.window_recorded(mode="failed", payload=failed)),
    ):
        [done] = store.settings._engine.submit(Group([RecordJob(context, [fact])]))
        assert done.position
    settings = Settings(data=data, host_key=HOST_KEY)
    with TestClient(create_app(store, settings), base_url="http://127.0.0.1:8420") as client:
        yield Api(client)
    store.close()


@pytest.mark.parametrize("path", PATHS)
def test_an_answer_is_as_it_is_documented(api, path):
    answer = api.get(path, **NAMES)

    assert answer.status_code == 200, answer.text
    said = answer.json()
    assert answer.headers["X-Memoranda-Position"] == str(said["position"])
    PATHS[path].model_validate_json(answer.content)


def test_both_addresses_of_a_window_answer_alike(api):
    one, other = (
        api.get(f"{path}/{WINDOW}", **NAMES).json()
        for path in ("/v1/bundles/windows", "/v1/agent-sessions/windows")
    )

    assert one == other


def test_markdown_is_a_text_of_its_own(api):
    answer = api.get(MARKDOWN, **NAMES)

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert f"<!-- claim: {TAKEAWAY} -->" in answer.text
    assert "\n# Sky\n" in answer.text


@pytest.mark.parametrize("path", [*OF_ONE, MARKDOWN])
@pytest.mark.parametrize("who", [{"actor": "bob"}, {"workspace": "other"}])
def test_what_is_foreign_is_answered_as_what_is_absent(api, path, who):
    stem, dot, end = path.partition(".md")
    absent = f"{stem[:-1]}z{dot}{end}"

    foreign, nothing = (api.get(one, **{**NAMES, **who}) for one in (path, absent))

    assert foreign.status_code == nothing.status_code == 404
    assert foreign.json() == nothing.json() | {"correlation_id": foreign.json()["correlation_id"]}


@pytest.mark.parametrize("path", [*PATHS, MARKDOWN])
def test_reading_needs_the_permission_to_read(api, path):
    assert api.get(path, **NAMES, permissions="write").status_code == 403


@pytest.mark.parametrize("query", ["limit=0", "owner=bob", "cursor=x", f"type={'x' * 60_000}"])
def test_a_wrong_question_is_refused(api, query):
    assert api.get(f"/v1/bundles/concepts?{query}", **NAMES).status_code == 400


def test_completeness_tells_the_failures_with_their_reasons(api):
    said = api.get("/v1/bundles/completeness", **NAMES).json()

    assert (said["total"], said["failed"]) == (2, 1)
    [failure] = said["failures"]
    assert (failure["window_id"], failure["outcome"]) == (OTHER_WINDOW, "parse_failed")
