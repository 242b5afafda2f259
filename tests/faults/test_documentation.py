"""docs/faults.md tells of every refusal that is tried here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.test_requests import FAULTS, Fault

PAGE = Path(__file__).resolve().parents[2] / "docs" / "faults.md"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_refusal_is_documented(fault: Fault) -> None:
    status, code, field, reason = fault.told
    named = " · ".join(f"`{name}`" for name in (field, reason) if name is not None)

    rows = [row.split(" | ") for row in PAGE.read_text("utf-8").splitlines() if " | " in row]

    assert [f"{status} `{code}`", named] in [row[1:3] for row in rows]
