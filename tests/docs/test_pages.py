"""Commands in the pages are run by the tests, or say in their first line why not."""

from __future__ import annotations

import pytest

from tests.docs.pages import PAGES, ROOT, commands, fences, name_of, untold

RUN = {
    "README.md": "tests/docs/test_readme.py",
    "docs/how-to/backup.md": "tests/backup/test_page.py",
    "docs/how-to/bundle.md": "tests/docs/test_windows.py",
    "docs/how-to/capture.md": "tests/docs/test_capture.py",
    "docs/how-to/claims.md": "tests/docs/test_claims.py",
    "docs/how-to/command-line.md": "tests/docs/test_how_to.py",
    "docs/how-to/consolidation.md": "tests/docs/test_consolidation.py",
    "docs/how-to/evidence.md": "tests/docs/test_evidence.py",
    "docs/how-to/export.md": "tests/docs/test_export.py",
    "docs/how-to/postgresql.md": "tests/store/test_postgres_page.py",
    "docs/how-to/windows.md": "tests/docs/test_windows.py",
    "docs/how-to/workers.md": "tests/workers/test_workers_page.py",
    "docs/tutorial.md": "tests/docs/test_tutorial.py",
}
"""Pages with commands, and what runs all of them."""
UNTOLD = {
    "README.md": ["it installs from a package index"],
    "docs/how-to/consolidation.md": ["the proposal of this page is applied by now."],
    "docs/how-to/containers.md": [
        "it needs Docker (they start each service of the file as a plain process)"
    ],
    "docs/how-to/extraction.md": ["it needs a model's endpoint"],
    "docs/how-to/windows.md": ["no window of this page is ambiguous."],
}
"""Pages with commands that are not run, and why."""
KINDS = {"", "sh", "python", "json", "mermaid", "markdown", "sql", "toml"}
"""Commands are `sh`, whatever the shell, so that none is overlooked."""


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_of_a_page_are_run_or_say_why_not(page):
    name = name_of(page)

    assert bool(commands(page)) == (name in RUN), "add a test that runs them to RUN"
    assert untold(page) == UNTOLD.get(name, []), "list the reason in UNTOLD"
    assert {kind for kind, _ in fences(page)} <= KINDS


@pytest.mark.parametrize(("page", "test"), RUN.items())
def test_what_runs_them_names_the_page(page, test):
    assert page.rpartition("/")[2] in (ROOT / test).read_text("utf-8")
