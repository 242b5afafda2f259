"""The report of an evaluation: every case of a file, played on the pure resolver.

The report is a function of the file and of this program, so that whoever has both can make the
same bytes again: no time, no host (spec/policy.md §2.11). Words are ranked by `cosine/1` (§2.13).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.metadata import version
from typing import Any, Final

from domain.canonical import Json, JsonObject, canonical, check_json
from domain.errors import MemorandaError
from domain.instants import optional_instant, parse_instant
from domain.resolver.eligibility import erasures
from domain.resolver.events import PolicyEvent, Statement
from domain.resolver.knowledge import known
from domain.resolver.resolve import Question, Words, resolve
from domain.resolver.spelling import read_event
from domain.resolver.validation import admit
from domain.slots import slot_ref
from ops.scenarios import Scenarios
from projections.lexical.cosine import Cosine

_SECRET: Final = bytes(32)
"""References of slots are compared within a case, and are in no report."""
_EXCLUDED: Final = ("id", "reason", "by")
_CONFLICT: Final = ("winner", "losers", "decided_by")


def ref(key: str) -> str:
    """What stands for a key in structure."""
    return slot_ref(_SECRET, key)


def events_of(said: list[JsonObject], at: str = "events") -> list[PolicyEvent]:
    """The events of a case, each at its place in the array, which is that of arrival.

    Raises what `read_event` raises, with the place of the event: `events.3.recorded_at`.
    """
    found: list[PolicyEvent] = []
    for number, one in enumerate(said):
        try:
            found.append(read(one, number + 1))
        except MemorandaError as refusal:
            place = ".".join(filter(None, (at, str(number), refusal.field)))
            raise MemorandaError(
                refusal.code, f"{at}.{number}: {refusal}", field=place, reason=refusal.reason
            ) from None
    return found


def read(said: JsonObject, position: int) -> PolicyEvent:
    """One event; refused like any request where it holds what no JSON text should."""
    event = read_event(said, position, ref)
    check_json(said)
    return event


def question_of(query: Mapping[str, Any], policy: str) -> Question:
    """The query of a case."""
    text = query.get("text")
    asked = ref(query["key"]) if text is None else Words(text, Cosine())
    return Question(
        session=query["session"],
        asked=asked,
        as_of_us=parse_instant(query["as_of"], "as_of"),
        policy=policy,
        as_known_us=optional_instant(query.get("as_known_at"), "as_known_at"),
        as_known_position=query.get("as_known_position"),
        limit=query.get("limit"),
    )


def answered(case: Mapping[str, Any], policy: str) -> JsonObject:
    """The answer of the resolver to a case; raises what `events_of` raises."""
    return resolve(events_of(case["events"]), question_of(case["query"], policy)).as_wire()


def refused(case: Mapping[str, Any]) -> str | None:
    """The reason for which the event of a validation case is refused; None where it is taken."""
    history = events_of(case["history"], "history")
    try:
        admit(history, read(case["event"], len(history) + 1))
    except MemorandaError as refusal:
        return refusal.reason or refusal.code
    return None


def differences(case: Mapping[str, Any], answer: JsonObject) -> list[str]:
    """What of an answer is not as the case expects; empty where all is.

    `selected` is an order. What is excluded and who disagrees are sets: of each that is counted
    which the case says.
    """
    expected = case["expected"]
    found = [] if answer["selected"] == expected["selected"] else ["selected"]
    for name, members in (("excluded", _EXCLUDED), ("conflicts", _CONFLICT)):
        if name in expected and _bag(answer[name], members) != _bag(expected[name], members):
            found.append(name)
    return found + [f"must_not_contain.{at}" for at in _leaks(case, answer)]


def _bag(said: list[JsonObject], members: tuple[str, ...]) -> Counter[bytes]:
    """Entries by what counts of them, whatever their order; losers are a set, too."""
    return Counter(
        canonical(
            {
                name: sorted(one[name], key=canonical) if isinstance(one[name], list) else one[name]
                for name in members
                if one.get(name) is not None
            }
        )
        for one in said
    )


def _leaks(case: Mapping[str, Any], told: Json) -> list[int]:
    """Which of the strings that must not be told are in one of the texts."""
    words = set(_strings(told))
    forbidden = enumerate(case.get("must_not_contain", ()))
    return [at for at, one in forbidden if any(one in word for word in words)]


def _strings(value: Json) -> Iterator[str]:
    """Every text in an answer, names of members apart; scores and times are no texts of ours."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def report(scenarios: Scenarios) -> JsonObject:
    """`{implementation, policy, cases_sha256, results, totals}`; an entry of results a case."""
    results = [_played(case, scenarios.policy) for case in scenarios.cases]
    results += [_judged(case) for case in scenarios.refusals]
    passed = sum(one["passed"] for one in results)
    return {
        "implementation": {
            "name": "memoranda",
            "version": version("memoranda"),
            "ranker": Cosine().name,
        },
        "policy": scenarios.policy,
        "cases_sha256": scenarios.sha256,
        "results": results,
        "totals": {"cases": len(results), "passed": passed, "failed": len(results) - passed},
    }


def _played(case: JsonObject, policy: str) -> JsonObject:
    """The answer in ids and reasons; what it quotes is in no report."""
    try:
        events = events_of(case["events"])
    except MemorandaError as refusal:
        return _result(case, ["events"], refused=refusal.reason, field=refusal.field)
    question = question_of(case["query"], policy)
    answer = resolve(events, question).as_wire()
    wrong = differences(case, answer)
    left = _without_erased(events, question.session)
    if resolve(left, question).as_wire() != answer:
        wrong.append("sanitized")
    wrong += [f"sanitized.must_not_contain.{at}" for at in _leaks(case, _texts_of(left))]
    told = {name: answer[name] for name in ("selected", "excluded", "conflicts")}
    return _result(case, wrong, **told)


def _judged(case: JsonObject) -> JsonObject:
    try:
        reason = refused(case)
    except MemorandaError as refusal:
        return _result(case, ["history"], refused=refusal.reason, field=refusal.field)
    wrong = [] if reason == case["expected_error"] else ["expected_error"]
    return _result(case, wrong, refused=reason)


def _result(case: JsonObject, wrong: list[str], **told: Json) -> JsonObject:
    return {"id": case["id"], "passed": not wrong, "differences": wrong, **told}


def _without_erased(events: list[PolicyEvent], session: str) -> list[PolicyEvent]:
    """What a sanitized export of the session holds: an erased statement is its structure."""
    gone = erasures(known(events, session))
    return [
        replace(one, payload=None) if isinstance(one, Statement) and one.id in gone else one
        for one in events
        if one.session == session
    ]


def _texts_of(events: list[PolicyEvent]) -> list[Json]:
    """The texts that are left in events."""
    payloads = (one.payload for one in events if isinstance(one, Statement))
    return [[one.key, one.value, one.source] for one in payloads if one is not None]
