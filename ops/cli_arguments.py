"""Groups of options that commands share: a dataclass each, one option a field.

Typer reads the parameters of a function; `flattened` makes such a function of a command that takes
groups. So a command with twenty options has two parameters.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Annotated, Any, Final, get_type_hints

import typer

from domain.canonical import JsonObject
from domain.instants import FOREVER

STORE: Final = "Which store"
TIMES: Final = "Times"
CONTENT: Final = "What is said"
REPEATING: Final = "Repeating it"
BASIS: Final = "As of when"


def flattened(command: Callable[..., None]) -> Callable[..., None]:
    """The same command with one keyword parameter for each field of its dataclasses.

    Two groups of one command must not have a field of the same name.
    """
    groups = get_type_hints(command)
    groups.pop("return", None)

    def run(**given: Any) -> None:
        command(
            **{
                name: group(**{one.name: given[one.name] for one in fields(group)})
                for name, group in groups.items()
            }
        )

    parameters = [one for group in groups.values() for one in _parameters(group)]
    run.__name__ = command.__name__
    run.__doc__ = command.__doc__
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _parameters(group: type[Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(one),
            annotation=hints[one.name],
        )
        for one in fields(group)
    ]


def _default(one: Field[Any]) -> Any:
    if one.default_factory is not MISSING:
        return one.default_factory()
    return inspect.Parameter.empty if one.default is MISSING else one.default


@dataclass(frozen=True, kw_only=True)
class Validity:
    """When it holds in the world, and until when it is kept in recall."""

    valid_from: Annotated[
        str | None,
        typer.Option(help="From when on it holds, RFC 3339.", rich_help_panel=TIMES),
    ] = None
    valid_until: Annotated[
        str | None,
        typer.Option(help="From when on it holds no more.", rich_help_panel=TIMES),
    ] = None
    expires_at: Annotated[
        str | None,
        typer.Option(help="From when on it is not recalled.", rich_help_panel=TIMES),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Properties:
    """Properties of what is said."""

    prop: Annotated[
        list[str],
        typer.Option(
            "--property",
            metavar="NAME=TEXT",
            help="A property; repeat it for more.",
            rich_help_panel=CONTENT,
        ),
    ] = field(default_factory=list)
    properties: Annotated[
        str | None,
        typer.Option(metavar="JSON", help="Properties as one JSON value.", rich_help_panel=CONTENT),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Said(Properties):
    """The same, with sources and confidence."""

    source: Annotated[
        list[str],
        typer.Option(
            metavar="ID[#LOCATOR]",
            help="Where it was read; repeat it for more. The first # parts.",
            rich_help_panel=CONTENT,
        ),
    ] = field(default_factory=list)
    confidence: Annotated[
        float | None, typer.Option(help="From 0 to 1.", rich_help_panel=CONTENT)
    ] = None


@dataclass(frozen=True, kw_only=True)
class Basis:
    """For which instant, and of what was known."""

    as_of: Annotated[
        str | None, typer.Option(help="What held then, RFC 3339.", rich_help_panel=BASIS)
    ] = None
    as_known_at: Annotated[
        str | None, typer.Option(help="What was known then.", rich_help_panel=BASIS)
    ] = None
    as_known_position: Annotated[
        int | None,
        typer.Option(
            min=0, max=FOREVER, help="What was known at a position.", rich_help_panel=BASIS
        ),
    ] = None
    min_position: Annotated[
        int | None,
        typer.Option(min=0, max=FOREVER, help="Have seen this position.", rich_help_panel=BASIS),
    ] = None

    def asked(self) -> JsonObject:
        """What is said of it, as parameters of the reading routes."""
        said = {
            "as_of": self.as_of,
            "as_known_at": self.as_known_at,
            "as_known_position": self.as_known_position,
            "min_position": self.min_position,
        }
        return {name: one for name, one in said.items() if one is not None}


@dataclass(frozen=True, kw_only=True)
class Repeatable:
    """What makes a command happen once, however often it is sent."""

    idempotency_key: Annotated[
        str | None,
        typer.Option(
            help="Send the same one again to repeat a command. Default: a new one.",
            rich_help_panel=REPEATING,
        ),
    ] = None
