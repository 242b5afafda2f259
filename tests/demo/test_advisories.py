from __future__ import annotations

import gzip
import json
from collections import Counter
from datetime import datetime
from importlib.resources import files
from itertools import pairwise

import pytest

from domain.contract import INPUTS
from ops.advisories import SAMPLE, import_lines, load_sample
from tests.demo.advisory_histories import assert_lines_leave_what_rows_say


@pytest.fixture(scope="module")
def sample():
    return list(load_sample())


@pytest.fixture(scope="module")
def lines(sample):
    return list(import_lines(sample))


def test_the_sample_holds_at_least_600_revisions_in_commit_order(sample):
    instants = [datetime.fromisoformat(revision["recorded_at"]) for revision in sample]

    assert 600 <= len(sample) <= 750
    assert all(earlier <= later for earlier, later in pairwise(instants))


def test_every_history_of_the_sample_begins_with_its_creation(sample):
    last: dict[str, str] = {}

    for revision in sample:
        present = last.get(revision["path"], "remove") != "remove"
        assert present == (revision["action"] != "create")
        last[revision["path"]] = revision["action"]


def test_the_sample_is_small_and_names_its_authors_and_licence():
    folder = files("ops.samples")
    attribution = folder.joinpath("ATTRIBUTION.md").read_text(encoding="utf-8")

    assert len(folder.joinpath(SAMPLE).read_bytes()) < 400_000
    assert "https://github.com/pypa/advisory-database" in attribution
    assert "https://creativecommons.org/licenses/by/4.0/" in attribution


def test_the_numbers_of_the_attribution_are_those_of_the_sample(sample):
    attribution = files("ops.samples").joinpath("ATTRIBUTION.md").read_text(encoding="utf-8")

    paths = {revision["path"] for revision in sample}
    assert f"{len(paths)} advisories with {len(sample)} revisions" in attribution


def test_the_sample_has_corrections_merges_and_withdrawals(sample, lines):
    corrected = Counter(
        line["input"]["target"]["id"]["identity_key"]
        for line in lines
        if line["operation"] == "update" and line["input"]["target"]["kind"] == "memory"
    )
    merges = [line for line in lines if line["input"].get("kind") == "merged_into"]
    reasons = [line["input"]["reason"] for line in lines if line["operation"] == "forget"]

    assert sum(key.startswith("claim:") for key in corrected) >= 20
    assert corrected["claim:pyspark/PYSEC-2019-169:pyspark:ECOSYSTEM:0"] == 3
    assert len(merges) >= 20
    assert sum(reason.startswith("Revision") for reason in reasons) >= 10
    assert len({r["path"] for r in sample if r.get("withdrawn")}) >= 5
    assert sum("was withdrawn" in reason for reason in reasons) >= 10
    assert sum(revision["action"] == "remove" for revision in sample) >= 20


def test_the_sample_is_stored_without_a_time_or_a_name():
    head = files("ops.samples").joinpath(SAMPLE).read_bytes()[:10]

    assert head[3] == 0
    assert head[4:8] == bytes(4)
    assert gzip.decompress(files("ops.samples").joinpath(SAMPLE).read_bytes()).endswith(b"}\n")


def test_every_line_is_a_request_of_the_contract_once_its_references_are_ids(lines):
    for line in lines:
        assert set(line) == {
            "context",
            "contract_version",
            "idempotency_key",
            "operation",
            "input",
        }
        assert line["contract_version"] == "v1"
        assert set(line["context"]) == {"recorded_at"}
        assert len(line["idempotency_key"].encode()) <= 256
        given = _with_ids(line["input"])
        INPUTS[line["operation"]].model_validate(given).check()


def _with_ids(given):
    given = json.loads(json.dumps(given))
    for holder, name in ((given, "source_id"), (given, "target_id"), (given, "memory_id")):
        if name in holder:
            assert set(holder[name]) == {"identity_key"}
            holder[name] = "mem_x"
    if "target" in given:
        assert set(given["target"]["id"]) == {"identity_key"}
        given["target"]["id"] = "mem_x"
    return given


def test_idempotency_keys_are_never_used_twice(lines):
    keys = Counter(line["idempotency_key"] for line in lines)

    assert keys.most_common(1)[0][1] == 1


def test_every_revision_is_a_source_and_the_first_of_its_lines(sample, lines):
    sources = [line for line in lines if line["input"].get("kind") == "source"]

    assert len(sources) == len(sample)
    assert all(line["idempotency_key"].endswith(":0") for line in sources)
    for revision, line in zip(sample, sources, strict=True):
        assert line["context"]["recorded_at"] == revision["recorded_at"]
        key = line["input"]["identity_key"]
        assert key == f"revision:{revision['commit']}:{revision['path']}"


def test_what_a_line_states_names_the_source_that_was_remembered_before_it(lines):
    known = set()
    for line in lines:
        given = line["input"]
        if given.get("kind") == "source":
            known.add(given["identity_key"])
        stated = given.get("provenance", given.get("patch", {}).get("add_provenance", []))
        assert bool(stated) == (line["operation"] != "forget")
        for reference in stated:
            assert reference["source_id"] in known
            assert reference["observed_at"] == line["context"]["recorded_at"]
            assert reference["locator"].startswith("https://github.com/pypa/advisory-database/")


def test_the_sample_gives_the_same_bytes_every_time(lines):
    again = list(import_lines(load_sample()))

    assert [json.dumps(line) for line in again] == [json.dumps(line) for line in lines]


def test_the_lines_leave_the_sample_as_its_last_revisions_say(sample):
    assert_lines_leave_what_rows_say(sample)


@pytest.mark.parametrize("length", [0, 1, 97, 350, 695])
def test_a_prefix_of_the_sample_gives_a_prefix_of_the_lines(sample, lines, length):
    prefix = list(import_lines(sample[:length]))

    assert prefix == lines[: len(prefix)]


def test_only_what_was_withdrawn_holds_the_word(lines):
    remembered = [line["input"] for line in lines if line["operation"] == "remember"]

    properties = [given["content"]["value"]["properties"] for given in remembered]

    assert all(value is not None for each in properties for value in each.values())
    assert 0 < sum("withdrawn" in each for each in properties) < 100
