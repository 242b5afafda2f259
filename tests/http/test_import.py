"""Lines of an import over HTTP: each has a verdict, and none is in another's name."""

from __future__ import annotations

import json

import pytest

from domain.limits import BODY_BYTES_MAX
from ops.import_parts import PART_LINES_MAX
from tests.http.operators import OWN, WHOLE, Operator
from tests.importer.lines import remember

NAMED = {"workspace": "w", "actor": "ann"}


@pytest.fixture
def whole(client, store):
    return Operator(client, store, **WHOLE)


@pytest.fixture
def own(client, store):
    return Operator(client, store, **OWN)


def body(*rows):
    return b"".join(
        row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows
    )


def test_lines_are_executed_once_however_often_they_are_sent(api, whole):
    lines = body(remember("a", key=None), b"x\n", b"\n", remember("b", key=None))

    first = whole.lines(lines, first=10, **NAMED).json()
    again = whole.lines(lines, first=10, **NAMED).json()

    counts = ("done", "accepted", "replayed", "refused", "stopped")
    assert [first[name] for name in counts] == [13, 2, 0, 1, None]
    assert [again[name] for name in counts] == [13, 2, 2, 1, None]
    assert [(one["line"], one["code"]) for one in first["refusals"]] == [(11, "INVALID_REQUEST")]
    assert len(api.read("/v1/memories")["items"]) == 2


def test_lines_of_a_key_of_a_workspace_are_in_its_own_name(api, own):
    done = own.lines(body(remember("a", context={"recorded_at": None}))).json()

    (found,) = api.read("/v1/memories")["items"]
    assert (done["accepted"], found["owner"]) == (1, "ann")


@pytest.mark.parametrize(
    ("context", "field"),
    [
        ({"workspace": "x"}, "context.workspace"),
        ({"actor": "ben"}, "context.actor"),
        ({"agent": "robot"}, "context.agent"),
        ({"recorded_at": "2020-01-01T00:00:00Z"}, "context.recorded_at"),
    ],
)
def test_a_line_in_anothers_name_or_time_is_refused(own, context, field):
    line = remember("a", context={"recorded_at": None, **context})

    (refusal,) = own.lines(body(line)).json()["refusals"]

    assert (refusal["code"], refusal["field"]) == ("PERMISSION_DENIED", field)


def test_a_line_needs_the_permission_of_its_operation(client, store):
    reader = Operator(client, store, **OWN | {"permissions": ["operate", "read"]})

    (refusal,) = reader.lines(body(remember("a", context={"recorded_at": None}))).json()["refusals"]

    assert refusal["code"] == "PERMISSION_DENIED"


def test_another_name_for_all_lines_is_refused_by_the_line(own):
    (refusal,) = own.lines(body(remember("a")), actor="ben").json()["refusals"]

    assert refusal["field"] == "context.actor"


@pytest.mark.parametrize(
    ("named", "field"),
    [
        ({"actor": "ann"}, "workspace"),
        ({"workspace": "w"}, "actor"),
        ({"workspace": "w", "actor": " "}, "actor"),
        ({**NAMED, "seed": "a"}, "seed"),
        ({**NAMED, "first": 0}, "first"),
    ],
)
def test_lines_without_a_name_or_place_are_refused_as_a_whole(whole, named, field):
    refused = whole.lines(body(remember("a")), **named)

    assert (refused.status_code, refused.json()["field"]) == (400, field)


def test_the_longest_line_fits_and_more_than_a_part_does_not(whole):
    longest = b" " * (BODY_BYTES_MAX - 2) + b"{}\n"

    fits = whole.lines(longest, **NAMED)
    large = whole.lines(longest * 2, **NAMED)
    many = whole.lines(b"{}\n" * (PART_LINES_MAX + 1), **NAMED)

    assert (fits.status_code, large.status_code, many.status_code) == (200, 413, 400)
    assert fits.json()["refused"] == 1


def test_a_body_that_is_not_named_as_lines_is_refused(whole):
    refused = whole.client.post(
        "/v1/import", params={"seed": "a" * 64, **NAMED}, json={}, headers=whole.headers
    )

    assert (refused.status_code, refused.json()["field"]) == (415, "Content-Type")


def test_what_cannot_go_on_says_how_far_it_came(whole, store):
    store._open.close()

    stopped = whole.lines(body(remember("a"), remember("b")), **NAMED).json()

    assert (stopped["done"], stopped["accepted"], stopped["refused"]) == (0, 0, 0)
    assert "stopped before line 1" in stopped["stopped"]
