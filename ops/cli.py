"""The command line. Answers on standard output, everything else on standard error.

Exit status: 0 done; 1 refused or failed, with the remedy; 2 not understood; 3 no server answered.
"""

from __future__ import annotations

import gc
import traceback
from typing import Annotated

import typer

from ops import cli_store
from ops.cli_arguments import flattened
from ops.cli_backup import backup, restore
from ops.cli_capture import capture_app
from ops.cli_export import export
from ops.cli_import import import_lines
from ops.cli_keys import keys_app
from ops.cli_migrate import migrate
from ops.cli_parked import parked_app
from ops.cli_probe import probe
from ops.cli_register import add_commands
from ops.cli_shared import DataOption, remark, say
from ops.cli_worker import worker
from ops.settings import SettingsError, load_settings

app = typer.Typer(
    name="memoranda",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Memory for AI agents that can be questioned.",
)
add_commands(app)
app.add_typer(keys_app, name="keys")
app.add_typer(parked_app, name="parked")
app.add_typer(capture_app, name="capture")
app.command("import")(flattened(import_lines))
app.command()(flattened(export))
app.command()(flattened(cli_store.rebuild))
app.command()(flattened(cli_store.verify))
app.command()(flattened(backup))
app.command()(flattened(restore))
app.command()(cli_store.demo)
app.command()(migrate)
app.command()(probe)
app.command()(worker)


@app.command()
def serve(
    data: DataOption = None,
    host: Annotated[str | None, typer.Option(help="Default: 127.0.0.1, this machine only.")] = None,
    port: Annotated[int | None, typer.Option(help="Default: 8420; 0 takes a free one.")] = None,
) -> None:
    """Serve until interrupted; prints one line when it answers."""
    from ops.serve import serve as run

    run(load_settings(data=data, host=host, port=port), say)


def main() -> None:
    """The console script: failures are told on standard error, without a stack trace."""
    try:
        app()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except Exception as error:  # noqa: BLE001 - the last one who can tell anybody
        from ops.failures import said

        remark(f"error: {said(error) or _unforeseen(error)}")
        raise SystemExit(1) from None
    finally:
        # Else Python would look for cycles in all that is loaded when it ends, which takes longer
        # than what a short command does.
        gc.freeze()


def _unforeseen(error: Exception) -> str:
    """A fault of the program: its name, and its trace for those who ask for it."""
    if _debug():
        return "".join(traceback.format_exception(error)).rstrip()
    return f"unexpected {type(error).__name__}: set MEMORANDA_DEBUG=1 and try again to see where"


def _debug() -> bool:
    try:
        return load_settings().debug
    except SettingsError:
        return False


if __name__ == "__main__":
    main()
