"""`memoranda evaluate`: a file of cases against the temporal policy, and its report."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from domain.canonical import Json, JsonObject, canonical, parse_json
from domain.errors import MemorandaError, invalid
from ops.cli_errors import REFUSED, telling
from ops.cli_shared import JsonOption, remark, say, say_json

REPORT_BYTES_MAX: Final = 256 * 1024 * 1024
_SHOWN_CHARACTERS_MAX: Final = 200


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What is evaluated, and where the report is."""

    scenarios: Annotated[Path, typer.Argument(help="Cases, policy-scenarios/v1.")]
    out: Annotated[Path, typer.Argument(help="The report: a new file, or with --verify the old.")]
    verify: Annotated[
        bool, typer.Option("--verify", help="Play the cases again and compare with the report.")
    ] = False
    as_json: JsonOption = False


def evaluate(asked: Evaluation) -> None:
    """Play a file of cases on the temporal policy and write what came out; needs no store.

    Ends with 1 where a case fails, or where --verify finds another report.
    """
    from ops.evaluation import report
    from ops.scenarios import scenarios_in

    with telling(as_json=asked.as_json):
        before = _read(asked.out) if asked.verify else None
        if before is None:
            _refuse_existing(asked.out)
        made = report(scenarios_in(asked.scenarios))
        if before is None:
            _write(asked.out, canonical(made))
    difference = None if before is None else first_difference(before, made)
    _tell(asked, made, difference)
    if difference is not None or made["totals"]["failed"]:
        raise typer.Exit(REFUSED)


def first_difference(written: bytes, made: JsonObject) -> str | None:
    """Where a written report is not the one that was made now; None for the same bytes."""
    if written == canonical(made):
        return None
    try:
        said = parse_json(written)
    except MemorandaError as error:
        return f"the report cannot be read: {error.message}"
    found = next(_differences(said, made, ""), None)
    return found or "the report says the same in other bytes: it is not in canonical form"


def _differences(said: Json, made: Json, path: str) -> Iterator[str]:
    """Depth first, in the order of the canonical form."""
    if isinstance(said, dict) and isinstance(made, dict):
        for name in sorted({*said, *made}):
            inner = f"{path}.{name}" if path else name
            if name in said and name in made:
                yield from _differences(said[name], made[name], inner)
            else:
                yield f"{inner} is in the {'report' if name in said else 'evaluation'} alone"
    elif isinstance(said, list) and isinstance(made, list):
        for at, (one, other) in enumerate(zip(said, made, strict=False)):
            yield from _differences(one, other, f"{path}.{at}")
        if len(said) != len(made):
            yield f"{path} has {len(said)} entries in the report, {len(made)} evaluated"
    elif canonical(said) != canonical(made):
        yield f"{path or 'the report'} is {_shown(said)} in the report, {_shown(made)} evaluated"


def _shown(value: Json) -> str:
    text = ascii(canonical(value).decode())[1:-1]
    short = len(text) <= _SHOWN_CHARACTERS_MAX
    return text if short else f"{text[:_SHOWN_CHARACTERS_MAX]}…"


def _read(out: Path) -> bytes:
    try:
        with out.open("rb") as file:
            data = file.read(REPORT_BYTES_MAX + 1)
    except OSError as error:
        raise invalid(
            f"{out} cannot be read: {error.strerror}; evaluate without --verify first", field="OUT"
        ) from None
    if len(data) > REPORT_BYTES_MAX:
        raise invalid(f"{out} is no report: larger than {REPORT_BYTES_MAX} bytes", field="OUT")
    return data


def _refuse_existing(out: Path) -> None:
    if os.path.lexists(out):
        raise _exists(out)


def _exists(out: Path) -> MemorandaError:
    return invalid(f"{out} exists already: name a new file, or compare with --verify", field="OUT")


def _write(out: Path, data: bytes) -> None:
    """A whole new file that is on the disk, or none."""
    try:
        with out.open("xb") as file:
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            except BaseException:
                out.unlink()
                raise
    except FileExistsError:
        raise _exists(out) from None
    except OSError as error:
        raise invalid(f"{out} cannot be written: {error.strerror}", field="OUT") from None


def _tell(asked: Evaluation, made: JsonObject, difference: str | None) -> None:
    totals = made["totals"]
    if asked.as_json:
        verified = {"identical": difference is None} if asked.verify else {}
        first = {} if difference is None else {"first_difference": difference}
        named = {name: made[name] for name in ("policy", "cases_sha256", "totals")}
        say_json({"report": str(asked.out), **named, **verified, **first})
        return
    for one in made["results"]:
        if not one["passed"]:
            remark(f"{ascii(one['id'])[1:-1]}: {', '.join(one['differences'])}")
    say(f"{totals['cases']} cases: {totals['passed']} passed, {totals['failed']} failed")
    if difference is not None:
        remark(f"differs: {difference}")
    elif asked.verify:
        say(f"identical: {asked.out}")
