"""Names that stand in columns of the log have no NUL, which PostgreSQL could not store."""

from __future__ import annotations

import pytest

from domain.errors import MemorandaError
from ops.trusted_names import check_scope, check_workspace
from ops.wiring import open_memoranda


@pytest.mark.parametrize("check", [check_scope, check_workspace])
def test_a_scope_with_nul_is_refused(check):
    with pytest.raises(MemorandaError, match=r"U\+0000"):
        check("a\0b", "workspace")


@pytest.mark.parametrize("field", ["name", "workspace", "actor", "agent"])
def test_a_key_with_nul_is_refused(tmp_path, field):
    named = {"name": "ci", "workspace": "w", "actor": "ann", "agent": "a"} | {field: "a\0b"}
    memoranda = open_memoranda(tmp_path / "data")
    try:
        with pytest.raises(MemorandaError, match=r"U\+0000.*leave it out") as caught:
            memoranda.keys.create(**named, permissions=["read"])
    finally:
        memoranda.close()

    assert caught.value.field == field
