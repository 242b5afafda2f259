"""`memoranda keys rotate-master` on a database."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ops.beside import open_beside
from ops.settings import load_settings, server_mode
from tests.cli.processes import environment
from tests.server_mode.test_command_line import made, on_database

pytestmark = pytest.mark.timeout(300)
__all__ = ["on_database"]
NEW = "a7" * 32


def test_the_new_key_opens_all_and_the_old_one_nothing(on_database):
    made(on_database, "otters hold hands")

    done = on_database("keys", "rotate-master", "--json", new_master_key=NEW)

    assert done.json == {"workspaces": 1, "master_key": None}
    assert "otters hold hands" in on_database("recall", "otters", master_key=NEW).out
    assert on_database("verify", master_key=NEW).code == 0
    assert "does not open" in on_database("recall", "otters").err


def test_people_are_told_what_to_do_next(on_database):
    made(on_database, "otters hold hands")

    done = on_database("keys", "rotate-master", new_master_key=NEW)

    assert "1 workspaces are under the new master key" in done.out
    assert "All servers and workers must be restarted with the new key" in done.err
    assert "WITHOUT THE MASTER KEY NO DATA CAN BE READ" in done.err
    assert NEW not in done.out + done.err


def test_a_repeat_takes_what_was_made_under_the_old_key_meanwhile(on_database, settings):
    made(on_database, "otters hold hands")
    with open_beside(server_mode(load_settings(**settings))) as server:
        assert on_database("keys", "rotate-master", new_master_key=NEW).code == 0
        server.keys.ensure_workspace("late")

    again = on_database("keys", "rotate-master", "--json", new_master_key=NEW)

    assert again.json["workspaces"] == 1
    assert on_database("doctor", "--json", master_key=NEW).code == 0


def test_a_key_is_needed_and_may_be_in_a_file(on_database, tmp_path):
    made(on_database, "otters hold hands")
    file = tmp_path / "new"
    file.write_text(NEW)
    file.chmod(0o600)

    without = on_database("keys", "rotate-master")
    done = on_database("keys", "rotate-master", "--new-key-file", file)

    assert without.code == 1
    assert "the new master key is missing" in without.err
    assert done.code == 0
    assert on_database("verify", master_key=NEW).code == 0


def test_another_old_key_changes_nothing(on_database):
    made(on_database, "otters hold hands")

    done = on_database("keys", "rotate-master", master_key="11" * 32, new_master_key=NEW)

    assert done.code == 1
    assert "nothing was changed" in done.err
    assert on_database("verify").code == 0


def test_a_kill_at_any_step_leaves_all_under_one_key(on_database, settings):
    made(on_database, "otters hold hands")
    assert on_database("keys", "create", "--name", "laptop").code == 0

    done = subprocess.run(
        [sys.executable, "-m", "tests.cli.killed_rotations", "24"],
        env=environment(**settings, new_master_key=NEW),
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert sum(found.values()) == 24
    assert found["old"] > 0
    assert found["new"] > 0
