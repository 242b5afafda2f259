"""A receiver, and `memoranda capture` as people run it on logs that the tests write."""

from __future__ import annotations

import pytest

from tests.capture.receiver import KEY, receiving
from tests.cli_operations.running import run


@pytest.fixture
def receiver():
    with receiving() as server:
        yield server


class Capturing:
    """The command, on one log, with a state of its own."""

    def __init__(self, folder, receiver):
        self.receiver = receiver
        self.log = folder / "session.jsonl"
        self.state = folder / "state"

    def write(self, *lines):
        """Lines behind those that are there."""
        with self.log.open("ab") as file:
            file.write(b"".join(lines))
        return self

    def __call__(self, *more, client="claude-code", stdin=None, log=True):
        where = ("--url", self.receiver.url, "--state", self.state)
        named = (self.log,) if log else ()
        return run("capture", client, *named, *where, *more, stdin=stdin, key=KEY)


@pytest.fixture
def capturing(tmp_path, receiver):
    return Capturing(tmp_path, receiver)
