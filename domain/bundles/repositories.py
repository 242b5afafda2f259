"""One spelling for the address of a repository (docs/spec/bundle.md §2, repo_identifier)."""

from __future__ import annotations

import re
from typing import Final

_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_DRIVE: Final = re.compile(r"/?[a-z]:(?:[\\/]|$)", re.IGNORECASE)
_QUERY: Final = re.compile(r"[?#]")
_SLASHES: Final = re.compile(r"/{2,}")
_HOST: Final = re.compile(r"(\[[^\]/]*\]|[^:/\[][^:/]*):([^/]*)(.*)", re.DOTALL)
_DEFAULT_PORTS: Final = frozenset({"22", "80", "443", "9418"})
"""Of ssh, http, https and git. They name no other repository, whichever scheme they stand with."""
_ENDS: Final = "/" + "".join(c for c in map(chr, range(0x3001)) if c.isspace())


def repo_identifier(text: str | None) -> str | None:
    """The identifier of the repository that an address names; None for nothing and for blanks.

    Host and path in lower case: without scheme, user info, default port, query, fragment, one
    `.git` and slashes at the end, runs of slashes as one. `user@host:path` is host/path. Paths of
    files keep the slash or the drive that they begin with. Any text is an address, none raises.
    """
    said = _settled(text or "")
    named = said.removesuffix(".git")
    return (said if named == said else _settled(named)) or None


def _settled(said: str) -> str:
    """The address without all but host and path, so often that once more changes nothing.

    Whoever got an identifier may send it as an address. Once is enough, but for what is none.
    """
    before = None
    while said != before:
        before, said = said, _reduced(said)
    return said


def _reduced(said: str) -> str:
    said = said.strip()
    local = said.startswith("\\\\") or _DRIVE.match(said) is not None
    while not local and (scheme := _SCHEME.match(said)):
        said = said[scheme.end() :].lstrip()
        local = scheme.group().lower() == "file://"
        if not local:
            said = _without_port(_without_user(said))
    said = said.replace("\\", "/") if local else _host_and_path(said)
    said = _SLASHES.sub("/", _QUERY.split(said, maxsplit=1)[0]).strip().rstrip(_ENDS).lower()
    # What file:///c:/app names is c:/app, as it is called where it lies.
    return said[1:] if said.startswith("/") and _DRIVE.match(said) else said


def _without_user(said: str) -> str:
    """The text without what stands before the last `@` of its first part: passwords hold some."""
    head, slash, rest = said.partition("/")
    return head.rpartition("@")[2] + slash + rest


def _without_port(said: str) -> str:
    """`host:port/path` without a default port, and without an empty one."""
    found = _HOST.fullmatch(said)
    if found is None:
        return said
    host, port, path = found.groups()
    return host + path if port in _DEFAULT_PORTS or not port else said


def _host_and_path(said: str) -> str:
    """`user@host:path`, as ssh and git write it, as host/path.

    What follows the colon is a path after a user, also when it is a number. Without a user a
    number is a port: so we write it ourselves.
    """
    before, colon, after = said.partition(":")
    user, at, host = before.rpartition("@")
    named = bool(at) and "/" not in user
    said = host + colon + after if named else _without_user(said)
    found = _HOST.fullmatch(said)
    if found is None:
        return said
    host, first, path = found.groups()
    if first.isdecimal() and not named:
        return _without_port(said)
    return f"{host}/{first}{path}"
