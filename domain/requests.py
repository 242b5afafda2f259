"""From parsed JSON to a checked request, in the order of spec/operations.md §1."""

from __future__ import annotations

import hmac
from typing import Final, NamedTuple

from pydantic import ValidationError

from domain import limits
from domain.canonical import Json, canonical, check_json
from domain.context import Context
from domain.contract import INPUTS, AnyInput, ApplyApproved, ConsolidateInput
from domain.errors import Code, MemorandaError, invalid

CONTRACT_VERSION: Final = "v1"
_MEMBERS: Final = frozenset({"contract_version", "idempotency_key", "operation", "input"})
_NAME_CHARACTERS_MAX: Final = 200
"""Of a name that the sender made up, as much as is told back."""
_TAGGED: Final = frozenset({"content", "mode"})


class Request(NamedTuple):
    """One operation whose shape is right; `check` decides whether its values are."""

    contract_version: str
    operation: str
    input: AnyInput
    idempotency_key: str | None

    @property
    def is_mutation(self) -> bool:
        """Whether it needs an idempotency key and gets a receipt."""
        if isinstance(self.input, ConsolidateInput):
            return isinstance(self.input.mode, ApplyApproved)
        return self.operation not in ("recall", "trace")

    def check(self, context: Context) -> None:
        """Permission, version, key, fields, missing key: the first fault wins."""
        context.require(self.input.PERMISSION)
        if self.contract_version != CONTRACT_VERSION:
            raise invalid(
                f"contract_version must be {CONTRACT_VERSION!r}", field="contract_version"
            )
        mutation = self.is_mutation
        if mutation:
            _check_key(self.idempotency_key)
        self.input.check()
        if mutation:
            needed_key(self.idempotency_key)

    def fingerprint(self, secret: bytes) -> str:
        """`fp1` of design.md §3: hex over operation and input, nulls and defaults left out."""
        said = [self.operation, self.input.model_dump(exclude_defaults=True)]
        return hmac.digest(secret, canonical(said), "sha256").hex()


def needed_key(key: str | None) -> str:
    """The key of a mutation, which must be there, not blank and not too long."""
    _check_key(key)
    if key is None:
        raise MemorandaError(
            Code.IDEMPOTENCY_KEY_REQUIRED,
            "a mutation needs an idempotency_key: send one that is new for a new command, "
            "and the same one to repeat it",
            field="idempotency_key",
        )
    return key


def _check_key(key: str | None) -> None:
    if key is not None and (not key.strip() or len(key.encode()) > limits.KEY_BYTES_MAX):
        raise invalid(
            f"idempotency_key must be 1 to {limits.KEY_BYTES_MAX} bytes of UTF-8 and not blank",
            field="idempotency_key",
        )


def parse_request(value: Json) -> Request:
    """Read an envelope; INVALID_REQUEST for a wrong shape, an unknown key, a wrong type."""
    check_json(value)
    if not isinstance(value, dict):
        raise invalid("the body must be a JSON object: the envelope of one operation")
    if not value.keys() <= _MEMBERS:
        name = min(value.keys() - _MEMBERS)[:_NAME_CHARACTERS_MAX]
        raise invalid(f"{name!r} is not part of the envelope: remove it", field=name)
    for name in ("contract_version", "operation"):
        if not isinstance(value.get(name), str):
            raise invalid(f"{name} is required, as a string", field=name)
    operation = value["operation"]
    model = INPUTS.get(operation)
    if model is None:
        raise invalid(f"operation must be one of {', '.join(INPUTS)}", field="operation")
    if "input" not in value:
        raise invalid("input is required", field="input")
    key = value.get("idempotency_key")
    if key is not None and not isinstance(key, str):
        raise invalid("idempotency_key must be a string", field="idempotency_key")
    try:
        parsed = model.model_validate(value["input"])
    except ValidationError as error:
        raise refusal(error) from None
    return Request(value["contract_version"], operation, parsed, key)


def refusal(error: ValidationError, *within: str) -> MemorandaError:
    """The first fault, in our words: pydantic's may quote content. `within` is where it stood."""
    first = error.errors(include_url=False, include_input=False)[0]
    field = _field((*within, *first["loc"]))[:_NAME_CHARACTERS_MAX]
    kind = first["type"]
    if kind == "extra_forbidden":
        said = "is not a field of the contract: remove it"
    elif kind in ("union_tag_invalid", "literal_error"):
        expected = first["ctx"].get("expected_tags") or first["ctx"].get("expected")
        said = f"must be one of {expected}"
    else:
        said = _SAID.get(kind) or first["msg"].replace("Input should be", "must be")
    return invalid(f"{field} {said}", field=field)


_SAID: Final = {
    "missing": "is required",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "dict_type": "must be an object",
    "list_type": "must be an array",
    "union_tag_not_found": "must say which kind it is: 'format' of a content, 'mode' of a mode",
}


def _field(location: tuple[int | str, ...]) -> str:
    """The dotted path of a field. After a tagged member pydantic names the variant: no field."""
    parts: list[str] = []
    skip = False
    for part in location:
        if not skip:
            parts.append(str(part))
        skip = not skip and part in _TAGGED and parts in (["content"], ["mode"], ["patch", part])
    return ".".join(parts) or "input"
