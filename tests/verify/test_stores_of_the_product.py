"""What the product stores is what the description of the format says, told by the other program."""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ops.verification import verify_store
from ops.wiring import Memoranda, open_memoranda
from tests.circumstances import context
from tests.inputs import envelope
from tests.verify.stores import first
from tests.verify.writer import Written

COLUMNS = (
    "originator_id",
    "originator_version",
    "topic",
    "state",
    "event_hash",
    "workspace",
    "part",
)


@dataclass
class Client:
    """Sends operations, each under a key of its own."""

    memoranda: Memoranda
    who: Any
    numbers: Any

    def send(self, operation: str, **changes: Any) -> Any:
        key = {"idempotency_key": f"k{next(self.numbers)}"}
        body = envelope(operation, envelope_changes=key, **changes)
        return self.memoranda.execute(self.who, body)["result"]["result"]

    def remember(self, **changes: Any) -> str:
        return self.send("remember", **changes)["record"]["id"]


@dataclass
class Stored:
    """A data folder and its key; `folder` and `master` as a copy wants them."""

    folder: Path
    master: bytes


def live(client: Client) -> None:
    """Each operation, each way to forget, one key of the API."""
    roof = {"format": "properties", "value": {"slot": "roof", "object": "leaks", "é": "Zürich"}}
    first, other, third = (client.remember(content=roof) for _ in range(3))
    held = client.remember(identity_key="cellar", visibility="private")
    client.remember(identity_key="cellar", visibility="private", confidence=0.25)
    edge = client.send("relate", source_id=first, target_id=other, identity_key="e")
    client.send("relate", source_id=first, target_id=first)
    client.send("relate", source_id=first, target_id=other, identity_key="e", confidence=1)
    target = {"kind": "relationship", "id": edge["relationship"]["id"]}
    client.send("update", target=target, patch={"confidence": 0.5})
    for number in range(3):
        patch = {"content": {"format": "text", "value": f"about {number}"}, "add_tags": ["x"]}
        client.send("update", target={"kind": "memory", "id": other}, patch=patch)
    client.send("recall", objective="what leaks?")
    members = {"memory_ids": [first, other], "canonical_id": first}
    proposal = client.send("consolidate", **members)["proposal_id"]
    approved = {"mode": "apply_approved", "proposal_id": proposal, "approval_policy": "editors"}
    client.send("consolidate", mode=approved, **members)
    client.send("forget", memory_id=held, mode="application_delete")
    client.send("forget", memory_id=third, mode="expire", expires_at="2030-01-01T00:00:00Z")
    client.send("forget", memory_id=other, mode="application_delete", scope="event", version=2)
    client.send("forget", memory_id=first, mode="tombstone", scope="key")


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def memoranda(data):
    opened = open_memoranda(data)
    yield opened
    opened.close()


def client_of(memoranda, **who) -> Client:
    return Client(memoranda, context(**who), itertools.count())


def test_the_product_writes_the_format_as_it_is_described(memoranda, data):
    live(client_of(memoranda))
    live(client_of(memoranda, workspace="Bücher & co"))
    memoranda.keys.create(name="reader", workspace="w", actor="ana", permissions=["read"])

    with_keys = verify_store(data, memoranda.folder.master_key)
    without = verify_store(data, None)

    assert (with_keys.findings, without.findings) == ([], [])
    assert with_keys.events == memoranda.log.head()
    assert with_keys.not_decrypted == 0
    # Two versions, one version, and the recall and the proposal that named what came of it.
    assert with_keys.erased == 2 * (2 + 1 + 2)
    assert without.not_decrypted == with_keys.decrypted + with_keys.erased


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("product") / "data"
    memoranda = open_memoranda(folder)
    live(client_of(memoranda))
    master = memoranda.folder.master_key
    memoranda.close()
    return Stored(folder, master)


def flipped(value: Any) -> Any:
    """One byte of the value is another; of NULL, the byte that says so."""
    if value is None:
        return 0
    if isinstance(value, int):
        return value ^ 1 << 9
    if isinstance(value, str):
        return chr(ord(value[0]) ^ 2) + value[1:]
    middle = len(value) // 2
    return value[:middle] + bytes([value[middle] ^ 64]) + value[middle + 1 :]


@pytest.mark.parametrize("column", COLUMNS)
def test_a_flipped_byte_names_its_row_in_a_store_of_the_product(column, closed, copy_of):
    copy = copy_of(closed)
    update = f"UPDATE event SET {column} = ? WHERE position = ?"
    for position in range(1, 21):
        before = copy.value(f"SELECT {column} FROM event WHERE position = ?", position)

        copy.change(update, flipped(before), position)
        report = copy.report()
        copy.change(update, before, position)

        assert first(report)[0] == position


def test_a_key_destroyed_behind_the_product_is_a_false_erasure(closed, copy_of):
    copy, forgotten = copy_of(closed), Written(position=1, stream="", version=1, key=None)
    key = copy.head(forgotten)["key"]

    copy.change_keys(
        "UPDATE data_key SET wrapped = NULL, state = 'destroyed' WHERE key_id = ?", key
    )

    report = copy.report(keys=True)
    assert (report.wrong, first(report)[0]) == (1, 1)


def test_a_store_is_verified_while_it_is_written_and_erased(memoranda, data):
    """Whatever moment the check falls on, a good store has nothing wrong."""
    client, stop = client_of(memoranda), threading.Event()
    failures: list[BaseException] = []

    def write() -> None:
        try:
            while not stop.is_set():
                memory = client.remember()
                client.send("forget", memory_id=memory, mode="application_delete")
        except BaseException as error:  # noqa: BLE001 — told to the test's own thread
            failures.append(error)

    writing = threading.Thread(target=write)
    client.remember()
    writing.start()
    try:
        reports = [verify_store(data, memoranda.folder.master_key)]
        while len(reports) < 40 or reports[-1].events == reports[0].events:
            reports.append(verify_store(data, memoranda.folder.master_key))
    finally:
        stop.set()
        writing.join()

    assert failures == []
    assert [report.findings for report in reports if report.findings] == []
