"""Keys can be made and revoked while a server has the data folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.errors import Code, MemorandaError
from ops.wiring import open_api_keys, open_memoranda


def test_a_key_made_beside_a_running_store_works_in_it(tmp_path: Path) -> None:
    # Given a store at work, which makes a key itself
    server = open_memoranda(tmp_path / "data")
    server.keys.create(name="own", workspace="w", actor="ana", permissions=["read"])
    # When another process makes one, and the server another
    with open_api_keys(tmp_path / "data") as beside:
        token, info = beside.create(name="new", workspace="w", actor="bea", permissions=["read"])
    server.keys.create(name="third", workspace="w", actor="ana", permissions=["read"])
    # Then all are known, in one stream without a gap
    assert server.keys.authenticate(token) == info
    assert [key.name for key in server.keys.list()] == ["own", "new", "third"]
    events = server.log.after(0, 10)
    assert [(event.topic, event.version) for event in events] == [
        ("key.issued", 1),
        ("key.issued", 2),
        ("key.issued", 3),
    ]
    server.close()


def test_a_key_revoked_beside_a_running_store_is_refused_by_it(tmp_path: Path) -> None:
    server = open_memoranda(tmp_path / "data")
    token, info = server.keys.create(name="own", workspace="w", actor="ana", permissions=["read"])
    with open_api_keys(tmp_path / "data") as beside:
        beside.revoke(info.key_id)
    with pytest.raises(MemorandaError) as refusal:
        server.keys.authenticate(token)
    assert refusal.value.code is Code.AUTH_INVALID
    server.close()
