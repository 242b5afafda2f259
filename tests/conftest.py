"""What every test gets: Hypothesis settings, a closed network, and services where it asks."""

from __future__ import annotations

import ipaddress
import os
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.services.plugin", "tests.services.stores"]

# Times are not judged: the machine is shared, and a slow example is no wrong one. Nor is how hard
# an example was to find: by chance some are, and that says nothing of the product. In CI examples
# are derived from the test, so that the same tree gives the same verdict; elsewhere they vary and
# find more.
settings.register_profile(
    "local",
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that may take long come first, so that no process is left with one at the end."""
    usual = float(config.getini("timeout"))

    def seconds_max(item: pytest.Item) -> float:
        mark = item.get_closest_marker("timeout")
        return float(mark.args[0]) if mark else usual

    items.sort(key=seconds_max, reverse=True)


class NetworkIsClosedError(RuntimeError):
    """A test reached for an address that is not on this machine."""


def _is_local(address: Any) -> bool:
    """Tell whether an address given to a socket stays here: a Unix path, or loopback."""
    if not isinstance(address, tuple):
        return True
    host = address[0]
    if host in {"localhost", ""}:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _refuse_network(event: str, args: tuple[Any, ...]) -> None:
    if event == "socket.connect" and not _is_local(args[1]):
        message = f"tests connect to this machine only, not to {args[1]!r}"
        raise NetworkIsClosedError(message)


sys.addaudithook(_refuse_network)
