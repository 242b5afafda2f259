"""`memoranda doctor`: is all well? It writes nothing, and tells a remedy for what is not."""

from __future__ import annotations

import platform
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer
from pydantic import SecretStr

from domain.canonical import JsonObject
from domain.errors import invalid
from ops.cli_checks import Check, ok, problem
from ops.cli_errors import REFUSED, EndedError, RefusedError, UnreachableError, telling
from ops.cli_shared import DataOption, JsonOption, say_json
from ops.cli_where import Server, show
from ops.settings import Settings, SettingsError, load_settings

if TYPE_CHECKING:
    from rich.text import Text

    from ops.cli_http import Address


@dataclass(frozen=True, kw_only=True)
class Patient(Server):
    """A data folder or a database, in use or not, or a server."""

    data: DataOption = None
    as_json: JsonOption = False


def doctor(patient: Patient) -> None:
    """Check a store, in use or not, or a server; exit status 1 if something is wrong."""
    with telling(as_json=patient.as_json):
        about, checks = _examined(patient)
    healthy = all(check.status != "problem" for check in checks)
    if patient.as_json:
        say_json({"ok": healthy, **about, "checks": [asdict(check) for check in checks]})
    else:
        show(_told(checks))
    if not healthy:
        raise typer.Exit(REFUSED)


def _examined(patient: Patient) -> tuple[JsonObject, list[Check]]:
    """What was examined, and what was found."""
    if patient.url is None:
        return _examined_here(patient.data)
    from ops.cli_doctor_server import check_server
    from ops.cli_http import Address

    if patient.data is not None:
        raise invalid("--data and --url exclude each other: give one of them", field="--data")
    address = Address.of(patient.url)
    inside = _examined_inside(address, patient.api_key)
    outside = list(check_server(address, patient.api_key, operates=inside is not None))
    if inside is None:
        return {"url": address.url}, outside
    # What a server says of itself is the answer; what only a caller can see is told if it is wrong.
    about, checks = inside
    seen = [one for one in outside if one.check in {"server", "clock"} and one.status != "ok"]
    return about, [*checks, *seen]


def _examined_inside(address: Address, key: str | None) -> tuple[JsonObject, list[Check]] | None:
    """What doctor finds on the server itself; None where the key may not ask, or nobody answers."""
    from ops.cli_http import UrlDoor
    from ops.cli_remote import run_job

    if not key:
        return None
    try:
        answer, _ = run_job(UrlDoor(address, key), "doctor")
    except (EndedError, RefusedError, UnreachableError) as error:
        if isinstance(error, RefusedError) and error.wire.get("reason") == "JOB_RUNNING":
            raise
        return None
    checks = [Check(**one) for one in answer["checks"]]
    return {"data": answer["data"]}, checks


def _examined_here(data: Path | None) -> tuple[JsonObject, list[Check]]:
    checks = [_check_program()]
    try:
        settings = load_settings(data=data)
    except SettingsError as error:
        # They may say which folder is meant, so there is nothing to go on with.
        said, _, remedy = str(error).partition(": ")
        return {"data": None}, [*checks, problem("settings", said, remedy)]
    checks.append(_check_settings(settings))
    if data is None and (settings.database_url or settings.redis_url):
        from ops.cli_doctor_database import check_shared

        return {"data": None}, [*checks, *check_shared(settings)]
    checks += _check_store(settings)
    return {"data": str(settings.data.absolute())}, checks


def _check_program() -> Check:
    ours, python, sqlite = version("memoranda"), platform.python_version(), sqlite3.sqlite_version
    said = f"Memoranda {ours}, Python {python}, SQLite {sqlite}"
    return ok("program", said, version=ours, python=python, sqlite=sqlite)


def _check_settings(settings: Settings) -> Check:
    """What is set, and what is left at its default; never a secret's value."""
    said = {name: _shown(getattr(settings, name)) for name in type(settings).model_fields}
    given = {name: said[name] for name in said if name in settings.model_fields_set}
    default = {name: said[name] for name in said if name not in given}
    words = ", ".join(f"{name} = {value}" for name, value in given.items()) or "all defaults"
    return ok("settings", words, given=given, default=default)


def _shown(value: object) -> str | None:
    if isinstance(value, SecretStr):
        return "(set)"
    return None if value is None else str(value)


def _check_store(settings: Settings) -> Iterator[Check]:
    from commands.clock import SystemClock
    from ops import cli_doctor_files as files
    from ops import cli_doctor_store as store
    from ops.backup_switch import finish_interrupted
    from ops.cli_doctor_index import check_index
    from ops.cli_doctor_log import check_log
    from ops.data_folder import MANIFEST

    folder = settings.data
    finish_interrupted(folder)
    yield files.check_folder(folder)
    yield files.check_disk(folder)
    if not folder.is_dir():
        return
    yield from files.check_files(folder)
    yield files.check_lock(folder)
    key, wrong = files.read_master_key(folder)
    if wrong is not None:
        yield wrong
    present = files.files_of(folder)
    seen = None
    if "log.db" in present:
        seen, found = check_log(folder / "log.db", SystemClock().now_us())
        yield from found
    if "keys.db" in present:
        yield store.check_keys(folder / "keys.db", key, seen)
    if "views.db" in present:
        yield from store.check_views(
            folder / "views.db",
            seen,
            in_use=files.is_locked(folder),
            lag_events_max=settings.lag_events_max,
        )
    if (folder / MANIFEST).exists():
        yield check_index(folder / MANIFEST, index_root(settings))


def index_root(settings: Settings) -> Path:
    """Where the recall index of a data folder is."""
    from ops.data_folder import INDEX
    from ops.recall_index import SUBFOLDER

    named = settings.index_dir
    return settings.data / INDEX if named is None else named / SUBFOLDER


_SIGNS: Final = {
    "ok": ("ok", "green"),
    "note": ("note", "yellow"),
    "problem": ("WRONG", "bold red"),
}


def _told(checks: Iterable[Check]) -> Iterator[Text]:
    """One line a check, and the remedy beneath what is wrong."""
    from ops.cli_text import line, plain

    for check in checks:
        sign, style = _SIGNS[check.status]
        yield line((f"{sign:<5}", style), f"{check.check:<11}", plain(check.said))
        if check.remedy is not None:
            yield line(f"→ {plain(check.remedy)}", indent=2)
