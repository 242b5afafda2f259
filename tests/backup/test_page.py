"""The commands of docs/how-to/backup.md, pasted into a shell one block after the other."""

from __future__ import annotations

import contextlib

import pytest

from tests.docs.pages import ROOT, commands
from tests.docs.shell import Shell

pytestmark = pytest.mark.timeout(300)
PAGE = ROOT / "docs" / "how-to" / "backup.md"
BEFORE = 'memoranda remember "Ana edits with vim."\n'


def test_they_work_when_pasted(tmp_path):
    with contextlib.closing(Shell(tmp_path)) as shell:
        remembered = shell.paste(BEFORE)
        said = [shell.paste(block) for block in commands(PAGE)]

    assert "failed:" not in "\n".join((remembered, *said))
    made, checked, moved, erased, elsewhere, over = said
    assert "2 events and 257 keys, up to position 2, are in backups/monday" in made
    assert "THE MASTER KEY IS NOT IN THIS BACKUP" in made
    assert "2 events verified, 0 wrong" in checked
    assert moved == ""
    assert "lines of erasures are in backups/erased-until-tuesday" in erased
    assert "restored as of" in elsewhere
    assert "2 events verified, 0 wrong" in elsewhere
    assert "restored as of" in over
    assert "Ana edits with vim." in over
