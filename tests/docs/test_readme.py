"""The commands of README.md, pasted into a shell one block after the other."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys

import pytest

from tests.cli.processes import environment
from tests.docs.pages import ROOT, commands, fences
from tests.docs.shell import BIN, Shell
from tests.services.ports import free_port

pytestmark = pytest.mark.timeout(600)
README = ROOT / "README.md"
MAKE = f"""
make() {{
  # As in the checkout, with the packages that these tests have. `make test` would run this again.
  if [ "$1" = test ]; then set -- test 'ARGS=tests/docs/test_pages.py -q -n 0'; fi
  # What the make was told that runs the tests is not for this one.
  env -u MAKEFLAGS -u ARGS make --no-print-directory -C {ROOT} --old-file=setup BIN={BIN} "$@"
}}
"""
FOUND = re.compile(r'"text": "(Ana edits with \w+\.)"')


def test_they_work_when_pasted(tmp_path):
    port, data = str(free_port()), tmp_path / ".memoranda"
    both, serve, key, *blocks = [block.replace("8420", port) for block in commands(README)]

    with contextlib.closing(Shell(tmp_path, MAKE, port=port, data=str(tmp_path / "d"))) as shell:
        demo_and_tests = shell.paste(both)
    with contextlib.closing(Shell(tmp_path, MAKE, port=port, data=str(data))) as shell:
        started = shell.paste(serve.removesuffix("\n") + " &\n")
        token = re.search(r"shown this once: (\S+)", started)[1]
        said = [shell.paste(block) for block in (key.replace("mk_…", token), *blocks)]

    assert "failed:" not in "\n".join((demo_and_tests, started, *said))
    assert "5. What happens to a command whose answer was lost?" in demo_and_tests
    assert re.search(r"\d+ passed", demo_and_tests)
    _, _, remembered, recalled, traced, slot, two_days, ended = said
    assert '"replayed": false' in remembered
    assert FOUND.findall(recalled) == ["Ana edits with vim."]
    assert '"gaps"' in traced
    assert '"conflicts": 1' in slot
    february, *april = FOUND.findall(two_days)
    assert february == "Ana edits with vim."
    assert sorted(april) == ["Ana edits with emacs.", "Ana edits with vim."]
    assert two_days.count('"contested": true') == 2
    assert FOUND.findall(ended)[-2:] == ["Ana edits with emacs.", "Ana edits with vim."]
    assert "Ana edits with emacs." in in_process(tmp_path)


def in_process(folder):
    """What the page's Python prints, in the folder where the server had its data."""
    (program,) = [text for kind, text in fences(README) if kind == "python"]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
