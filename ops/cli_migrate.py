"""`memoranda migrate`: the database of the server mode gets the schema of this program."""

from __future__ import annotations

from typing import Annotated

import typer

from ops.cli_errors import telling
from ops.cli_shared import JsonOption, say, say_json


def migrate(
    database_url: Annotated[
        str,
        typer.Option(
            envvar="MEMORANDA_DATABASE_URL",
            help="postgresql://user@host/database, as the user who owns it.",
            show_envvar=True,
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Bring the database to this program's schema; any number of times, from anywhere at once."""
    from ops.migrating import migrate as run
    from ops.migrations import REVISIONS

    with telling(as_json=as_json):
        before = run(database_url)
    if as_json:
        say_json({"before": before, "now": REVISIONS[-1]})
    elif before == REVISIONS[-1]:
        say(f"nothing to do: the schema is {before}")
    else:
        say(f"migrated from {before or 'an empty database'} to {REVISIONS[-1]}")
