"""The schemas of the OpenAPI document, from the models that read requests and shape answers."""

from __future__ import annotations

from typing import Any, Final

from pydantic.json_schema import models_json_schema

from domain.canonical import DEPTH_MAX
from domain.contract import INPUTS
from domain.limits import BATCH_MAX, KEY_BYTES_MAX
from domain.requests import CONTRACT_VERSION
from ops.http.bundle_models import BUNDLE_MODELS
from ops.http.claim_models import CLAIM_MODELS
from ops.http.evidence_models import EVIDENCE_MODELS
from ops.http.models import RESULTS, ErrorBody, Problem
from ops.http.operator_models import OPERATOR_MODELS
from ops.http.policy_models import POLICY_MODELS
from ops.http.proposal_models import PROPOSAL_MODELS
from ops.http.read_models import READ_MODELS
from ops.http.slot_models import SLOT_MODELS
from ops.http.window_models import WINDOW_MODELS

Schema = dict[str, Any]
_REF: Final = "#/components/schemas/{model}"


def components() -> dict[str, Schema]:
    """Every schema by name."""
    models = [
        *INPUTS.values(),
        *RESULTS.values(),
        ErrorBody,
        Problem,
        *READ_MODELS,
        *SLOT_MODELS,
        *CLAIM_MODELS,
        *EVIDENCE_MODELS,
        *PROPOSAL_MODELS,
        *BUNDLE_MODELS,
        *OPERATOR_MODELS,
        *POLICY_MODELS,
        *WINDOW_MODELS,
    ]
    distinct = dict.fromkeys(models)
    _, document = models_json_schema(
        [(model, "validation") for model in distinct], ref_template=_REF
    )
    schemas: dict[str, Schema] = document["$defs"]
    for operation, model in INPUTS.items():
        schemas[_operation(operation)] = _envelope(operation, model.__name__)
    for tag, result in RESULTS.items():
        schemas[_result(tag)] = _tagged(tag, result.__name__)
    schemas["Operation"] = _one_of("operation", {name: _operation(name) for name in INPUTS})
    schemas["OperationAnswer"] = _object(
        {
            "contract_version": {"const": CONTRACT_VERSION},
            "result": _one_of("operation", {tag: _result(tag) for tag in RESULTS}),
        }
    )
    schemas["Batch"] = _batch()
    schemas["BatchAnswer"] = _batch_answer()
    return dict(sorted(schemas.items()))


def _operation(name: str) -> str:
    return f"{name.capitalize()}Operation"


def _result(tag: str) -> str:
    return "".join(part.capitalize() for part in tag.split("_")) + "Answer"


def _ref(name: str) -> Schema:
    return {"$ref": _REF.format(model=name)}


def _object(properties: dict[str, Schema], optional: tuple[str, ...] = ()) -> Schema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required}


def _closed(properties: dict[str, Schema], optional: tuple[str, ...] = ()) -> Schema:
    return {**_object(properties, optional), "additionalProperties": False}


def _one_of(property_name: str, names: dict[str, str]) -> Schema:
    mapping = {value: _ref(name)["$ref"] for value, name in names.items()}
    return {
        "oneOf": [_ref(name) for name in names.values()],
        "discriminator": {"propertyName": property_name, "mapping": mapping},
    }


def _envelope(operation: str, model: str) -> Schema:
    key = {
        "type": ["string", "null"],
        "description": f"1 to {KEY_BYTES_MAX} bytes of UTF-8, not blank. Mutations need one; "
        "the same key with the same request gives the stored answer again.",
    }
    properties: dict[str, Schema] = {
        "contract_version": {"const": CONTRACT_VERSION},
        "idempotency_key": key,
        "operation": {"const": operation},
        "input": _ref(model),
    }
    said = f"JSON without duplicate keys, nested at most {DEPTH_MAX} levels."
    return {**_closed(properties, ("idempotency_key",)), "description": said}


def _tagged(tag: str, result: str) -> Schema:
    return _object({"operation": {"const": tag}, "result": _ref(result)})


def _batch() -> Schema:
    items = {
        "type": "array",
        "items": _ref("Operation"),
        "minItems": 1,
        "maxItems": BATCH_MAX,
        "description": "Mutations; recall and trace are asked alone.",
    }
    atomic = {"type": "boolean", "default": False, "description": "All of them, or none."}
    return _closed({"items": items, "atomic": atomic}, ("atomic",))


def _batch_answer() -> Schema:
    refusal = _object({"ok": {"const": False}, "error": _ref("ErrorDetail")})
    verdicts = {
        "type": "array",
        "items": {"anyOf": [_ref("OperationAnswer"), refusal]},
        "description": "One for each item, in order.",
    }
    return _object({"contract_version": {"const": CONTRACT_VERSION}, "items": verdicts})
