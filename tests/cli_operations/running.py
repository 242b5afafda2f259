"""Commands of the memory, run in this process or as people run them."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass

from typer.testing import CliRunner

from ops.cli import app
from tests.laws.masks import Mask

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """What it printed, parsed."""
        return json.loads(self.out)

    @property
    def result(self):
        """The result of the contract's answer."""
        return self.json["result"]["result"]

    @property
    def error(self):
        """The error that it printed for machines."""
        return json.loads(self.err)["error"]


def run(*arguments, stdin=None, **settings):
    """A command in this process; settings are those of the environment, and no others are."""
    unset = {name: None for name in os.environ if name.startswith("MEMORANDA_")}
    given = {f"MEMORANDA_{name.upper()}": value for name, value in settings.items()}
    done = CliRunner().invoke(
        app, [str(argument) for argument in arguments], input=stdin, env=unset | given
    )
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Done(done.exit_code, done.stdout, done.stderr)


class Local:
    """Commands on a data folder."""

    def __init__(self, data, **who):
        self.data = data
        self.options = ["--data", data]
        for name, value in who.items():
            self.options += [f"--{name}", value]

    def __call__(self, *arguments, stdin=None):
        return run(*arguments, *self.options, stdin=stdin)


class Remote:
    """Commands on a server."""

    def __init__(self, url, key):
        self.url = url
        self.key = key

    def __call__(self, *arguments, stdin=None):
        return run(*arguments, "--url", self.url, stdin=stdin, key=self.key)


class Names(Mask):
    """Also request ids are named by the order in which they appear."""

    def _text(self, text):
        return super()._text(UUID.sub("<uuid>", text))
