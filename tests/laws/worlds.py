"""A world of few names in which random agents collide: commands by choice numbers.

The same steps give the same envelopes whatever else happens in the store: names are picked among
those that the group itself has seen, so that two transcripts can be compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from hypothesis import Phase, settings
from hypothesis import strategies as st

from domain.canonical import JsonObject
from domain.context import Context
from domain.errors import MemorandaError
from ops.wiring import Memoranda
from tests.circumstances import context
from tests.inputs import envelope
from tests.laws.choices import ABSENT, MAKE, Step

VERBS: Final = (
    "remember", "remember", "remember", "update", "update", "relate", "revise", "forget",
    "propose", "apply", "recall", "trace", "again",
)  # fmt: skip
MUTATIONS: Final = tuple(verb for verb in VERBS if verb not in ("recall", "trace"))


def law(examples: int) -> settings:
    """Whole stores are slow to shrink in: a failure is told as it was found, with its blob."""
    return settings(max_examples=examples, phases=(Phase.explicit, Phase.reuse, Phase.generate))


def steps(
    verbs: Sequence[str] = VERBS, *, actors: int = 2, size: int = 15
) -> st.SearchStrategy[list[Step]]:
    numbers = st.integers(0, 23)
    one = st.builds(
        Step, st.integers(0, actors - 1), st.sampled_from(verbs), numbers, numbers, numbers
    )
    return st.lists(one, max_size=size)


def random_steps(seed: int, count: int, verbs: Sequence[str] = VERBS) -> list[Step]:
    dice = Random(seed)
    return [
        Step(dice.randrange(2), dice.choice(verbs), *(dice.randrange(24) for _ in range(3)))
        for _ in range(count)
    ]


@dataclass(frozen=True)
class Asked:
    """What was sent, by whom, and what came back: a body, or the error as it is told."""

    context: Context
    envelope: JsonObject
    answer: JsonObject

    @property
    def result(self) -> JsonObject | None:
        return self.answer.get("result", {}).get("result")

    @property
    def mutated(self) -> bool:
        """Whether it was recorded under its key."""
        return bool((self.result or {}).get("receipt"))


def caught_up(memoranda: Memoranda) -> Memoranda:
    """The same, once its read models have seen all of its log."""
    head = memoranda.log.head()
    assert memoranda.runner.wait_for("", head, 30.0) >= head
    return memoranda


def ask(memoranda: Memoranda, who: Context, body: JsonObject) -> JsonObject:
    try:
        return memoranda.execute(who, body)
    except MemorandaError as refusal:
        return {"error": refusal.as_wire()}


@dataclass
class Group:
    """Two actors of one workspace who share what they have seen."""

    memoranda: Memoranda
    workspace: str
    actors: tuple[str, str] = ("ana", "bea")
    visibility: str | None = None
    """Of what they remember; None lets the steps choose."""
    prefix: str = "g"
    session: str | None = None
    """In which all of it is done; None lets the steps choose."""
    known: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    asked: list[Asked] = field(default_factory=list)

    def play(self, sequence: Sequence[Step]) -> Group:
        for step in sequence:
            self.do(step)
        return self

    def do(self, step: Step) -> Asked:
        """Make the step's envelope of what is known now, send it, and remember what came back."""
        who = self.who(step)
        body = self.body(step)
        if step.verb == "again" and self.asked:
            earlier = self.asked[step.a % len(self.asked)]
            who, body = earlier.context, earlier.envelope
        asked = Asked(who, body, ask(self.memoranda, who, body))
        self.learn(asked)
        return asked

    def who(self, step: Step) -> Context:
        return context(
            workspace=self.workspace,
            actor=self.actors[step.actor],
            session=self.session or f"s{step.b % 2}",
            request_id=f"req-{self.prefix}-{len(self.asked)}",
        )

    def learn(self, asked: Asked) -> None:
        self.asked.append(asked)
        result = asked.result or {}
        for kind, found in (
            ("memory", result.get("record", {}).get("id")),
            ("edge", result.get("relationship", {}).get("id")),
            ("recall", result.get("recall_id")),
        ):
            if found is not None and found not in self.known[kind]:
                self.known[kind].append(found)
        if "proposal_id" in result and not result["applied"]:
            self.known["proposal"].append(result["proposal_id"])
            self.known["proposed"].append(str(len(self.asked) - 1))

    def body(self, step: Step) -> JsonObject:
        operation, said = MAKE[step.verb](self, step)
        key = {"idempotency_key": f"{self.prefix}-{len(self.asked)}"}
        made: JsonObject = envelope(operation, envelope_changes=key, **said)
        return made

    def pick(self, kind: str, number: int) -> str:
        there = self.known[kind]
        return there[number % len(there)] if there else ABSENT


def every_trace(group: Group) -> list[tuple[str, str]]:
    """Everything of the group that can be traced, as (kind, id)."""
    keys = [asked.envelope["idempotency_key"] for asked in group.asked if asked.mutated]
    requests = [asked.context.request_id for asked in group.asked if asked.mutated]
    kinds: dict[str, list[Any]] = {
        "memory": group.known["memory"],
        "relationship": group.known["edge"],
        "recall": group.known["recall"],
        "mutation": keys + requests,
    }
    return [(kind, found) for kind, names in kinds.items() for found in dict.fromkeys(names)]
