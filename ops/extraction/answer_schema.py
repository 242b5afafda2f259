"""The schema that a model's answer is held to, in the part of JSON Schema that endpoints take.

Structured output in strict mode wants every key required, no other ones, and no keywords that it
does not know (OpenAI, Structured Outputs, supported schemas). What is optional is null then, as
`domain.bundles.field_types` reads it. The answer is checked by the one strict schema all the same.
"""

from __future__ import annotations

from typing import Final

from domain.bundles.window_body import ProposalBody
from domain.canonical import Json, JsonObject

_KEPT: Final = ("type", "enum", "items", "properties")


def response_format() -> JsonObject:
    """`response_format` of a request: `{proposals: [proposal]}`."""
    whole = ProposalBody.model_json_schema()
    proposal = _strict(whole, whole.get("$defs", {}))
    schema = _object({"proposals": {"type": "array", "items": proposal}})
    return {
        "type": "json_schema",
        "json_schema": {"name": "proposals", "strict": True, "schema": schema},
    }


def _object(properties: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _strict(node: JsonObject, named: JsonObject) -> JsonObject:
    """The same schema without references, defaults and titles."""
    if "$ref" in node:
        return _strict(named[node["$ref"].rpartition("/")[2]], named)
    if "anyOf" in node:
        return {"anyOf": [_strict(one, named) for one in node["anyOf"]]}
    if "properties" in node:
        return _object({name: _strict(one, named) for name, one in node["properties"].items()})
    return {name: _inner(name, node[name], named) for name in _KEPT if name in node}


def _inner(name: str, value: Json, named: JsonObject) -> Json:
    return _strict(value, named) if name == "items" else value
