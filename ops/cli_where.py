"""Which store a command speaks to, and how it answers."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from domain.canonical import JsonObject
from domain.errors import invalid
from ops.cli_arguments import STORE
from ops.cli_client import Door
from ops.cli_errors import telling
from ops.cli_local import local_context, local_door
from ops.cli_shared import place, remark, say_json
from ops.settings import local_actor
from ops.trusted_names import check_scope, check_session, check_workspace

if TYPE_CHECKING:
    from rich.text import Text


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server instead of a data folder."""

    url: Annotated[
        str | None,
        typer.Option(
            help="A server instead of a data folder, as in http://127.0.0.1:8420.",
            rich_help_panel=STORE,
        ),
    ] = None
    api_key: Annotated[
        str | None,
        typer.Option(
            envvar="MEMORANDA_KEY",
            help="The server's key. In the environment no list of processes shows it.",
            rich_help_panel=STORE,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Where(Server):
    """A data folder, or a server; and who acts in which session."""

    data: Annotated[
        Path | None,
        typer.Option(
            help="Data folder (MEMORANDA_DATA, else .memoranda).",
            show_default=False,
            rich_help_panel=STORE,
        ),
    ] = None
    workspace: Annotated[
        str | None,
        typer.Option(help="Workspace of the local store. Default: default.", rich_help_panel=STORE),
    ] = None
    actor: Annotated[
        str | None,
        typer.Option(
            help="Who acts on the local store. Default: cli:<user>.", rich_help_panel=STORE
        ),
    ] = None
    session: Annotated[
        str | None,
        typer.Option(help="The session to act in. Default: default.", rich_help_panel=STORE),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="The answer for machines.")] = False

    @contextmanager
    def door(self, envelope: JsonObject | None = None, *, create: bool = False) -> Iterator[Door]:
        """The door that the options name; raises MemorandaError for options that contradict.

        With the envelope of what is to come, a local store is opened, or made, only for one that
        it would not refuse for its form.
        """
        if self.session is not None:
            check_session(self.session, "--session")
        if self.url is not None:
            yield self._server(self.url)
            return
        from domain.requests import parse_request

        context = local_context(
            workspace=check_workspace(_or(self.workspace, "default"), "--workspace"),
            actor=check_scope(_or(self.actor, local_actor()), "--actor"),
            session=_or(self.session, "default"),
        )
        if envelope is not None:
            parse_request(envelope).check(context)
        with local_door(place(self.data), context, create=create) as door:
            yield door

    def _server(self, url: str) -> Door:
        from ops.cli_http import Address, UrlDoor

        local = {"--data": self.data, "--workspace": self.workspace, "--actor": self.actor}
        for option, value in local.items():
            if value is not None:
                raise invalid(
                    f"{option} is for the local store; with --url the key says it", field=option
                )
        address = Address.of(url)
        if not self.api_key:
            raise invalid(
                "a server wants a key: set MEMORANDA_KEY, or give it with --api-key",
                field="--api-key",
            )
        return UrlDoor(address, self.api_key, self.session)


def _or(value: str | None, default: str) -> str:
    return default if value is None else value


def ask(
    where: Where,
    operation: str,
    said: Callable[[], JsonObject],
    view: Callable[[JsonObject], Iterable[Text]],
) -> None:
    """A question, or another operation that needs no idempotency key; the answer is told."""
    with telling(as_json=where.as_json):
        envelope = _envelope(operation, said())
        with where.door(envelope) as door:
            answer = door.execute(envelope)
    if where.as_json:
        say_json(answer)
    else:
        show(view(answer["result"]["result"]))


def mutate(
    where: Where,
    operation: str,
    said: Callable[[], JsonObject],
    view: Callable[[JsonObject, str], Iterable[Text]],
    *,
    key: str | None,
    create: bool = False,
) -> None:
    """A command under an idempotency key, which is told so that it can be repeated."""
    used = f"cli-{uuid.uuid4()}" if key is None else key
    with telling(as_json=where.as_json, key=used):
        envelope = _envelope(operation, said()) | {"idempotency_key": used}
        with where.door(envelope, create=create) as door:
            answer = door.execute(envelope)
    if where.as_json:
        if key is None:
            remark(f"idempotency key: {used}")
        say_json(answer)
    else:
        show(view(answer["result"]["result"], used))


def _envelope(operation: str, said: JsonObject) -> JsonObject:
    # The models of the contract are loaded for a request, not for help.
    from domain.requests import CONTRACT_VERSION

    return {"contract_version": CONTRACT_VERSION, "operation": operation, "input": said}


def show(lines: Iterable[Text]) -> None:
    """Lines for people, styled where somebody looks; never wrapped, so that they can be cut."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    for line in lines:
        console.print(line, soft_wrap=True)
