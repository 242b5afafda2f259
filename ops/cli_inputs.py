"""From arguments and standard input to the inputs of the contract."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from domain.canonical import Json, JsonObject, parse_json
from domain.errors import MemorandaError, invalid
from domain.ids import RECALL, RELATIONSHIP
from ops.cli_arguments import Properties, Validity

STDIN = "-"


def text_of(argument: str | None) -> str | None:
    """An argument; `-` stands for standard input, without the line end that closes it."""
    if argument != STDIN:
        return argument
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise invalid(
            "standard input is not UTF-8: send text in UTF-8", field="TEXT", reason="NOT_UTF8"
        ) from None
    return text.removesuffix("\n").removesuffix("\r")


def content_of(text: str | None, properties: Json) -> JsonObject | None:
    """The content that text, properties or both make; None for neither."""
    if text is None:
        if properties is None:
            return None
        return {"format": "properties", "value": properties}
    if properties is None:
        return {"format": "text", "value": text}
    return {"format": "text_and_properties", "value": {"text": text, "properties": properties}}


def properties_of(said: Properties, slot: str | None = None) -> Json:
    """`--properties` with each `--property` and `--slot` put into it; None where none is given."""
    given: Json = None
    if said.properties is not None:
        given = _parsed(said.properties)
    pairs = [_pair(one) for one in said.prop]
    if slot is not None:
        pairs.append(("slot", slot))
    if not pairs:
        return given
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise invalid(
            "--properties must be an object where --property or --slot is given, too",
            field="--properties",
        )
    for name, value in pairs:
        if name in given:
            raise invalid(
                f"the property {name!r} is given twice: once is enough", field="--property"
            )
        given[name] = value
    return given


def _parsed(text: str) -> Json:
    try:
        return parse_json(text.encode("utf-8", "surrogatepass"))
    except MemorandaError as error:
        message = error.message.replace("the body", "--properties")
        raise invalid(message, field="--properties", reason=error.reason) from None


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise invalid(
            "--property must be NAME=TEXT; for other values use --properties", field="--property"
        )
    return name, value


def sources_of(sources: Sequence[str]) -> list[JsonObject]:
    """Provenance references; what follows the first # of a source is the locator."""
    split = [source.partition("#") for source in sources]
    return [{"source_id": source, "locator": locator or None} for source, _, locator in split]


def dates_of(validity: Validity) -> JsonObject:
    """The three dates of a record."""
    return {
        "valid_from": validity.valid_from,
        "valid_until": validity.valid_until,
        "expires_at": validity.expires_at,
    }


def updatable(record_id: str) -> JsonObject:
    """The target of an update: ids say what they are ids of."""
    kind = "relationship" if record_id.startswith(RELATIONSHIP) else "memory"
    return {"kind": kind, "id": record_id}


def traceable(target: str, kind: str | None) -> JsonObject:
    """The target of a trace; what is no id is an idempotency key or a correlation id."""
    if kind is None:
        prefixes = {"mem_": "memory", RELATIONSHIP: "relationship", RECALL: "recall"}
        found = (kind for prefix, kind in prefixes.items() if target.startswith(prefix))
        kind = next(found, "mutation")
    return {"kind": kind, "id": target}
