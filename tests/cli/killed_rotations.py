"""Rotates a store's master key in children that are killed at one step after the other.

`python -m tests.cli.killed_rotations STEPS` reads MEMORANDA_DATA, or the settings of a database
with its new master key. A step is a call or a return of any function in the rotation, those of
SQLite, of the driver and of the system included. It prints, as JSON, after how many of the kills
the old key opened everything, and after how many the new one did.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from contextlib import closing
from pathlib import Path

from commands.clock import SystemClock
from commands.key_postgres import PostgresKeyRows
from commands.keystore import KeyStore
from commands.store_errors import WrongMasterKeyError
from ops.data_folder import DataFolder
from ops.rotating import rotate_database, rotate_folder
from ops.settings import load_settings, server_mode

WORKSPACES = ("default", "system")


def killed_at(step, rotate):
    """Run in a child that kills itself at a step; whether it was killed."""
    child = os.fork()
    if child == 0:
        taken = 0

        def profile(*_):
            nonlocal taken
            taken += 1
            if taken == step:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(profile)
        rotate()
        sys.setprofile(None)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def length(rotate):
    """How many steps a rotation takes, at most some hundred thousand."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        taken = 0

        def profile(*_):
            nonlocal taken
            taken += 1

        sys.setprofile(profile)
        rotate()
        sys.setprofile(None)
        os.write(writer, str(taken).encode())
        os._exit(0)
    os.wait()
    return int(os.read(reader, 20))


def opens(keys):
    """Every workspace is there, and its secrets are what they were."""
    with closing(keys):
        return [keys.workspace(name) for name in WORKSPACES]


def in_folder(data, steps):
    """Each kill has a copy of the folder of its own."""
    work = data.with_name("work")

    def copy():
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(data, work)

    def state():
        with closing(DataFolder.open(work)) as folder:
            keys = KeyStore.open(folder.keys, folder.master_key, SystemClock())
            assert not (work / "master.key.new").exists()
            return folder.master_key, opens(keys)

    def rotate():
        rotate_folder(work, None)

    copy()
    old, secrets = state()
    total = length(rotate)
    found = {"old": 0, "new": 0}
    for number in range(steps):
        copy()
        assert killed_at(1 + number * (total - 1) // (steps - 1), rotate) or number == steps - 1
        key, now = state()
        assert now == secrets
        found["old" if key == old else "new"] += 1
    return found


def in_database(mode, new, steps):
    """Each kill goes on from where the one before left the database."""
    url, old = mode.database_url, mode.master_key

    def opened_by(key):
        try:
            return opens(KeyStore.over(PostgresKeyRows(url), key, SystemClock()))
        except WrongMasterKeyError:
            return None

    def settled():
        """The server has done with the process that was killed: it holds its rows no more."""
        with closing(PostgresKeyRows(url)) as rows:
            rows.rewrap(lambda row: row.wrapped_key)

    secrets = opened_by(old)
    found = {"old": 0, "new": 0}
    total = length(lambda: rotate_database(mode, new))
    turned = type(mode)(url, mode.redis_url, new)
    rotate_database(turned, old)
    for number in range(steps):
        killed_at(1 + number * (total - 1) // (steps - 1), lambda: rotate_database(mode, new))
        settled()
        both = [opened_by(old), opened_by(new)]
        assert sorted(one is None for one in both) == [False, True]
        assert secrets in both
        found["old" if both[0] else "new"] += 1
        if both[1]:
            rotate_database(turned, old)
    return found


def main():
    settings, steps = load_settings(), int(sys.argv[1])
    mode = server_mode(settings)
    if mode is None:
        print(json.dumps(in_folder(Path(settings.data), steps)))
    else:
        new = bytes.fromhex(settings.new_master_key.get_secret_value())
        print(json.dumps(in_database(mode, new, steps)))


if __name__ == "__main__":
    main()
