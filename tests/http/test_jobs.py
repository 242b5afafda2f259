"""Long work over HTTP: one job at a time, in a process of its own, for the whole store."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from domain.errors import Code, MemorandaError
from ops.jobs import Jobs
from ops.settings import Settings
from tests.http.operators import OWN, WHOLE, Operator


@pytest.fixture
def whole(client, store):
    return Operator(client, store, **WHOLE)


def ended(client, operator, job_id):
    """A job once it has ended."""
    worker = client.app.state.door.jobs._running
    if worker is not None:
        worker[1].join(60)
    return operator.get(f"/v1/jobs/{job_id}").json()


def test_a_job_answers_what_the_command_prints(api, client, whole):
    api.remember("alpha")

    begun = whole.post("/v1/jobs", {"command": "verify"})
    job = ended(client, whole, begun.json()["job_id"])

    assert (begun.status_code, begun.json()["state"]) == (200, "running")
    assert (job["state"], job["status"], job["error"]) == ("ended", 0, None)
    assert job["answer"]["wrong"] == 0
    assert job["answer"]["events"] >= 3


def test_requests_are_answered_while_a_job_is_at_work_and_another_job_is_not_begun(
    api, client, whole
):
    first = whole.post("/v1/jobs", {"command": "doctor"}).json()

    refused = whole.post("/v1/jobs", {"command": "verify"})
    api.remember("meanwhile")
    job = ended(client, whole, first["job_id"])
    after = whole.post("/v1/jobs", {"command": "verify"})

    assert (refused.status_code, refused.json()["reason"]) == (503, "JOB_RUNNING")
    assert first["job_id"] in refused.json()["detail"]
    assert job["status"] == 0
    assert after.status_code == 200


def test_read_models_are_rebuilt_under_those_who_read_them(api, client, store, whole, tmp_path):
    made = api.remember("alpha")
    api.read(f"/v1/memories/{made}")
    with closing(sqlite3.connect(tmp_path / "data" / "views.db")) as views, views:
        views.execute("UPDATE memory_version SET record = replace(record, 'observation', 'wrong')")
    assert api.read(f"/v1/memories/{made}")["kind"] == "wrong"
    head = store.log.head()

    job = ended(client, whole, whole.post("/v1/jobs", {"command": "rebuild"}).json()["job_id"])
    later = api.remember("beta")

    assert job["answer"] == {"position": head}
    assert api.read(f"/v1/memories/{made}")["kind"] == "observation"
    assert api.read(f"/v1/memories/{later}")["kind"] == "observation"


def test_jobs_are_for_those_who_see_the_whole_store(client, store, whole):
    own = Operator(client, store, **OWN)
    job = whole.post("/v1/jobs", {"command": "doctor"}).json()["job_id"]

    assert own.post("/v1/jobs", {"command": "doctor"}).status_code == 403
    assert own.get(f"/v1/jobs/{job}").status_code == 403
    assert own.get("/v1/jobs/job_no").status_code == 403
    assert whole.get("/v1/jobs/job_no").status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {}, [], {"command": "serve"}, {"command": 1}, {"command": "verify", "more": 1},
        {"command": "verify", "stream": "mem_x"}, {"command": "parked show"},
        {"command": "parked show", "stream": "\0"}, {"command": "parked list", "projection": "p"},
        {"command": "parked show", "stream": "mem_x", "projection": "p"},
    ],
)  # fmt: skip
def test_nothing_but_the_listed_commands_can_be_begun(whole, body):
    assert whole.post("/v1/jobs", body).status_code == 400


def test_what_is_sent_is_never_read_as_an_option(client, whole):
    begun = whole.post("/v1/jobs", {"command": "parked show", "stream": "--help"}).json()

    job = ended(client, whole, begun["job_id"])

    assert (job["status"], job["error"]["code"]) == (1, "NOT_FOUND")


def test_a_job_that_takes_too_long_is_ended(tmp_path):
    jobs = Jobs(tmp_path, Settings(), seconds_max=0.01)

    job = jobs.start("verify")
    jobs._running[1].join(60)

    late = jobs.get(job["job_id"])
    assert (late["state"], late["error"]["code"]) == ("ended", "CANCELLED")
    jobs.close()


def test_a_server_that_stops_ends_its_job_and_begins_no_other(tmp_path):
    jobs = Jobs(tmp_path, Settings())
    job = jobs.start("verify")

    jobs.close()

    assert jobs.get(job["job_id"])["error"]["code"] == "CANCELLED"
    with pytest.raises(MemorandaError) as refusal:
        jobs.start("verify")
    assert refusal.value.code is Code.OVERLOADED


def test_a_job_without_a_store_ends_with_what_the_command_says(tmp_path):
    jobs = Jobs(tmp_path / "nothing", Settings())

    job = jobs.start("verify")
    jobs._running[1].join(60)

    failed = jobs.get(job["job_id"])
    assert (failed["status"], failed["error"]["code"]) == (2, "STORE_UNAVAILABLE")
    jobs.close()
