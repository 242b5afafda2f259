"""`memoranda keys rotate-master` on a data folder."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from ops.data_folder import DataFolder
from ops.wiring import open_api_keys
from tests.cli.processes import environment, serving
from tests.cli_operations.running import run

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def data(tmp_path):
    """A folder with a memory and an API key."""
    folder = tmp_path / "data"
    assert run("remember", "otters hold hands", "--data", folder).code == 0
    assert run("keys", "create", "--name", "laptop", "--data", folder).code == 0
    return folder


def finds(data):
    """Whether what was remembered can be read."""
    return "otters hold hands" in run("recall", "otters", "--data", data).out


def test_a_fresh_key_takes_the_place_of_the_old_one(data):
    old = (data / "master.key").read_text()

    done = run("keys", "rotate-master", "--data", data, "--json")

    assert done.json == {"workspaces": 2, "master_key": str(data / "master.key")}
    new = (data / "master.key").read_text()
    assert new != old
    assert (data / "master.key").stat().st_mode & 0o777 == 0o600
    assert not (data / "master.key.new").exists()
    assert finds(data)
    assert run("verify", "--data", data).code == 0
    (data / "master.key").write_text(old)
    assert "does not open" in run("recall", "otters", "--data", data).err


def test_people_are_told_what_to_keep(data):
    done = run("keys", "rotate-master", "--data", data)

    assert "WITHOUT THE MASTER KEY NO DATA CAN BE READ" in done.err
    assert "Backups from before need the old key" in done.err
    assert (data / "master.key").read_text().strip() not in done.out + done.err


def test_a_key_can_be_given_in_a_file_that_is_private(data, tmp_path):
    file, key = tmp_path / "new", secrets.token_hex(32)
    file.write_text(key)
    rotate = ("keys", "rotate-master", "--data", data, "--new-key-file", file)
    file.chmod(0o644)
    shared = run(*rotate)
    file.chmod(0o600)
    done = run(*rotate)
    again = run(*rotate)

    assert "chmod 600" in shared.err
    assert done.code == 0
    assert (data / "master.key").read_text().strip() == key
    assert "choose another" in again.err
    assert finds(data)


@pytest.mark.parametrize("text", ["", "zz" * 32, "5c" * 31])
def test_a_file_without_a_key_is_refused(data, tmp_path, text):
    file = tmp_path / "new"
    file.write_text(text)
    file.chmod(0o600)

    done = run("keys", "rotate-master", "--data", data, "--new-key-file", file)

    assert done.code == 1
    assert "64 hexadecimal digits" in done.err
    assert finds(data)


def test_it_is_refused_while_a_server_has_the_folder(data):
    with serving(data):
        done = run("keys", "rotate-master", "--data", data)

    assert done.code == 1
    assert "in use by another process" in done.err
    assert not (data / "master.key.new").exists()
    assert finds(data)


def test_it_is_refused_while_a_command_has_the_keys(data):
    with open_api_keys(data):
        done = run("keys", "rotate-master", "--data", data)

    assert "in use by another process" in done.err
    assert finds(data)


def test_nobody_opens_a_folder_that_is_being_rotated(data):
    refused = []

    def look(*_):
        asked = (("recall", "otters"), ("keys", "list"))
        refused.extend(run(*one, "--data", data).err for one in asked)
        raise InterruptedError

    folder = DataFolder.open(data)
    with closing(folder), pytest.raises(InterruptedError):
        folder.rotate(look, secrets.token_bytes(32))

    assert ["in use by another process" in said for said in refused] == [True, True]
    assert not (data / "master.key.new").exists()
    assert finds(data)


def test_two_keys_of_which_none_opens_the_store_are_both_kept(data):
    for name in ("master.key", "master.key.new"):
        (data / name).write_text(secrets.token_hex(32))

    done = run("recall", "otters", "--data", data)

    assert "neither" in done.err
    assert (data / "master.key.new").exists()


def test_a_folder_without_a_store_is_left_alone(tmp_path):
    done = run("keys", "rotate-master", "--data", tmp_path / "nothing")

    assert done.code == 1
    assert not (tmp_path / "nothing").exists()


def test_a_kill_at_any_step_leaves_a_store_that_opens(data):
    done = subprocess.run(
        [sys.executable, "-m", "tests.cli.killed_rotations", "60"],
        env=environment(data=str(data)),
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert sum(found.values()) == 60
    assert found["old"] > 5
    assert found["new"] > 5
