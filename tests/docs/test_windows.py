"""The commands of docs/how-to/windows.md, pasted into a shell one block after the other.

Then those of docs/how-to/bundle.md, which begins where that page ends.
"""

from __future__ import annotations

import contextlib
import json

import pytest

from tests.docs.pages import ROOT, commands
from tests.docs.shell import Shell
from tests.services.ports import free_port

pytestmark = pytest.mark.timeout(300)
PAGES = [ROOT / "docs" / "how-to" / name for name in ("windows.md", "bundle.md")]


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What the blocks of each page print."""
    port = str(free_port())
    with contextlib.closing(Shell(tmp_path_factory.mktemp("pasted"), port=port)) as shell:
        return [
            [shell.paste(block.replace("8420", port)) for block in commands(page)] for page in PAGES
        ]


def answer_in(said):
    return json.loads(said[said.index("{") :])


def test_windows_can_be_sent_corrected_and_decided_again(printed):
    started, sent, corrected, again = printed[0]

    assert "failed:" not in started + sent + corrected + again
    first, second = answer_in(sent), answer_in(corrected)
    assert first["result"] == second["result"] == "knowledge_patched"
    [before], [after] = first["proposals"], second["proposals"]
    assert before["outcome"] == after["outcome"] == "applied"
    assert before["claim_id"] == after["claim_id"]
    assert before["memory_id"] != after["memory_id"]
    assert answer_in(again)["verdict"] == "identical"


def test_what_was_sent_can_be_read(printed):
    concepts, claim, window, markdown = printed[1]

    assert "failed:" not in concepts + claim + window + markdown
    assert "Scheduler  convention  github.com/acme/app  1 claim\n" in concepts
    assert "three were too few" in claim
    assert "-rule: The scheduler tries a failed job again three times" in claim
    assert "+rule: The scheduler tries a failed job again five times" in claim
    assert "From now on, three tries for a failed job." in window
    assert "- **Rule:** The scheduler tries a failed job again five times" in markdown
    assert markdown.rstrip().endswith("/convention/scheduler.md")
