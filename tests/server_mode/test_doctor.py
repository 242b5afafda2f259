"""`memoranda doctor` on a database: what is well, what is not, and never a password."""

from __future__ import annotations

import psycopg
import pytest

from projections.generations import schema_of
from tests.server_mode.conftest import working
from tests.server_mode.test_command_line import NOBODY, made, on_database

pytestmark = pytest.mark.timeout(300)
__all__ = ["on_database"]
NAMES = [
    "program", "settings", "master key", "database", "schema", "roles", "clock", "log", "api keys",
    "erasures", "key store", "read models", "redis", "workers",
]  # fmt: skip


def examined(on_database, **more):
    """The verdicts by name; the exit status says the same."""
    done = on_database("doctor", "--json", **more)
    checks = {one["check"]: one for one in done.json["checks"]}
    wrong = [name for name, one in checks.items() if one["status"] == "problem"]
    assert done.code == int(bool(wrong)), done.err
    return checks


def statuses(checks):
    """Those that are not ok."""
    return {name: one["status"] for name, one in checks.items() if one["status"] != "ok"}


def test_all_is_well_where_workers_run(on_database, settings):
    made(on_database, "a quoll")
    assert on_database("keys", "create", "--name", "laptop").code == 0
    on_database("recall", "quoll")

    with working(settings):
        checks = examined(on_database)

    assert list(checks) == NAMES
    assert statuses(checks).keys() <= {"read models"}
    assert checks["key store"]["facts"]["workspaces"] == 2
    assert checks["workers"]["facts"] == {"heard": 1, "silent": 0}


def test_redis_and_workers_that_are_away_are_no_fault(on_database):
    made(on_database, "a quoll")

    checks = examined(on_database, redis_url=NOBODY)

    assert statuses(checks)["redis"] == "note"
    assert "problem" not in statuses(checks).values()


def test_read_models_that_lie_behind_are_counted_by_projection(on_database, settings):
    made(on_database, "a quoll")
    made(on_database, "a quokka")
    with psycopg.connect(settings["database_url"]) as connection:
        query = "SELECT number FROM memoranda_views.generation WHERE state = 'live'"
        ((live,),) = connection.execute(query).fetchall()
        connection.execute(f"UPDATE {schema_of(live)}.checkpoint SET position = 0")

    checks = examined(on_database)
    far = examined(on_database, lag_events_max="1")

    assert checks["read models"]["status"] == "note"
    assert min(checks["read models"]["facts"]["lags"].values()) > 0
    assert far["read models"]["status"] == "problem"


def test_a_missing_master_key_is_told_loudly(on_database):
    made(on_database, "a quoll")

    checks = examined(on_database, master_key="")

    assert "NO MASTER KEY MEANS NO DATA" in checks["master key"]["said"]
    assert statuses(checks)["master key"] == statuses(checks)["key store"] == "problem"
    assert list(checks) == NAMES


def test_another_master_key_is_told(on_database):
    made(on_database, "a quoll")

    checks = examined(on_database, master_key="11" * 32)

    assert "does not open 1 of 1 workspaces" in checks["key store"]["said"]


def test_a_database_that_was_not_migrated_says_what_to_do(on_database, empty_postgres_url):
    checks = examined(on_database, database_url=empty_postgres_url)

    assert checks["schema"]["remedy"] == "run `memoranda migrate`"
    assert "log" not in checks


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://somebody:canary-password@127.0.0.1:1/nothing",
        "postgresql://somebody:canary-password@127.0.0.1:canary-port/nothing",
    ],
)
def test_a_database_that_does_not_answer_is_a_fault_without_its_password(on_database, url):
    done = on_database("doctor", database_url=url, redis_url="redis://:canary@127.0.0.1:1/0")

    assert done.code == 1
    assert "database" in [line.split()[1] for line in done.out.splitlines() if "WRONG" in line]
    assert "canary" not in done.out + done.err


def test_no_secret_is_in_what_it_says(on_database, settings):
    password = settings["database_url"].partition("@")[0].rpartition(":")[2]

    for form in ((), ("--json",)):
        done = on_database("doctor", *form)
        assert password not in done.out + done.err
        assert settings["master_key"] not in done.out + done.err
