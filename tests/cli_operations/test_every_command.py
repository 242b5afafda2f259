"""Every command answers machines on a server as on a data folder, but for ids and times."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import typer.main

from domain.context import CONTRACT_PERMISSIONS
from ops.cli import app
from ops.wiring import open_memoranda
from tests.bundles.scribes import CLOSE, RULE, UPDATE, Scribe, about
from tests.circumstances import context
from tests.cli.processes import serving
from tests.cli_operations.every_command import ACTOR, NOT_REMOTE, ROWS, WORKSPACE
from tests.cli_operations.running import Names, run
from tests.faults.test_damaged_rows import flip
from tests.importer.lines import remember, written
from tests.inputs import envelope
from tests.laws.worlds import caught_up

pytestmark = pytest.mark.timeout(300)
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "command-line.md"
KEY = re.compile(r"\b(?:key_[0-9a-f]{16}|mk_[\w-]{43})")
FREE = re.compile(r"\b\d+ MiB free")
MOMENTS = 50


def registered(command=None, path=()):
    """The names of all commands of the program."""
    command = typer.main.get_command(app) if command is None else command
    if not hasattr(command, "commands"):
        return {" ".join(path)}
    return set().union(*(registered(one, (*path, name)) for name, one in command.commands.items()))


def test_every_command_has_a_row_or_a_reason_on_the_page():
    _, _, reasons = PAGE.read_text("utf-8").partition("## What works on a folder alone")

    assert registered() == {*ROWS, *NOT_REMOTE}
    for name in NOT_REMOTE:
        assert f"`{name}`" in reasons.partition("\n## ")[0]


class Side:
    """One of two stores that begin alike, and what it answered."""

    def __init__(self, folder, data, key=None, host=None, url=None):
        self.folder = folder
        self.data = data
        self.url = url
        self._keys = {"memory": key, "whole": host}
        self.done = []

    def memory(self, *arguments, stdin=None):
        """A command in the workspace, by its actor."""
        who = ("--workspace", WORKSPACE, "--actor", ACTOR)
        return self._say(arguments, "memory", () if self.url else who, stdin)

    def whole(self, *arguments):
        """A command on the whole store, by its operator."""
        return self._say(arguments, "whole", (), None)

    def _say(self, arguments, sort, local, stdin):
        if self.url is None:
            where, settings = ("--data", self.data, *local), {}
        else:
            where, settings = ("--url", self.url), {"key": self._keys[sort]}
        self.done.append(run(*arguments, *where, "--json", stdin=stdin, **settings))
        return self.done[-1]

    def looked(self, command):
        """What is asked of the folder that is served: its state differs from that of another."""
        settings = {"port": "0"} if self.url is None else {"key": self._keys["whole"]}
        where = ("--data", self.data) if self.url is None else ("--url", self.url)
        self.done.append(run(command, *where, "--json", **settings))
        return self.done[-1]


@pytest.fixture(scope="module", params=["whole", "damaged"])
def twins(request, tmp_path_factory):
    """Two folders that are alike, with a claim of a session, of which one is served, and its keys.

    In the damaged ones the read models have parked a memory, and every check tells of it.
    """
    folder = tmp_path_factory.mktemp("twins")
    if request.param == "damaged":
        park(folder / "first")
    store = open_memoranda(folder / "first")
    if request.param == "whole":
        scribe = Scribe(store, actor=ACTOR, workspace=WORKSPACE)
        first = scribe.say("Charts are stored flat", on=1)
        scribe.say("Charts are stored in tubes", action=UPDATE, on=2, **about(first))
        scribe.ask_about(RULE, CLOSE)
    granted = sorted(CONTRACT_PERMISSIONS | {"policy", "review"})
    bound = {"workspace": WORKSPACE, "actor": ACTOR, "permissions": granted}
    free = {"workspace": None, "actor": None, "permissions": ["host", "operate"]}
    key, _ = store.keys.create(name="bound", **bound)
    host, _ = store.keys.create(name="operator", **free)
    store.close()
    shutil.copytree(folder / "first", folder / "second")
    with serving(folder / "second") as server:
        server.url = f"http://{server.host}:{server.port}"
        server.keys = (key, host)
        yield folder, server


def park(data):
    """Damage an event that no read model has seen, then let them see it."""
    store = open_memoranda(data)
    caught_up(store).runner.stop()
    result = store.execute(context(), envelope("remember"))["result"]["result"]
    store.close()
    flip(data, result["receipt"]["position"] - 1)
    caught_up(open_memoranda(data)).close()


@pytest.fixture
def sides(twins, tmp_path):
    """Both sides, for one row."""
    folder, server = twins
    served = folder / "second"
    return Side(tmp_path, folder / "first"), Side(tmp_path, served, *server.keys, server.url)


class KeysToo(Names):
    """Keys and their ids are named by the order in which they appear, too."""

    def _text(self, text):
        for found in KEY.findall(text):
            text = text.replace(found, self._name("key", found))
        return FREE.sub("<free>", super()._text(text))

    def _member(self, name, value):
        return name if name == "free" else super()._member(name, value)


def masked(done):
    """Exit statuses and answers, ids and times named by their order."""
    names = KeysToo()
    return [(one.code, *(_masked(names, text) for text in (one.out, one.err))) for one in done]


def _masked(names, text):
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return names.bytes_of(value)


LOOKING = ("stats", "verify", "doctor")
SAID = [
    (name, "damaged" if name.startswith("parked") else "whole")
    for name in ROWS
    if name not in LOOKING
]


@pytest.mark.parametrize(("name", "twins"), SAID, indirect=["twins"])
def test_a_command_answers_alike_on_a_folder_and_on_a_server(sides, name):
    here, away = sides

    for side in sides:
        ROWS[name](side)

    assert here.done[0].code == 0 or name == "import", here.done[0].err
    for mine, theirs in zip(masked(here.done), masked(away.done), strict=True):
        assert mine == theirs


@pytest.mark.parametrize("name", LOOKING)
def test_what_is_seen_of_a_folder_is_told_alike_by_its_server(sides, name, request):
    _, away = sides
    beside = Side(away.folder, away.data)
    away.whole("import", written(away.folder / "one.jsonl", [remember("k")]), "--actor", ACTOR)
    away.done.clear()

    # A server goes on working: compared is what was so before and after it was asked.
    for _ in range(MOMENTS):
        before, told, after = (masked([side.looked(name)]) for side in (beside, away, beside))
        if before == after:
            break

    assert told == after
    broken = request.node.callspec.params["twins"] == "damaged" and name != "stats"
    assert beside.done[-1].code == int(broken), beside.done[-1].out


def test_no_command_shows_the_key_of_the_environment():
    key = "mk_canary"

    for name in registered():
        done = run(*name.split(), "--help", key=key)
        assert key not in done.out + done.err
