"""`memoranda probe`: the health check of a container."""

from __future__ import annotations

from typing import Annotated

import typer

from ops.cli_shared import remark, say
from ops.settings import load_settings


def probe(
    worker: Annotated[
        bool, typer.Option("--worker", help="Is a worker of this machine at work?")
    ] = False,
) -> None:
    """Exit 0 where the server of these settings is ready, or a worker takes jobs; else 1."""
    from ops.probing import ill_server, ill_worker

    settings = load_settings()
    ill = ill_worker(settings) if worker else ill_server(settings)
    if ill is not None:
        remark(ill)
        raise typer.Exit(1)
    say("well")
