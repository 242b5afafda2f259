"""Requests that cannot be, one row each: what is answered; nothing is written, all goes on."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from domain.limits import BODY_BYTES_MAX
from tests.cli.processes import HOST_KEY, serving
from tests.faults.asking import OPERATIONS, Answer, Client, body_of, log_of
from tests.inputs import BUDGET

pytestmark = pytest.mark.timeout(300)
TEXT = {"format": "text", "value": "otter"}


@dataclass(frozen=True)
class Fault:
    """A request, and the status, code, field and reason that it is refused with."""

    name: str
    told: tuple[int, str, str | None, str | None]
    body: bytes | None = None
    path: str = OPERATIONS
    headers: dict[str, str | None] = field(default_factory=dict)


def raw(text: str) -> bytes:
    """A remember whose text is these bytes of JSON."""
    return body_of("remember").replace(b'"the sky is blue"', text.encode())


def invalid(reason: str | None = None, name: str | None = None, status: int = 400) -> Any:
    return status, "INVALID_REQUEST", name, reason


FAULTS = [
    Fault("a body of 3 MiB", invalid("BODY_TOO_LARGE", status=413), b" " * (3 << 20)),
    Fault(
        "a body that says that it is larger than it may be",
        invalid("BODY_TOO_LARGE", status=413),
        body_of("remember") + b" " * BODY_BYTES_MAX,
    ),
    Fault("a lone surrogate in a text", invalid("LONE_SURROGATE"), raw('"a\\ud800b"')),
    Fault("a lone surrogate in a name", invalid("LONE_SURROGATE"), raw('{"\\udfff": 1}')),
    Fault("bytes that are not UTF-8", invalid("NOT_UTF8"), b'{"a":"\xed\xa0\x80"}'),
    Fault("duplicate keys", invalid("DUPLICATE_KEY"), b'{"operation":"recall","operation":"x"}'),
    Fault("a duplicate key far inside", invalid("DUPLICATE_KEY"), raw('{"a":[{"b":1,"b":1}]}')),
    Fault(
        "another content type",
        invalid(None, "Content-Type", 415),
        body_of("remember"),
        headers={"Content-Type": "text/plain"},
    ),
    Fault(
        "a compressed body",
        invalid(None, "Content-Type", 415),
        body_of("remember"),
        headers={"Content-Encoding": "gzip"},
    ),
    Fault(
        "a foreign Host header",
        invalid("HOST_NOT_ALLOWED", "Host", 421),
        body_of("remember"),
        headers={"Host": "memory.attacker.example"},
    ),
    Fault(
        "a foreign Host header on a reading route",
        invalid("HOST_NOT_ALLOWED", "Host", 421),
        path="/v1/memories",
        headers={"Host": "memory.attacker.example:8420"},
    ),
    Fault(
        "a position that never comes",
        (503, "OVERLOADED", "min_position", "NOT_CAUGHT_UP"),
        path="/v1/memories?min_position=1000000",
    ),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("faults") / "data"


@pytest.fixture(scope="module")
def client(data: Path) -> Iterator[Client]:
    """A server that is started once: what one fault leaves behind meets the next one."""
    with serving(data, host_key=HOST_KEY, wait_seconds_max="0.2") as server:
        yield Client(server.host, server.port)
        code, _, said = server.stop()
        assert (code, said) == (0, "")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_told_writes_nothing_and_is_over(
    client: Client, data: Path, fault: Fault
) -> None:
    before = log_of(data)

    method = "GET" if fault.body is None else "POST"
    answer = client.send(method, fault.path, fault.body, **fault.headers)

    assert answer.told == fault.told
    assert answer.error["retryable"] is (fault.told[0] == 503)
    assert ("retry-after" in answer.headers) is (fault.told[0] == 503)
    assert log_of(data) == before
    made = client.remember(fault.name)
    assert log_of(data)[: len(before)] == before
    assert made in client.recalled(fault.name)


NULS: list[tuple[str, Callable[[str], dict[str, Any]]]] = [
    ("text", lambda said: {"content": {"format": "text", "value": said}}),
    ("properties", lambda said: {"content": {"format": "properties", "value": {said: [said]}}}),
    ("tags", lambda said: {"tags": [said]}),
    ("identity_key", lambda said: {"identity_key": said}),
    ("provenance", lambda said: {"provenance": [{"source_id": said}]}),
]


@pytest.mark.parametrize(("name", "said"), NULS, ids=[name for name, _ in NULS])
def test_a_nul_is_a_character_like_any_other(
    client: Client, name: str, said: Callable[[str], dict[str, Any]]
) -> None:
    word = f"walrus{name.replace('_', '')}"
    fields = said(f"nul\x00here {word}")

    record = client.do("remember", **fields).result["record"]

    ((field_name, _),) = fields.items()
    kept = record[field_name]
    assert f"nul\\u0000here {word}" in json.dumps(kept)
    assert client.get(f"/v1/memories/{record['id']}").body[field_name] == kept
    if name not in ("provenance", "tags"):
        assert client.recalled(word) == [record["id"]]
        assert client.recalled(f"nowhere\x00{word}") == [record["id"]]


@pytest.mark.parametrize("at", [0, 9_999])
def test_an_objective_of_ten_thousand_words_is_answered_as_far_as_it_is_read(
    client: Client, at: int
) -> None:
    made = client.remember(f"narwhal{'xyzzy' if at else ''}")
    letters = "bcdfghjklm"
    words = ["".join(letters[int(digit)] for digit in f"{number:05}") for number in range(9_999)]
    words.insert(at, f"narwhal{'xyzzy' if at else ''}")

    answer = client.do(
        "recall", objective=" ".join(words), limits={**BUDGET, "timeout_ms": 60_000}
    ).result

    # The first thousand words are looked up, and the answer says that there were more
    assert [item["record"]["id"] for item in answer["items"]] == ([] if at else [made])
    assert answer["completeness"]["outcomes"] == ["objective_cut"]
    assert not answer["completeness"]["complete"]
    assert client.get(f"/v1/recalls/{answer['recall_id']}").status == 200


def test_a_key_that_asks_too_often_is_told_to_wait(tmp_path: Path) -> None:
    data = tmp_path / "data"
    slow = {"rate_per_second": "0.01", "rate_burst": "2"}
    with serving(data, host_key=HOST_KEY, **slow) as server:
        client = Client(server.host, server.port)
        client.remember("one")
        client.remember("two")
        before = log_of(data)

        answer = client.do("remember")

        assert answer.told == (429, "RATE_LIMITED", None, None)
        assert answer.error["retryable"] is True
        assert 0 < int(answer.headers["retry-after"]) <= 100
        assert log_of(data) == before
        # Another workspace of the host is not held up
        assert client.send("GET", "/v1/memories", X_Workspace_Id="v").status == 200


def test_a_log_that_somebody_holds_is_told_and_waited_for(client: Client, data: Path) -> None:
    before = log_of(data)
    with closing(sqlite3.connect(data / "log.db", isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        body = body_of("remember")

        answer = client.send("POST", OPERATIONS, body)

        assert answer.told == (503, "DURABILITY_FAILED", None, None)
        assert answer.headers["retry-after"] == "1"
        assert log_of(data) == before
        holder.execute("ROLLBACK")
    again: Answer = client.send("POST", OPERATIONS, body)
    assert again.result["receipt"]["replayed"] is False
