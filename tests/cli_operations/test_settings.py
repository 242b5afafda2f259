"""`memoranda settings`, on a folder and on a server."""

from __future__ import annotations

import json


def test_settings_are_changed_and_shown(local):
    chosen = ("--recall-policy", "newest-recorded/v1")
    changed = local("settings", "--require-source", *chosen, "--json")
    shown = local("settings")
    refused = local("remember", "no source", "--json")

    said = json.loads(changed.out)
    policy = {"recall_policy": "newest-recorded/v1"}
    assert said == {"session_isolation": "label", "require_source": True, **policy, "version": 1}
    assert shown.out.splitlines() == [
        "session_isolation: label",
        "require_source: true",
        "recall_policy: newest-recorded/v1",
        "version: 1",
    ]
    assert refused.code == 2


def test_a_server_asks_for_the_permission(remote):
    refused = remote("settings", "--require-source", "--json")
    shown = remote("settings", "--json")

    assert refused.code == 1
    assert json.loads(shown.out)["version"] == 0
