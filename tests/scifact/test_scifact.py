from __future__ import annotations

import gzip
import json

import pytest

from domain.claims.independence import origins_of
from ops.importer import import_lines_into
from ops.wiring import open_memoranda
from read_api.list_filters import MemoryFilters, RelationshipFilters
from tests.benchmarks.common import context
from tests.scifact.conversion import (
    ABSTRACTS,
    CLAIMS,
    Abstract,
    Claim,
    Collection,
    Mark,
    import_lines,
    mixed,
    read,
)
from tests.scifact.counting import EXPECTED, as_expected, counts, table
from tests.scifact.judging import POLICIES, claim_ids, judge, totals_table
from tests.scifact.run import DATA, MIXED, main
from tests.scifact.telling import chosen, told

_TEA = Abstract(7, "Tea", ("Tea was given.", "Tea helped.", "It was cheap."))
_RATS = Abstract(11, "Rats", ("Rats were asked.", "Nothing helped rats."))
_MILK = Abstract(12, "Milk", ("Milk is white.",))
_ROWS = [
    {
        "id": 1,
        "claim": "Tea helps.",
        "evidence": {
            "7": [
                {"sentences": [1], "label": "SUPPORT"},
                {"sentences": [0, 1], "label": "SUPPORT"},
            ],
            "11": [{"sentences": [1], "label": "CONTRADICT"}],
        },
        "cited_doc_ids": [7, 11],
    },
    {"id": 3, "claim": "Milk helps.", "evidence": {}, "cited_doc_ids": [12]},
]


@pytest.fixture
def folder(tmp_path):
    with gzip.open(tmp_path / ABSTRACTS, "wt", encoding="utf-8") as file:
        for one in (_TEA, _RATS, _MILK):
            row = {"doc_id": one.number, "title": one.title, "abstract": one.sentences}
            file.write(json.dumps(row) + "\n")
    (tmp_path / CLAIMS).write_text("".join(json.dumps(row) + "\n" for row in _ROWS))
    return tmp_path


@pytest.fixture
def handful(folder):
    return read(folder)


@pytest.fixture(scope="module")
def whole():
    found = read(DATA / "scifact")
    if found is None:
        pytest.skip(f"SciFact is not in {DATA}: its counts are NOT CHECKED")
    return found


def test_a_claim_is_read_with_each_sentence_that_was_marked_for_it(handful):
    assert handful.claims[0] == Claim(
        "1",
        "Tea helps.",
        (7, 11),
        (
            Mark(7, 1, "SUPPORT", 0),
            Mark(7, 0, "SUPPORT", 1),
            Mark(7, 1, "SUPPORT", 1),
            Mark(11, 1, "CONTRADICT", 0),
        ),
    )
    assert handful.abstracts[11] == _RATS


def test_a_sentence_in_two_sets_of_evidence_is_one_edge_that_names_both(handful):
    lines = list(import_lines(handful.claims, handful.abstracts))

    edges = [line["input"] for line in lines if line["input"]["kind"] == "supports"]
    rationales = {
        edge["source_id"]["identity_key"]: edge["properties"]["rationales"] for edge in edges
    }
    assert rationales == {"scifact:7#sentence-0": [1], "scifact:7#sentence-1": [0, 1]}


def test_sentences_of_one_abstract_are_of_one_origin_and_of_two_abstracts_of_two(handful):
    lines = list(import_lines(handful.claims, handful.abstracts))

    origins = {
        line["input"]["identity_key"]: origins_of(said["source_id"], said["locator"])[0]
        for line in lines
        if line["input"]["kind"] == "observation"
        for said in line["input"]["provenance"]
    }
    assert origins["scifact:7#sentence-0"] == origins["scifact:7#sentence-1"]
    assert origins["scifact:7#sentence-0"].isdisjoint(origins["scifact:11#sentence-1"])


def test_the_lines_are_imported_without_a_refusal_and_a_second_time_replayed(handful, tmp_path):
    lines = list(import_lines(handful.claims, handful.abstracts))
    memoranda = open_memoranda(tmp_path / "data")
    try:
        first, second = (
            import_lines_into(memoranda, lines, name="handful", workspace="bench", actor="one")
            for _ in range(2)
        )
        memoranda.read.wait("bench", memoranda.log.head())
        claims = memoranda.read.memories(context(), MemoryFilters(kind="claim"))["items"]
        edges = memoranda.read.relationships(context(), RelationshipFilters())["items"]
    finally:
        memoranda.close()

    assert (first.accepted, first.refused, first.replayed) == (len(lines), 0, 0)
    assert (second.accepted, second.refused, second.replayed) == (len(lines), 0, len(lines))
    assert len(claims) == 2
    assert sorted(edge["kind"] for edge in edges) == [
        "contradicts",
        *["derived_from"] * 3,
        *["supports"] * 2,
    ]


def test_claims_are_assessed_as_they_are_evidenced_and_told_with_their_sentences(handful, tmp_path):
    one = Claim("2", "Tea was given.", (7,), (Mark(7, 0, "SUPPORT", 0),))
    claims = [*handful.claims, one]
    memoranda = open_memoranda(tmp_path / "data")
    try:
        lines = import_lines(claims, handful.abstracts)
        import_lines_into(memoranda, lines, name="handful", workspace="bench", actor="one")
        found = judge(memoranda, context(), claims)
        ids = claim_ids(memoranda, context())
        outcomes = {policy: found.outcomes[claims[0].key, policy] for policy in POLICIES}
        said = "\n".join(told(memoranda, context(), ids[claims[0].key], outcomes))
    finally:
        memoranda.close()

    first = {claim.name: found.outcomes[claim.key, POLICIES[0]] for claim in claims}
    assert first == {
        "1": ("contested", ("contradiction",)),
        "3": ("candidate", ("no_support",)),
        "2": ("validated", ()),
    }
    assert found.totals([one], POLICIES[1]) == {
        ("candidate", ("insufficient_independent_support",)): 1
    }
    assert "“Tea helps.”" in said
    assert "for: Tea was given. (Tea)" in said
    assert "against: Nothing helped rats. (Rats)" in said
    assert f"{POLICIES[0]}: contested, since contradiction" in said
    assert [claim.name for claim in chosen(claims, found, 2)] == ["1", "3"]


def test_totals_that_are_not_the_expected_ones_are_told():
    rows = list(totals_table({("validated", ()): 2}, {("validated", ()): 2, ("rejected", ()): 1}))

    assert [row.endswith("DIFFERS") for row in rows] == [True, False]


def test_counts_are_those_of_documents_as_well_as_of_sentences(handful):
    counted = counts(import_lines(handful.claims, handful.abstracts))

    assert counted == {
        "claims": 2,
        "claim–document edges": 2,
        "… that support": 1,
        "… that contradict": 1,
        "claim–sentence edges": 3,
        "… sentences that support": 2,
        "… sentences that contradict": 1,
        "claims that are only supported": 0,
        "claims that are only contradicted": 0,
        "claims that are both": 1,
        "claims without evidence": 1,
        "claims that two or more abstracts support": 0,
        "observations": 3,
        "abstracts": 3,
        "derivations": 3,
    }
    assert not as_expected(counted)
    assert sum("DIFFERS" in row for row in table(counted)) == len(EXPECTED)


def test_a_mixed_claim_is_supported_by_one_abstract_and_contradicted_by_another_one(handful):
    made = mixed(handful, 3)

    assert made == mixed(handful, 3)
    for claim in made:
        supports, contradicts = claim.marks
        assert (supports.label, contradicts.label) == ("SUPPORT", "CONTRADICT")
        assert supports.document != contradicts.document
        assert claim.text == handful.abstracts[supports.document].sentences[supports.sentence]


def test_a_folder_without_the_files_is_said_and_nothing_is_loaded(tmp_path, capsys):
    assert main(["--data", str(tmp_path)]) == 2
    assert "SKIPPED, NOT LOADED" in capsys.readouterr().out


def test_the_whole_of_scifact_makes_the_edges_that_were_expected(whole):
    counted = counts(import_lines(whole.claims, whole.abstracts))

    assert {name: counted[name] for name in EXPECTED} == EXPECTED
    assert counted["claims that are both"] == 0


def test_each_claim_has_a_slot_and_a_key_of_its_own(whole):
    claims = [*whole.claims, *mixed(whole, MIXED)]
    said = [line["input"] for line in import_lines(claims, whole.abstracts)]
    stated = [one for one in said if one["kind"] == "claim"]
    properties = [one["content"]["value"]["properties"] for one in stated]

    assert len({(one["subject"], one["predicate"]) for one in properties}) == len(claims)
    assert len({one["identity_key"] for one in said}) == len(said)


def test_mixed_claims_add_neither_abstracts_nor_observations(whole):
    claims = Collection([*whole.claims, *mixed(whole, MIXED)], whole.abstracts)
    alone, together = (counts(import_lines(one.claims, one.abstracts)) for one in (whole, claims))

    assert together["claims that are both"] == MIXED
    assert (together["abstracts"], together["observations"]) == (
        alone["abstracts"],
        alone["observations"],
    )
