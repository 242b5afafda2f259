"""SciFact, told as memory operations.

SciFact (Wadden et al., 2020, claims CC BY 4.0, abstracts ODC-By 1.0): experts' claims, and the
sentences of abstracts that support or contradict them. An abstract that a claim cites is a
`source`, a sentence that is evidence an `observation` that is `derived_from` its abstract, a claim
a `claim`, and each sentence that was marked for a claim `supports` or `contradicts` it. What was
found for a claim and one document is thus counted from its sentences, as SciFact has them.

A claim is its own subject, so that it has a slot of its own: two claims about one gene are no
rivals. An edge has no provenance: that one team has marked all of them would make one origin of
all abstracts.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from domain.canonical import JsonObject

CLAIMS: Final = "claims_train.jsonl"
ABSTRACTS: Final = "corpus.jsonl.gz"
EDGES: Final = {"SUPPORT": "supports", "CONTRADICT": "contradicts"}


class Abstract(NamedTuple):
    """A document: its number, title, and sentences."""

    number: int
    title: str
    sentences: tuple[str, ...]

    @property
    def key(self) -> str:
        """Its source id, and the identity key of its memory."""
        return f"scifact:{self.number}"


class Mark(NamedTuple):
    """A sentence of an abstract that supports or contradicts a claim.

    `rationale` counts the sets of sentences that were marked together for one document.
    """

    document: int
    sentence: int
    label: str
    rationale: int

    @property
    def key(self) -> str:
        """The locator of the sentence, and the identity key of its memory."""
        return f"scifact:{self.document}#sentence-{self.sentence}"


class Claim(NamedTuple):
    """A claim, by its number or name in SciFact, the documents that it cites, and its evidence."""

    name: str
    text: str
    cited: tuple[int, ...]
    marks: tuple[Mark, ...]

    @property
    def key(self) -> str:
        """The identity key of its memory."""
        return f"scifact:claim-{self.name}"

    @property
    def documents(self) -> set[int]:
        """All that it cites, or that speaks about it."""
        return {*self.cited, *(mark.document for mark in self.marks)}


class Collection(NamedTuple):
    """Claims, and all abstracts by number."""

    claims: list[Claim]
    abstracts: dict[int, Abstract]


def read(folder: Path) -> Collection | None:
    """What the two files of SciFact hold; None where they are not there."""
    claims, abstracts = folder / CLAIMS, folder / ABSTRACTS
    if not (claims.exists() and abstracts.exists()):
        return None
    with gzip.open(abstracts, "rt", encoding="utf-8") as rows:
        documents = [_abstract(json.loads(row)) for row in rows]
    with claims.open(encoding="utf-8") as rows:
        stated = [_claim(json.loads(row)) for row in rows]
    return Collection(stated, {document.number: document for document in documents})


def mixed(collection: Collection, count: int) -> list[Claim]:
    """Claims that one abstract supports and another one contradicts; SciFact has none.

    Each says what the first marked sentence of an abstract says, which therefore supports it; the
    first marked sentence of the abstract half way round is set against it. Real texts, and made-up
    disagreement: what is looked at is what becomes of it. The same claims in each run.
    """
    first: dict[int, Mark] = {}
    for claim in collection.claims:
        for mark in claim.marks:
            first[mark.document] = min(first.get(mark.document, mark), mark)
    documents = sorted(first)
    half = len(documents) // 2
    made = []
    for at in range(count):
        one, other = documents[at % len(documents)], documents[(at + half) % len(documents)]
        text = collection.abstracts[one].sentences[first[one].sentence]
        marks = (
            first[one]._replace(label="SUPPORT", rationale=0),
            first[other]._replace(label="CONTRADICT", rationale=0),
        )
        made.append(Claim(f"mixed-{at + 1}", text, (one, other), marks))
    return made


def import_lines(
    claims: Iterable[Claim], abstracts: dict[int, Abstract]
) -> Iterator[dict[str, object]]:
    """The lines for `memoranda import`: abstracts, observations, claims, then what joins them.

    Idempotency keys are made of the names in SciFact, so a second import replays.
    """
    stated = list(claims)
    numbers = sorted({number for claim in stated for number in claim.documents})
    marked = sorted({(mark.document, mark.sentence) for claim in stated for mark in claim.marks})
    yield from (_source(abstracts[number]) for number in numbers)
    yield from (_observation(abstracts[number], at) for number, at in marked)
    yield from map(_stated, stated)
    for number, at in marked:
        key = Mark(number, at, "", 0).key
        yield _relation(abstracts[number].key, "derived_from", key, abstracts[number].key, {})
    for claim in stated:
        for (key, label), rationales in _judgements(claim).items():
            said = {"rationales": rationales}
            yield _relation(f"claim {claim.name}", EDGES[label], key, claim.key, said)


def _judgements(claim: Claim) -> dict[tuple[str, str], list[int]]:
    """Which sentences speak how about a claim, and in which of its sets: an edge each."""
    found: dict[tuple[str, str], list[int]] = {}
    for mark in claim.marks:
        found.setdefault((mark.key, mark.label), []).append(mark.rationale)
    return found


def _abstract(row: Any) -> Abstract:
    return Abstract(row["doc_id"], row["title"], tuple(row["abstract"]))


def _claim(row: Any) -> Claim:
    marks = tuple(
        Mark(int(document), sentence, rationale["label"], at)
        for document, rationales in row["evidence"].items()
        for at, rationale in enumerate(rationales)
        for sentence in rationale["sentences"]
    )
    return Claim(str(row["id"]), row["claim"], tuple(row["cited_doc_ids"]), marks)


def _source(abstract: Abstract) -> dict[str, object]:
    value = {
        "text": " ".join(abstract.sentences),
        "properties": {"title": abstract.title, "sentences": len(abstract.sentences)},
    }
    cited = [{"source_id": abstract.key}]
    return _remember(abstract.key, abstract.key, "source", value, cited)


def _observation(abstract: Abstract, at: int) -> dict[str, object]:
    key = Mark(abstract.number, at, "", 0).key
    value = {"text": abstract.sentences[at], "properties": {"title": abstract.title}}
    cited = [{"source_id": abstract.key, "locator": key}]
    return _remember(abstract.key, key, "observation", value, cited)


def _stated(claim: Claim) -> dict[str, object]:
    properties = {
        "subject": f"SciFact claim {claim.name}",
        "predicate": "states",
        "object": claim.text,
        "epistemic_status": "candidate",
    }
    value = {"text": claim.text, "properties": properties}
    cited = [{"source_id": f"scifact:{number}"} for number in claim.cited]
    return _remember(f"claim {claim.name}", claim.key, "claim", value, cited)


def _remember(
    session: str, key: str, kind: str, value: JsonObject, provenance: list[JsonObject]
) -> dict[str, object]:
    said = {
        "identity_key": key,
        "kind": kind,
        "schema_version": "1",
        "content": {"format": "text_and_properties", "value": value},
        "provenance": provenance,
        "tags": ["scifact"],
    }
    return _line(session, f"remember {key}", "remember", said)


def _relation(
    session: str, kind: str, source: str, target: str, properties: JsonObject
) -> dict[str, object]:
    key = f"{kind} {source} {target}"
    said = {
        "identity_key": key,
        "source_id": {"identity_key": source},
        "target_id": {"identity_key": target},
        "kind": kind,
        "properties": properties,
        "provenance": [],
        "lifecycle": "active",
    }
    return _line(session, f"relate {key}", "relate", said)


def _line(session: str, key: str, operation: str, said: JsonObject) -> dict[str, object]:
    return {
        "context": {"session": session},
        "contract_version": "v1",
        "idempotency_key": key,
        "operation": operation,
        "input": said,
    }
