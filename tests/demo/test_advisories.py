from __future__ import annotations

import gzip
import json
from collections import Counter
from datetime import datetime
from importlib.resources import files
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.contract import INPUTS
from ops.advisories import SAMPLE, import_lines, load_sample
from ops.advisory_ranges import intervals, sentence, symbols

PATHS = [f"vulns/{place}.yaml" for place in ("a/PYSEC-1", "a/PYSEC-2", "b/PYSEC-1")]
WITHDRAWN = ["2023-12-31 10:00:00+00:00", "2024-02-01T00:00:00Z"]
RANGES = [
    {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.2"}]},
    {"type": "ECOSYSTEM", "events": [{"introduced": "2"}, {"fixed": "2.3"}]},
    {"type": "ECOSYSTEM", "events": [{"introduced": 2.1}]},
    {"type": "GIT", "events": [{"fixed": "c0ffee"}]},
    {"type": None, "events": []},
]


@pytest.fixture(scope="module")
def sample():
    return list(load_sample())


@pytest.fixture(scope="module")
def lines(sample):
    return list(import_lines(sample))


def row(path=PATHS[0], action="update", number=0, **members):
    base = {"commit": f"c{number}", "recorded_at": f"2024-01-01T00:00:{number:02}+02:00"}
    base |= {"action": action, "path": path}
    if action == "remove":
        return base
    stated = {"ranges": [RANGES[0]], "aliases": ["CVE-1"], "references": [], "withdrawn": None}
    stated |= members
    affected = [{"package": path.split("/")[1], "ranges": stated.pop("ranges")}]
    name = path.split("/")[-1].removesuffix(".yaml")
    return {**base, "id": name, "details": "A hole.", "affected": affected, **stated}


@st.composite
def histories(draw):
    rows, present = [], set()
    for number in range(draw(st.integers(1, 12))):
        path = draw(st.sampled_from(PATHS))
        action = draw(st.sampled_from(["update", "update", "remove"]))
        if path not in present:
            action = "create"
        present = present - {path} if action == "remove" else present | {path}
        members = {
            "ranges": draw(st.lists(st.sampled_from(RANGES), max_size=4)),
            "aliases": draw(st.lists(st.sampled_from(["CVE-1", "CVE-2", "GHSA-3"]), max_size=2)),
            "references": draw(st.lists(st.sampled_from(["http://x", "http://y"]), max_size=3)),
            "withdrawn": draw(st.sampled_from([None, None, *WITHDRAWN])),
            "details": draw(st.sampled_from(["A hole.", "A bigger hole."])),
        }
        rows.append(row(path, action, number, **members))
    return rows


class Store:
    """What the operations of spec/operations.md §5 make of the lines, and no more than that."""

    def __init__(self, lines):
        self.memories, self.edges = {}, {}
        for line in lines:
            getattr(self, line["operation"])(line["input"])

    def remember(self, given):
        old = self.memories.get(given["identity_key"], {"versions": 0})
        self.memories[given["identity_key"]] = {
            "kind": given["kind"],
            "content": given["content"]["value"],
            "lifecycle": "active",
            "expires_at": None,
            "versions": old["versions"] + 1,
        }

    def relate(self, given):
        ends = [given[end]["identity_key"] for end in ("source_id", "target_id")]
        assert all(end in self.memories for end in ends)
        old = self.edges.setdefault(given["identity_key"], {"kind": given["kind"], "ends": ends})
        assert old["ends"] == ends
        old["lifecycle"] = given["lifecycle"]

    def update(self, given):
        kind, key = given["target"]["kind"], given["target"]["id"]["identity_key"]
        record = (self.memories if kind == "memory" else self.edges)[key]
        record["versions"] = record.get("versions", 0) + 1
        patch = given["patch"]
        record["lifecycle"] = patch.get("lifecycle", record["lifecycle"])
        if "content" in patch:
            old, new = record["content"]["properties"], patch["content"]["value"]["properties"]
            assert old.get("slot") == new.get("slot")
            record["content"] = patch["content"]["value"]

    def forget(self, given):
        record = self.memories[given["memory_id"]["identity_key"]]
        assert given["mode"] == "expire"
        record |= {"lifecycle": "expired", "expires_at": given["expires_at"]}
        record["versions"] += 1

    def claims(self, place):
        prefix = f"claim:{place}:"
        return [memory for key, memory in self.memories.items() if key.startswith(prefix)]

    def ends(self, kind, place):
        return Counter(
            next(end for end in edge["ends"] if end != f"advisory:{place}")
            for edge in self.edges.values()
            if edge["kind"] == kind
            and edge["lifecycle"] == "active"
            and f"advisory:{place}" in edge["ends"]
        )


def assert_store_says_what_the_rows_say(rows):
    store = Store(import_lines(rows))
    for last in {row["path"]: row for row in rows}.values():
        place = last["path"].removeprefix("vulns/").removesuffix(".yaml")
        document = store.memories.get(f"advisory:{place}")
        visible = [m for m in store.claims(place) if m["lifecycle"] == "active"]
        if last["action"] == "remove":
            assert visible == []
            assert document is None or document["lifecycle"] == "expired"
            continue
        stated = Counter(
            symbols(intervals(_events(part)))
            for affected in last["affected"]
            for part in affected["ranges"]
            if part["events"]
        )
        if last["withdrawn"]:
            date = last["withdrawn"].replace(" ", "T").replace("+00:00", "Z")
            ended = [m for m in store.claims(place) if m["expires_at"] == date]
            assert visible == []
            assert document["expires_at"] == date
            assert Counter(m["content"]["properties"]["object"] for m in ended) >= stated
        else:
            assert document["lifecycle"] == "active"
            assert Counter(m["content"]["properties"]["object"] for m in visible) == stated
        assert document["content"]["text"].endswith(last["details"])
        aliases = {f"alias:{name}" for name in last["aliases"]}
        assert store.ends("alias_of", place) == Counter(aliases)
        cited = {f"reference:{address}" for address in last["references"]}
        assert store.ends("cites", place) == Counter(cited)


def _events(part):
    return [part["events"]] if isinstance(part["events"], dict) else part["events"]


# ---------- the sample ----------


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


# ---------- the lines ----------


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
    assert_store_says_what_the_rows_say(sample)


@pytest.mark.parametrize("length", [0, 1, 97, 350, 695])
def test_a_prefix_of_the_sample_gives_a_prefix_of_the_lines(sample, lines, length):
    prefix = list(import_lines(sample[:length]))

    assert prefix == lines[: len(prefix)]


@settings(max_examples=150, deadline=None)
@given(histories())
def test_the_lines_of_any_history_leave_what_its_last_revisions_say(rows):
    assert_store_says_what_the_rows_say(rows)


@settings(max_examples=60, deadline=None)
@given(histories(), st.integers(0, 12))
def test_a_prefix_of_any_history_gives_a_prefix_of_its_lines(rows, length):
    whole, prefix = list(import_lines(rows)), list(import_lines(rows[:length]))

    assert prefix == whole[: len(prefix)]


# ---------- one rule each ----------


def told(*rows):
    """The lines of the last row, as (operation, key or reason), after those of the others."""
    before, lines = len(list(import_lines(rows[:-1]))), list(import_lines(rows))
    return [
        (line["operation"], _named(line["input"]))
        for line in lines[before:]
        if line["input"].get("kind") != "source"
    ]


def _named(given):
    if "target" in given:
        return given["target"]["id"]["identity_key"]
    return given["identity_key"] if "identity_key" in given else given["memory_id"]["identity_key"]


def test_a_revision_that_changes_nothing_is_a_source_and_nothing_else():
    first = row(action="create", number=1)

    assert told(first, row(number=2, modified="2024-01-01T00:00:00Z")) == []


def test_a_range_in_another_spelling_is_no_correction():
    spelled = [{"type": "ECOSYSTEM", "events": [{"fixed": 1.2}]}]

    assert told(row(action="create", number=1), row(number=2, ranges=spelled)) == []


def test_a_changed_range_corrects_its_claim_and_supersedes_the_old_support():
    first = row(action="create", number=1)

    lines = told(first, row(number=2, ranges=[RANGES[1]]))

    claim = "claim:a/PYSEC-1:a:ECOSYSTEM:0"
    assert lines == [
        ("update", claim),
        ("update", f"supports:revision:c1:{PATHS[0]}:{claim}"),
        ("relate", f"supports:revision:c2:{PATHS[0]}:{claim}"),
    ]


def test_a_range_that_is_gone_expires_and_the_others_keep_their_claims():
    first = row(action="create", number=1, ranges=RANGES[:3])

    lines = told(first, row(number=2, ranges=[RANGES[0], RANGES[2]]))

    assert lines == [("forget", "claim:a/PYSEC-1:a:ECOSYSTEM:1")]


def test_a_range_that_is_back_is_a_new_version_of_its_claim():
    first, second = row(action="create", number=1), row(number=2, ranges=[])

    lines = told(first, second, row(number=3))

    assert ("remember", "claim:a/PYSEC-1:a:ECOSYSTEM:0") in lines


def test_a_withdrawal_expires_the_advisory_and_its_claims_at_its_date():
    first = row(action="create", number=1)

    lines = list(import_lines([first, row(number=2, withdrawn="2023-08-22 06:18:00+00:00")]))

    ended = [line["input"] for line in lines if line["operation"] == "forget"]
    assert [given["memory_id"]["identity_key"] for given in ended] == [
        "claim:a/PYSEC-1:a:ECOSYSTEM:0",
        "advisory:a/PYSEC-1",
    ]
    assert {given["expires_at"] for given in ended} == {"2023-08-22T06:18:00Z"}


def test_only_what_was_withdrawn_holds_the_word(lines):
    remembered = [line["input"] for line in lines if line["operation"] == "remember"]

    properties = [given["content"]["value"]["properties"] for given in remembered]

    assert all(value is not None for each in properties for value in each.values())
    assert 0 < sum("withdrawn" in each for each in properties) < 100


def test_a_removal_names_the_advisory_that_covers_the_same_alias():
    rows = [row(action="create", number=1), row(PATHS[1], "create", 2), row(PATHS[2], "create", 3)]

    lines = list(import_lines([*rows, row(action="remove", number=4)]))

    merged = "merged_into:advisory:a/PYSEC-1:advisory:a/PYSEC-2"
    ended = [line["input"] for line in lines if line["operation"] == "forget"]
    assert [k for _, k in told(*rows, row(action="remove", number=4)) if "merged" in k] == [merged]
    assert len(ended) == 2
    assert {given["expires_at"] for given in ended} == {"2024-01-01T00:00:04+02:00"}
    assert all("PYSEC-2 covers the same vulnerability" in given["reason"] for given in ended)


def test_a_renamed_advisory_is_merged_into_the_one_of_the_same_commit():
    first, gone = row(action="create", number=1), row(action="remove", number=2)

    renamed = told(first, gone, row(PATHS[1], "create", 2))
    later = told(first, gone, row(PATHS[1], "create", 3))

    merged = ("relate", "merged_into:advisory:a/PYSEC-1:advisory:a/PYSEC-2")
    assert merged in renamed
    assert merged not in later


def test_an_alias_that_comes_later_is_related_and_one_that_is_dropped_expires():
    first = row(action="create", number=1)

    lines = told(first, row(number=2, aliases=["GHSA-3"]))

    assert lines == [
        ("update", "advisory:a/PYSEC-1"),
        ("remember", "alias:GHSA-3"),
        ("relate", "alias_of:alias:GHSA-3:advisory:a/PYSEC-1"),
        ("update", "alias_of:alias:CVE-1:advisory:a/PYSEC-1"),
    ]


@pytest.mark.parametrize(
    ("events", "symbol", "words"),
    [
        ([{"introduced": "0"}], "*", "X affects all p versions."),
        ([{"introduced": 2.1}], ">=2.1", "X affects p versions from 2.1."),
        ([{"fixed": "3"}], "<3", "X affects p versions before 3."),
        (
            [{"introduced": "1"}, {"last_affected": "2"}],
            ">=1,<=2",
            "X affects p versions from 1 up to and including 2.",
        ),
        (
            [{"introduced": "1", "fixed": "2"}, {"introduced": "3"}, {"introduced": "4"}],
            ">=1,<2 || >=3 || >=4",
            "X affects p versions from 1 before 2, and from 3, and from 4.",
        ),
    ],
)
def test_a_range_reads_as_symbols_and_as_words(events, symbol, words):
    found = intervals(events)

    assert symbols(found) == symbol
    assert sentence("X", "p", "ECOSYSTEM", found) == words


def test_a_commit_range_speaks_of_commits():
    assert sentence("X", "p", "GIT", intervals([{"fixed": "c0ffee"}])) == (
        "X affects p commits before c0ffee."
    )


def test_the_sample_is_stored_without_a_time_or_a_name():
    head = files("ops.samples").joinpath(SAMPLE).read_bytes()[:10]

    assert head[3] == 0
    assert head[4:8] == bytes(4)
    assert gzip.decompress(files("ops.samples").joinpath(SAMPLE).read_bytes()).endswith(b"}\n")
