"""The golden files of the product are events by the description of the format, too."""

from __future__ import annotations

import hmac
import json
from pathlib import Path

import pytest

from tests.verify.stores import verifier

FILES = sorted((Path(__file__).resolve().parents[1] / "golden").glob("*.json"))


def test_there_is_a_golden_file_to_check():
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_golden_event_has_the_bytes_that_the_description_asks_for(file):
    golden = json.loads(file.read_text(encoding="utf-8"))

    state = verifier.parse_state(bytes.fromhex(golden["state"]))

    head = state.head
    assert head == golden["head"]
    assert state.body.hex() == golden["body"]
    assert verifier.event_hash(state.stored, state.digest).hex() == golden["hash"]
    family, stream = head["topic"].partition(".")[0], head["stream"]
    assert verifier.split_id(stream)[0] == verifier.PREFIXES[family]
    if golden["key"] is not None:
        opened = verifier.decrypt(bytes.fromhex(golden["key"]), state.body, state.stored)
        assert opened[16:] == verifier.canonical(golden["payload"])
        assert hmac.digest(opened[:16], opened[16:], "sha256").hex() == head["commitment"]
