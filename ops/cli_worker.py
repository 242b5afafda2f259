"""`memoranda worker`: keeps the read models of the server mode up to date."""

from __future__ import annotations

from typing import Annotated

import typer

from ops.cli_shared import remark


def worker(
    burst: Annotated[bool, typer.Option("--burst", help="End when nothing is queued.")] = False,
    queues: Annotated[str | None, typer.Option(help="Comma list of queues.")] = None,
) -> None:
    """Work until interrupted; as many workers as wanted, on as many machines.

    Reads MEMORANDA_DATABASE_URL, MEMORANDA_REDIS_URL and MEMORANDA_MASTER_KEY. With
    MEMORANDA_EXTRACTOR=openai it asks the model, too, unless queues are named.
    """
    from ops.supervisor import BURST, Supervisor

    names = [name.strip() for name in (queues or "").split(",") if name.strip()]
    if queues is not None and not names:
        raise typer.BadParameter("name at least one queue", param_hint="--queues")
    status = Supervisor([*([BURST] if burst else []), *names], remark).run()
    if status:
        raise typer.Exit(status)
