"""Failures of other programs that kept answers in files, as tests of ours."""

from __future__ import annotations

import pytest

from ops.wiring import open_memoranda
from read_api.list_filters import MemoryFilters
from tests.circumstances import context
from tests.engine.building import Caller

DAMAGES = {
    "removed": lambda path: path.unlink(),
    "emptied": lambda path: path.write_bytes(b""),
    "cut in half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "cut within a page": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "of something else": lambda path: path.write_bytes(b"\x80\x04pickle" * 1000),
    "overwritten in the middle": lambda path: path.write_bytes(
        path.read_bytes()[:8192] + b"\xff" * 4096 + path.read_bytes()[12288:]
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_report_64_read_models_that_are_damaged_are_built_anew_and_answer_as_before(
    tmp_path, damage
):
    # given
    data = tmp_path / "data"
    memoranda = open_memoranda(data)
    ana = Caller(memoranda, context())
    for number in range(40):
        ana.remember(content={"format": "text", "value": f"zebra number {number}"})
    before = told(ana)
    memoranda.close()
    # when
    DAMAGES[damage](data / "views.db")
    # then: what is primary is untouched, what was damaged is made from it
    memoranda = open_memoranda(data)
    try:
        assert told(Caller(memoranda, context())) == before
    finally:
        memoranda.close()


def told(caller):
    """What a recall and a list answer."""
    found = caller.send("recall", objective="zebra number 7")
    items = [(item["record"], item["score"]) for item in found["items"]]
    listed = caller.memoranda.read.memories(caller.who, MemoryFilters())
    return items, found["completeness"], [one["id"] for one in listed["items"]]
