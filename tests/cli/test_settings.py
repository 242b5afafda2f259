"""Settings: from the environment, put over by the command line, refused by name."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ops.settings import Settings, SettingsError, load_settings, local_actor, server_mode


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch):
    for name in [name for name in os.environ if name.startswith("MEMORANDA_")]:
        monkeypatch.delenv(name)


def test_one_person_on_one_machine_needs_no_settings():
    settings = load_settings()

    assert (settings.data, settings.host, settings.port) == (Path(".memoranda"), "127.0.0.1", 8420)
    assert settings.host_key is None


def test_the_command_line_is_put_over_the_environment(monkeypatch):
    monkeypatch.setenv("MEMORANDA_PORT", "9000")
    monkeypatch.setenv("MEMORANDA_DATA", "elsewhere")

    settings = load_settings(port=9001, data=None)

    assert (settings.port, settings.data) == (9001, Path("elsewhere"))


def test_further_host_names_are_a_comma_list(monkeypatch):
    monkeypatch.setenv("MEMORANDA_ALLOWED_HOSTS", "a.example, b.example,")

    assert load_settings().allowed_hosts == ("a.example", "b.example")


@pytest.mark.parametrize("key", ["x" * 31, "x" * 31 + " ", "ä" * 40, "x" * 40 + "\n"])
def test_a_host_key_is_long_and_visible_or_refused_without_being_shown(monkeypatch, key):
    monkeypatch.setenv("MEMORANDA_HOST_KEY", key)

    with pytest.raises(SettingsError) as refusal:
        load_settings()

    assert "MEMORANDA_HOST_KEY" in str(refusal.value)
    assert key not in str(refusal.value)


def test_a_host_key_is_not_shown_by_accident(monkeypatch):
    monkeypatch.setenv("MEMORANDA_HOST_KEY", "canary" * 6)

    assert "canary" not in repr(load_settings())


def test_an_empty_host_key_is_none(monkeypatch):
    monkeypatch.setenv("MEMORANDA_HOST_KEY", "")

    assert load_settings().host_key is None


@pytest.mark.parametrize(
    ("given", "option"), [({"port": 70000}, "--port"), ({"host": ""}, "--host")]
)
def test_an_option_that_cannot_be_used_is_named_as_it_was_given(given, option):
    with pytest.raises(SettingsError, match=option):
        load_settings(**given)


def test_settings_do_not_change():
    with pytest.raises(ValueError, match="frozen"):
        Settings().port = 1


def test_a_user_without_a_name_still_acts(monkeypatch):
    def nobody():
        raise KeyError

    monkeypatch.setattr("getpass.getuser", nobody)

    assert local_actor() == "cli:unknown"


KEY = "5c" * 32
SERVER = {
    "database_url": "postgresql://u:canary@db/memoranda",
    "redis_url": "redis://:canary@doorbell:6379/0",
    "master_key": KEY,
}


def test_two_addresses_and_a_master_key_make_the_server_mode():
    assert server_mode(load_settings()) is None

    mode = server_mode(load_settings(**SERVER))

    assert mode is not None
    assert (mode.database_url, mode.redis_url) == (SERVER["database_url"], SERVER["redis_url"])
    assert mode.master_key == bytes.fromhex(KEY)
    assert not {"canary", KEY} & set(re.split(r"\W", repr(mode) + repr(load_settings(**SERVER))))


@pytest.mark.parametrize("missing", SERVER)
def test_a_part_that_the_server_mode_lacks_is_named(missing):
    given = {name: value for name, value in SERVER.items() if name != missing}

    with pytest.raises(SettingsError, match=f"MEMORANDA_{missing.upper()} is missing"):
        server_mode(load_settings(**given))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("database_url", "mysql://canary"),
        ("redis_url", "http://canary"),
        ("master_key", "canary"),
        ("master_key", "zz" * 32),
        ("master_key", "5c" * 16),
    ],
)
def test_what_is_no_address_or_no_key_is_refused_without_being_told(monkeypatch, name, value):
    monkeypatch.setenv(f"MEMORANDA_{name.upper()}", value)

    with pytest.raises(SettingsError, match=f"MEMORANDA_{name.upper()} cannot be used") as told:
        load_settings()

    assert value not in str(told.value)
