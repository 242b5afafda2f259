"""Files of executable cases of the temporal policy, `policy-scenarios/v1` (spec/policy.md §2).

A file holds `meta` (`format`, `policy`, newest-recorded/v1 without it), and `cases`,
`validation_cases` or both. A case has `id`, `events` in the order of arrival, `query` (`session`,
`as_of`, `key`, or `text` which goes before it, and if wanted `as_known_at`, `as_known_position` and
`limit`), `expected` (`selected`, and if wanted `excluded` and `conflicts`) and if wanted
`must_not_contain`; a validation case has `id`, `history`, `event` and `expected_error`, null where
the event is taken. What else a file says is for its readers, and ignored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from domain.canonical import Json, JsonObject, check_json, parse_unchecked
from domain.errors import MemorandaError, invalid
from domain.instants import parse_instant
from domain.resolver.policies import NEWEST_RECORDED, policy_named

FORMAT: Final = "policy-scenarios/v1"
FILE_BYTES_MAX: Final = 32 * 1024 * 1024
_BOM: Final = b"\xef\xbb\xbf"

_Check: TypeAlias = Callable[[Json], bool]


@dataclass(frozen=True, slots=True)
class Scenarios:
    """What a file asks; `sha256` is of its bytes, in hex.

    Events are as the file has them: whether they can be read is what some of the cases ask.
    """

    policy: str
    cases: list[JsonObject]
    refusals: list[JsonObject]
    sha256: str


def scenarios_in(path: Path) -> Scenarios:
    """The cases of a file. Raises INVALID_REQUEST, which names the place in it and the remedy."""
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        said = error.strerror or type(error).__name__
        raise invalid(f"{path} cannot be read: {said}", field="SCENARIOS") from None
    if len(data) > FILE_BYTES_MAX:
        raise invalid(
            f"{path} is too large: at most {FILE_BYTES_MAX} bytes, split it", field="SCENARIOS"
        )
    return read_scenarios(data)


def read_scenarios(data: bytes) -> Scenarios:
    """The cases that a file's bytes hold; raises what `scenarios_in` raises."""
    try:
        said = parse_unchecked(data.removeprefix(_BOM))
    except MemorandaError as error:
        raise invalid(
            f"SCENARIOS: {error.message}", field="SCENARIOS", reason=error.reason
        ) from None
    whole = _object(said, "SCENARIOS")
    meta = _object(whole.get("meta"), "meta")
    if meta.get("format") != FORMAT:
        raise invalid(f"meta.format must be {FORMAT}: this reads no other", field="meta.format")
    cases = _array(whole.get("cases", []), "cases")
    refusals = _array(whole.get("validation_cases", []), "validation_cases")
    if not cases and not refusals:
        raise invalid("cases and validation_cases are empty: name a case", field="cases")
    return Scenarios(
        policy=_policy(meta),
        cases=[_case(one, f"cases.{at}") for at, one in enumerate(cases)],
        refusals=[_refusal(one, f"validation_cases.{at}") for at, one in enumerate(refusals)],
        sha256=hashlib.sha256(data).hexdigest(),
    )


def _policy(meta: JsonObject) -> str:
    name = _text(meta.get("policy", NEWEST_RECORDED), "meta.policy")
    try:
        policy_named(name)
    except MemorandaError as error:
        raise invalid(f"meta.{error.message}", field="meta.policy") from None
    return name


def _case(said: Json, at: str) -> JsonObject:
    case = _named(said, at)
    _objects(case.get("events"), f"{at}.events")
    _query(_object(case.get("query"), f"{at}.query"), f"{at}.query")
    expected = _object(case.get("expected"), f"{at}.expected")
    _clean(expected, f"{at}.expected")
    _texts(expected.get("selected"), f"{at}.expected.selected")
    for name in ("excluded", "conflicts"):
        _objects(expected.get(name, []), f"{at}.expected.{name}")
    _texts(case.get("must_not_contain", []), f"{at}.must_not_contain")
    return case


def _refusal(said: Json, at: str) -> JsonObject:
    case = _named(said, at)
    _objects(case.get("history"), f"{at}.history")
    _object(case.get("event"), f"{at}.event")
    if "expected_error" not in case:
        raise invalid(
            f"{at}.expected_error is missing: name a reason, or null for an event that is taken",
            field=f"{at}.expected_error",
        )
    if case["expected_error"] is not None:
        _text(case["expected_error"], f"{at}.expected_error")
    return case


def _query(query: JsonObject, at: str) -> None:
    _text(query.get("session"), f"{at}.session")
    named = [name for name in ("key", "text") if query.get(name) is not None]
    if not named:
        raise invalid(f"{at} must have a key or a text: name one", field=at)
    for name in named:
        _valid(isinstance(query[name], str), f"{at}.{name}", "a text")
        _clean(query[name], f"{at}.{name}")
    parse_instant(_text(query.get("as_of"), f"{at}.as_of"), f"{at}.as_of")
    if query.get("as_known_at") is not None:
        known = _text(query["as_known_at"], f"{at}.as_known_at")
        parse_instant(known, f"{at}.as_known_at")
    for name in ("as_known_position", "limit"):
        if query.get(name) is not None:
            _valid(_counts(query[name]), f"{at}.{name}", "an integer from 0 on")


def _counts(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _named(said: Json, at: str) -> JsonObject:
    case = _object(said, at)
    _text(case.get("id"), f"{at}.id")
    return case


def _object(value: Json, at: str) -> JsonObject:
    _valid(isinstance(value, dict), at, "an object")
    found: JsonObject = value
    return found


def _array(value: Json, at: str) -> list[Any]:
    _valid(isinstance(value, list), at, "an array")
    found: list[Any] = value
    return found


def _objects(value: Json, at: str) -> None:
    _each(_array(value, at), at, lambda one: isinstance(one, dict), "an object")


def _texts(value: Json, at: str) -> None:
    _each(_array(value, at), at, lambda one: isinstance(one, str), "a text")


def _each(values: Iterable[Json], at: str, check: _Check, what: str) -> None:
    for number, one in enumerate(values):
        _valid(check(one), f"{at}.{number}", what)


def _text(value: Json, at: str) -> str:
    _valid(isinstance(value, str) and value != "", at, "a text that is not empty")
    _clean(value, at)
    text: str = value
    return text


def _clean(value: Json, at: str) -> None:
    """Refuse what no report could quote."""
    try:
        check_json(value)
    except MemorandaError as error:
        raise invalid(f"{at}: {error.message}", field=at, reason=error.reason) from None


def _valid(good: bool, at: str, what: str) -> None:
    if not good:
        raise invalid(f"{at} must be {what}: give it", field=at)
