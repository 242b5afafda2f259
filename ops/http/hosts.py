"""Which names this server answers to: a page that rebinds its own name to us is refused.

A browser sends the name that it looked up. Whoever points a name of theirs at a loopback address
sends that name, and an address in figures cannot be rebound; so names are checked and, where the
server listens on all addresses, figures are let through.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final

from domain.errors import Code, MemorandaError
from ops.settings import Settings

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_EVERYWHERE: Final = frozenset({"0.0.0.0", "::", "[::]"})  # noqa: S104 - compared, not bound
_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]/@\s]+)(?::\d{1,5})?")


class AllowedHosts:
    """The names of `settings`: loopback, the host that it listens on, and `allowed_hosts`."""

    def __init__(self, settings: Settings) -> None:
        given = {_bracketed(settings.host.lower()), *map(str.lower, settings.allowed_hosts)}
        self._names = LOOPBACK | (given - _EVERYWHERE)
        self._any_address = settings.host in _EVERYWHERE

    def refusal(self, hosts: list[str]) -> MemorandaError | None:
        """Why a request with these Host headers is not for us; None if it is."""
        match = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        if match is not None:
            name = match[1].lower()
            if name in self._names or (self._any_address and _is_address(name)):
                return None
        return MemorandaError(
            Code.INVALID_REQUEST,
            "the Host header does not name this server: use its address, or allow the name with "
            "MEMORANDA_ALLOWED_HOSTS",
            field="Host",
            reason="HOST_NOT_ALLOWED",
            status=421,
        )


def _bracketed(host: str) -> str:
    """An IPv6 address as it stands in URLs."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
