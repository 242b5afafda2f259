"""`memoranda evaluate`: every case of a file, and a report that can be made again."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

import pytest

from domain.canonical import canonical
from ops import cli_evaluate
from ops.evaluation import report
from ops.scenarios import FILE_BYTES_MAX, read_scenarios
from tests.cli_operations.running import run
from tests.policy.cases import CASES, FILE, REFUSALS

GIVEN = json.loads(FILE.read_bytes())


@pytest.fixture
def write(tmp_path):
    """A function that writes a file of cases and gives its path."""

    def written(said: Any, name: str = "cases.json"):
        path = tmp_path / name
        path.write_bytes(said if isinstance(said, bytes) else json.dumps(said).encode())
        return path

    return written


def few(**changes: Any) -> dict[str, Any]:
    """A file of one case and one validation case, of which members are set by their path."""
    said = copy.deepcopy(
        {
            "meta": {"format": "policy-scenarios/v1"},
            "cases": [GIVEN["cases"][0]],
            "validation_cases": [GIVEN["validation_cases"][0]],
        }
    )
    for path, value in changes.items():
        *outer, last = [int(name) if name.isdecimal() else name for name in path.split("__")]
        place: Any = said
        for name in outer:
            place = place[name]
        if value is ...:
            del place[last]
        else:
            place[last] = value
    return said


def played(said: dict[str, Any]) -> list[Any]:
    """The results of a file."""
    results: list[Any] = report(read_scenarios(json.dumps(said).encode()))["results"]
    return results


def test_every_case_of_the_specification_passes_and_the_report_is_made_again(tmp_path):
    out, again = tmp_path / "report.json", tmp_path / "again.json"

    done, repeated = run("evaluate", FILE, out, "--json"), run("evaluate", FILE, again)
    verified = run("evaluate", FILE, out, "--verify", "--json")

    count = len(CASES) + len(REFUSALS)
    totals = {"cases": count, "passed": count, "failed": 0}
    assert (done.code, done.err, done.json["totals"]) == (0, "", totals)
    assert repeated.out == f"{count} cases: {count} passed, 0 failed\n"
    assert (verified.code, verified.json["identical"]) == (0, True)
    assert out.read_bytes() == again.read_bytes()
    said = json.loads(out.read_bytes())
    assert canonical(said) == out.read_bytes()
    assert sorted(said) == ["cases_sha256", "implementation", "policy", "results", "totals"]
    assert said["cases_sha256"] == hashlib.sha256(FILE.read_bytes()).hexdigest()
    assert (said["policy"], said["totals"]) == ("newest-recorded/v1", totals)
    assert [one["id"] for one in said["results"]] == [c["id"] for c in [*CASES, *REFUSALS]]


def test_a_report_quotes_no_text_of_a_case(tmp_path):
    run("evaluate", FILE, tmp_path / "out")

    told = (tmp_path / "out").read_text("utf-8")
    values = [event.get("value", "") for case in CASES for event in case["events"]]
    assert [value for value in values if len(value) > 3 and value in told] == []


def test_a_failed_case_is_named_and_ends_the_command_with_1(write, tmp_path):
    wrong = write(few(cases__0__expected__selected=["b2"], validation_cases__0__expected_error="X"))

    done = run("evaluate", wrong, tmp_path / "out")

    assert (done.code, done.out) == (1, "2 cases: 0 passed, 2 failed\n")
    assert done.err.splitlines() == ["B01: selected", "V01: expected_error"]
    assert run("evaluate", wrong, tmp_path / "out", "--verify").code == 1


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda said: said["results"][1].update(passed=False), "results.1.passed is false"),
        (lambda said: said["results"].pop(), "results has 1 entries in the report, 2"),
        (lambda said: said.update(policy="mine/v1"), 'policy is "mine/v1"'),
        (lambda said: said.pop("totals"), "totals is in the evaluation alone"),
        (lambda said: said.update(at="now"), "at is in the report alone"),
        (lambda said: said["totals"].update(cases=2.0), "totals.cases is 2.0"),
    ],
)
def test_verify_tells_the_first_difference(write, tmp_path, change, path):
    cases, out = write(few()), tmp_path / "out"
    run("evaluate", cases, out)
    said = json.loads(out.read_bytes())
    change(said)
    out.write_bytes(canonical(said))

    done = run("evaluate", cases, out, "--verify")

    assert done.code == 1
    assert path in done.err


@pytest.mark.parametrize(
    ("other", "said"), [(b" ", "other bytes"), (b"{", "cannot be read"), (b"", None)]
)
def test_verify_compares_bytes(write, tmp_path, other, said):
    cases, out = write(few()), tmp_path / "out"
    run("evaluate", cases, out)
    out.write_bytes(out.read_bytes() + other)

    done = run("evaluate", cases, out, "--verify", "--json")

    assert (done.code, done.json["identical"]) == ((0, True) if said is None else (1, False))
    assert said is None or said in done.json["first_difference"]


def test_another_file_of_cases_has_another_report(write, tmp_path):
    run("evaluate", write(few()), tmp_path / "out")

    done = run("evaluate", write(few(meta__note="of today")), tmp_path / "out", "--verify")

    assert done.code == 1
    assert "cases_sha256" in done.err


def test_an_existing_file_is_not_written_over(write, tmp_path):
    (tmp_path / "there").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")

    for name in ("there", "link"):
        done = run("evaluate", write(few()), tmp_path / name)
        assert (done.code, "exists already" in done.err) == (2, True)
    assert (tmp_path / "there").read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()


def test_a_file_that_comes_meanwhile_is_not_written_over(write, tmp_path, monkeypatch):
    monkeypatch.setattr(cli_evaluate, "_refuse_existing", lambda out: out.write_text("mine"))

    done = run("evaluate", write(few()), tmp_path / "out")

    assert (done.code, "exists already" in done.err) == (2, True)
    assert (tmp_path / "out").read_text() == "mine"


def test_what_cannot_be_read_or_written_is_told_with_its_name(write, tmp_path):
    for arguments, name in (
        ((tmp_path / "missing.json", tmp_path / "out"), "missing.json"),
        ((tmp_path, tmp_path / "out"), str(tmp_path)),
        ((write(few()), tmp_path / "no" / "out"), "no/out"),
        ((write(few()), tmp_path / "never", "--verify"), "never"),
        ((write(b" " * (FILE_BYTES_MAX + 1), "huge.json"), tmp_path / "out"), "too large"),
    ):
        done = run("evaluate", *arguments)
        assert (done.code, name in done.err) == (2, True), done.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("said", "place"),
    [
        (b"{", "line 1, column 2"),
        (b"\xff", "UTF-8"),
        (b'{"meta": 1, "meta": 2}', "twice"),
        ([], "SCENARIOS"),
        (few(meta__format="policy-scenarios/v2"), "meta.format"),
        (few(meta__policy="mine/v1"), "meta.policy"),
        (few(cases={}), "cases"),
        (few(cases__0=1), "cases.0"),
        (few(cases__0__id=...), "cases.0.id"),
        (few(cases__0__events=...), "cases.0.events"),
        (few(cases__0__events__0="x"), "cases.0.events.0"),
        (few(cases__0__query__session=""), "cases.0.query.session"),
        (few(cases__0__query__key=...), "cases.0.query"),
        (few(cases__0__query__text=1), "cases.0.query.text"),
        (few(cases=[], validation_cases=...), "cases"),
        (few(cases__0__query__as_of="2031-03-02"), "cases.0.query.as_of"),
        (few(cases__0__query__as_of=...), "cases.0.query.as_of"),
        (few(cases__0__query__as_known_at="now"), "cases.0.query.as_known_at"),
        (few(cases__0__query__limit=True), "cases.0.query.limit"),
        (few(cases__0__query__as_known_position=-1), "cases.0.query.as_known_position"),
        (few(cases__0__expected__selected="b1"), "cases.0.expected.selected"),
        (few(cases__0__expected__excluded=["b1"]), "cases.0.expected.excluded.0"),
        (few(cases__0__must_not_contain=[1]), "cases.0.must_not_contain.0"),
        (few(validation_cases__0__event=...), "validation_cases.0.event"),
        (few(validation_cases__0__expected_error=...), "validation_cases.0.expected_error"),
        (few(validation_cases__0__expected_error=""), "validation_cases.0.expected_error"),
    ],
)
def test_a_file_that_is_not_of_the_format_is_refused_at_its_place(write, tmp_path, said, place):
    done = run("evaluate", write(said), tmp_path / "out")

    assert (done.code, place in done.err) == (2, True), done.err
    assert not (tmp_path / "out").exists()


def test_whatever_the_format_lets_be_left_out_is_not_asked_for():
    least = few(cases__0__must_not_contain=..., cases__0__baseline=..., validation_cases=...)
    least["cases"][0]["expected"] = {"selected": ["b1"], "because": "x"}
    least["cases"][0]["query"]["note"] = "whatever"
    least["cases"][0]["events"][0]["colour"] = "red"

    assert [one["passed"] for one in played(least)] == [True]


def test_a_file_may_hold_cases_of_one_kind_and_a_text_goes_before_a_key():
    assert [one["id"] for one in played(few(cases=...))] == ["V01"]
    words = few(validation_cases=..., cases__0__query__text="stove")
    words["cases"][0]["expected"] = {"selected": []}
    words["cases"][0]["query"]["key"] = None
    assert played(words)[0]["excluded"] == [{"id": "b1", "reason": "no_lexical_match"}]


def test_the_policy_of_a_file_decides_and_both_bounds_of_knowledge_count():
    first = GIVEN["cases"][0]["events"][0]
    other = {**first, "id": "b2", "value": "green", "recorded_at": "2031-03-01T09:00:00Z"}
    said = few(
        meta__policy="surface-all/v1",
        cases__0__events=[first, other],
        cases__0__expected={"selected": ["b2", "b1"], "excluded": []},
    )
    assert played(said)[0]["passed"]
    said["cases"][0]["query"]["as_known_position"] = 1
    assert played(said)[0]["selected"] == ["b1"]
    said["cases"][0]["query"]["as_known_at"] = "2031-03-01T07:00:00Z"
    assert played(said)[0]["selected"] == []


def test_the_order_in_which_a_case_names_what_is_excluded_does_not_matter():
    case = next(one for one in GIVEN["cases"] if len(one["expected"]["excluded"]) > 1)
    turned = few(cases__0=case)
    turned["cases"][0]["expected"]["excluded"].reverse()
    assert played(turned)[0]["passed"]
    turned["cases"][0]["expected"]["excluded"].pop()
    assert played(turned)[0]["differences"] == ["excluded"]


def test_what_must_not_be_told_is_looked_for_in_the_answer_and_in_what_is_left():
    told = few(cases__0__must_not_contain=["absent", "vermilion"])
    assert played(told)[0]["differences"] == [
        "must_not_contain.1",
        "sanitized.must_not_contain.1",
    ]


def test_an_event_that_cannot_be_read_fails_its_case_and_no_other():
    naive = few(cases__0__events__0__recorded_at="2031-03-01T08:00:00")
    naive["validation_cases"][0]["history"] = [{}]
    case, refusal = played(naive)
    assert (case["field"], case["refused"]) == ("events.0.recorded_at", "TIMESTAMP_NAIVE")
    assert (refusal["field"], refusal["differences"]) == ("history.0.type", ["history"])


@pytest.mark.parametrize(("member", "reason"), [("key", "KEY_FORMAT"), ("value", "LONE_SURROGATE")])
def test_half_a_character_is_a_matter_of_its_case(member, reason):
    event = {**GIVEN["cases"][0]["events"][0], member: "\ud800"}
    said = few(validation_cases__0__event=event, validation_cases__0__expected_error=reason)
    assert played(said)[1]["passed"]
