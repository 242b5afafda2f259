"""Types of fields whose value may be left out, and how that is said."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BeforeValidator

from domain.canonical import Json, JsonObject


def _blank_is_none(value: Json) -> Json:
    return None if isinstance(value, str) and not value.strip() else value


def _no_text(value: Json) -> Json:
    return "" if value is None else value


def no_list(value: Json) -> Json:
    """An empty list for null."""
    return [] if value is None else value


# Models that have to fill every key of a schema say null, or a blank, for what they do not have.
Name: TypeAlias = Annotated[str | None, BeforeValidator(_blank_is_none)]
Text: TypeAlias = Annotated[str, BeforeValidator(_no_text)]
Strings: TypeAlias = Annotated[list[str], BeforeValidator(no_list)]
Events: TypeAlias = Annotated[list[JsonObject], BeforeValidator(no_list)]
