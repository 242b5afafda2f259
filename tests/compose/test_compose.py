"""docker-compose.yml: valid, without default passwords, and its services do what it says.

There is no Docker here: each service is started as a plain process, from the command, the
environment and the health check that stand in the file; only addresses are put in for names.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import yaml

from ops.extraction.model_settings import model_of
from ops.settings import Settings
from tests.cli.processes import environment
from tests.compose.reading import FILE, MissingError, Service, service
from tests.http.api import envelope, host_headers, memory, question
from tests.services import fork_server, postgres_server
from tests.services.ports import free_port, wait_until
from tests.services.redis_server import redis_programs

GIVEN = {
    "POSTGRES_PASSWORD": "a1" * 16,
    "REDIS_PASSWORD": "b2" * 16,
    "MEMORANDA_MASTER_KEY": "5c" * 32,
    "MEMORANDA_HOST_KEY": "d4" * 32,
}
REDIS_PROGRAMS = redis_programs()
PROGRAM = [sys.executable, "-m", "ops.cli"]
pytestmark = pytest.mark.timeout(300)


def test_the_file_keeps_to_the_schema_of_compose():
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", FILE],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("missing", GIVEN)
def test_there_is_no_default_for_a_secret(missing):
    given = {name: value for name, value in GIVEN.items() if name != missing}

    with pytest.raises(MissingError, match=missing):
        [service(name, given) for name in ("postgres", "redis", "migrate", "api", "worker")]


def test_versions_are_pinned_and_ports_are_local():
    services = yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"]

    for name, said in services.items():
        assert re.search(r":\d+\.\d+", said["image"]), name
        assert all(port.startswith("127.0.0.1:") for port in said.get("ports", ())), name
        assert name == "migrate" or said["healthcheck"]["test"], name


EXTRACTOR = {f"MEMORANDA_{name}".upper() for name in Settings.model_fields if "extractor" in name}
ASKED = {
    "MEMORANDA_EXTRACTOR": "openai",
    "MEMORANDA_EXTRACTOR_URL": "http://models:8080/v1",
    "MEMORANDA_EXTRACTOR_MODEL": "small",
    "MEMORANDA_EXTRACTOR_KEY": "e5" * 16,
    "MEMORANDA_EXTRACTOR_TIMEOUT": "7.5",
    "MEMORANDA_EXTRACTOR_TRIES": "2",
}


def extractor_of(name, given, monkeypatch):
    """The model that a service asks."""
    said = service(name, given).environment
    for key in EXTRACTOR:
        monkeypatch.setenv(key, said[key])
    return model_of(Settings())


@pytest.mark.parametrize("name", ["api", "worker"])
def test_who_takes_windows_and_who_asks_the_model_have_its_settings(name, monkeypatch):
    assert ASKED.keys() == EXTRACTOR
    assert extractor_of(name, GIVEN, monkeypatch) is None

    model = extractor_of(name, GIVEN | ASKED, monkeypatch)

    assert (model.endpoint.host, model.name, model.key) == ("models", "small", "e5" * 16)
    assert (model.seconds, model.tries) == (7.5, 2)


@pytest.mark.parametrize("name", ["api", "worker"])
def test_an_extractor_that_is_only_named_asks_as_the_program_does(name, monkeypatch):
    few = {name: said for name, said in ASKED.items() if not name.endswith(("KEY", "OUT", "TRIES"))}

    model = extractor_of(name, GIVEN | few, monkeypatch)

    fields = Settings.model_fields
    assert model.key is None
    assert model.seconds == fields["extractor_timeout"].default
    assert model.tries == fields["extractor_tries"].default


def test_nobody_else_is_told_of_the_model():
    for name in ("postgres", "redis", "migrate"):
        assert not EXTRACTOR & service(name, GIVEN | ASKED).environment.keys(), name


def run(command, env):
    """A command to its end."""
    return fork_server.finished(
        command, env=env, capture_output=True, text=True, check=False, timeout=60
    )


class Machine:
    """Starts services as processes; addresses stand for the names of the file."""

    def __init__(self, folder: Path, running: contextlib.ExitStack):
        self.folder = folder
        self._running = running
        self.ports = {"postgres": free_port(), "redis": free_port(), "api": free_port()}

    def service(self, name: str) -> Service:
        return service(name, GIVEN)

    def start(self, name: str, command: list[str], env: dict[str, str], **options) -> None:
        """Until the end of the test, which gives it the time that the file does."""
        said = self.service(name)
        process = fork_server.Started(
            command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options
        )

        def stop():
            process.send_signal(signal.SIGINT if name == "postgres" else signal.SIGTERM)
            _, errors = process.communicate(timeout=said.grace_seconds)
            assert process.returncode == 0, errors.decode()

        self._running.callback(stop)

    def ours(self, name: str) -> dict[str, str]:
        """The environment of a service of ours, with addresses that lead somewhere here."""
        env = self.service(name).environment | {"MEMORANDA_PORT": str(self.ports["api"])}
        for other, port in (("postgres", 5432), ("redis", 6379)):
            env = {
                key: value.replace(f"@{other}:{port}", f"@127.0.0.1:{self.ports[other]}")
                for key, value in env.items()
            }
        return environment() | env | {"MEMORANDA_DATA": str(self.folder / "data")}

    def program(self, command: list[str]) -> list[str]:
        assert command[0] == "memoranda"
        return [*PROGRAM, *command[1:]]


@pytest.fixture
def machine(service_folder):
    with contextlib.ExitStack() as running:
        yield Machine(service_folder, running)


def start_postgres(machine: Machine) -> None:
    """What the image does: make the cluster and the database, then run the command."""
    said = machine.service("postgres")
    env = said.environment
    programs = postgres_server._programs(machine.folder)
    data, password = machine.folder / "pg", machine.folder / "password"
    password.write_text(env["POSTGRES_PASSWORD"])
    for path in (machine.folder, password):
        postgres_server._give_away(path)
    subprocess.run(
        [programs / "initdb", "-D", data, "-U", env["POSTGRES_USER"], f"--pwfile={password}",
         "--auth=scram-sha-256", "--no-sync", *env["POSTGRES_INITDB_ARGS"].split()],
        check=True, capture_output=True, **postgres_server._unprivileged(),
    )  # fmt: skip
    port = str(machine.ports["postgres"])
    here = ["-D", str(data), "-c", f"port={port}", "-c", "unix_socket_directories="]
    command = [str(programs / said.command[0]), *said.command[1:], *here]
    options = postgres_server._unprivileged()
    machine.start("postgres", command, options.pop("env"), **options)
    health = [str(postgres_server.client_programs() / said.health[0]), *said.health[1:]]
    asked = {**os.environ, "PGHOST": "127.0.0.1", "PGPORT": port}
    wait_until(lambda: run(health, asked).returncode == 0, "PostgreSQL to be healthy")
    url = f"postgresql://{env['POSTGRES_USER']}:{env['POSTGRES_PASSWORD']}@127.0.0.1:{port}"
    with psycopg.connect(f"{url}/postgres", autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{env["POSTGRES_DB"]}"')


def start_redis(machine: Machine) -> None:
    said = machine.service("redis")
    port = str(machine.ports["redis"])
    program = shutil.copy(REDIS_PROGRAMS / said.command[0], machine.folder)
    env = os.environ | said.environment
    command = [program, *said.command[1:], "--port", port, "--dir", str(machine.folder)]
    machine.start("redis", command, env)
    health = [str(REDIS_PROGRAMS / said.health[0]), "-p", port, *said.health[1:]]
    wait_until(lambda: "PONG" in run(health, env).stdout, "Redis to be healthy")


def ask(machine: Machine, operation: str, said, key=...):
    door = http.client.HTTPConnection("127.0.0.1", machine.ports["api"], timeout=60)
    with contextlib.closing(door):
        headers = host_headers() | {"Authorization": f"Bearer {GIVEN['MEMORANDA_HOST_KEY']}"}
        headers |= {"Content-Type": "application/json"}
        body = json.dumps(envelope(operation, said, key))
        door.request("POST", "/v1/memory/operations", body, headers)
        answer = door.getresponse()
        return answer.status, json.loads(answer.read())


def test_every_service_of_the_file_runs_and_is_well(machine):
    # given the two servers of the file
    start_postgres(machine)
    start_redis(machine)
    # when the database is migrated
    migrate = machine.service("migrate")
    done = run(machine.program(migrate.command), machine.ours("migrate"))
    assert done.returncode == 0, done.stderr
    # and the program's services run
    for name in ("api", "worker"):
        said, env = machine.service(name), machine.ours(name)
        health = machine.program(said.health)
        assert run(health, env).returncode == 1, f"{name} is said to be well before it runs"
        machine.start(name, machine.program(said.command), env)
        wait_until(lambda: run(health, env).returncode == 0, f"{name} to be healthy")  # noqa: B023
    # then what is remembered is found
    status, made = ask(machine, "remember", memory("zebra"))
    assert status == 200, made
    status, found = ask(machine, "recall", question("zebra"), None)
    ids = [item["record"]["id"] for item in found["result"]["result"]["items"]]
    assert ids == [made["result"]["result"]["record"]["id"]]
