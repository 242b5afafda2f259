"""Which evidence is independent: copies of one origin open one cluster.

An origin is a source, a document (a locator up to its fragment), or the memory at the root of a
`derived_from` chain. Two pieces that share an origin are in one cluster, and so are two that are
joined by others; the order of the pieces does not matter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from domain.claims.pieces import Piece

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PLAIN: Final = re.compile(r"https?://([A-Za-z0-9][A-Za-z0-9.-]*)(/[!-\"$->@-~]*)?(\?[!-~]*)?")
"""What most documents are named by: of ASCII, with no port, user or fragment."""
_DEFAULT_PORTS: Final = {"http": 80, "https": 443, "ftp": 21}


class Cluster(NamedTuple):
    """Pieces of one origin, by relationship id. It weighs as much as its heaviest piece."""

    pieces: tuple[Piece, ...]
    origins: frozenset[str]

    @property
    def weight(self) -> float:
        """0 to 1: what was copied does not weigh more for it."""
        return max(piece.weight for piece in self.pieces)

    @property
    def counts(self) -> bool:
        """Whether any of its pieces may open a cluster of its own."""
        return any(piece.independent for piece in self.pieces)


def clusters(pieces: Sequence[Piece], *, by_host: bool = False) -> list[Cluster]:
    """The pieces by common origin, ordered by their first relationship id.

    `by_host` takes documents of one host for one origin. A piece without any origin is its own.
    """
    parents = list(range(len(pieces)))

    def root(at: int) -> int:
        while parents[at] != at:
            parents[at] = parents[parents[at]]
            at = parents[at]
        return at

    first: dict[str, int] = {}
    for at, piece in enumerate(pieces):
        for name in _keys(piece, by_host=by_host):
            parents[root(at)] = root(first.setdefault(name, at))
    members: dict[int, list[Piece]] = {}
    for at, piece in enumerate(pieces):
        members.setdefault(root(at), []).append(piece)
    found = [_cluster(inside) for inside in members.values()]
    return sorted(found, key=lambda cluster: cluster.pieces[0].edge)


def independent(pieces: Sequence[Piece], *, by_host: bool = False) -> int:
    """How many independent origins the pieces come from.

    A relationship that says `independent: false` opens no cluster; one that says `true` raises
    nothing.
    """
    return sum(cluster.counts for cluster in clusters(pieces, by_host=by_host))


def _cluster(pieces: Sequence[Piece]) -> Cluster:
    if len(pieces) == 1:
        return Cluster((pieces[0],), pieces[0].origins)
    inside = tuple(sorted(pieces, key=lambda piece: piece.edge))
    return Cluster(inside, frozenset().union(*(piece.origins for piece in inside)))


def _keys(piece: Piece, *, by_host: bool) -> Iterable[str]:
    yield from piece.origins
    if by_host:
        yield from (f"host {host}" for host in piece.hosts)
    if not piece.origins:
        yield f"memory {piece.memory[0]}"


def origins_of(source_id: str, locator: str | None) -> tuple[frozenset[str], frozenset[str]]:
    """The origins that a reference names, each in one spelling; and the hosts of its documents.

    A locator that is a URI names a document by itself; another one, such as `p. 3` or
    `src/app.py#L4`, is a place in its source. A source id that is a URI is a document as well.
    """
    origins, hosts = set[str](), set[str]()
    for text in (source_id, locator or ""):
        name = unicodedata.normalize("NFC", text).strip()
        if text is not source_id and not _SCHEME.match(name):
            continue
        document, host = _document(name)
        origins.add(document)
        if host:
            hosts.add(host)
    return frozenset(origins), frozenset(hosts)


def _document(name: str) -> tuple[str, str | None]:
    """A URI without its fragment, in its normal form (RFC 3986 §6.2); other names as they are."""
    if not _SCHEME.match(name):
        return name, None
    plain = name.partition("#")[0]
    if (usual := _PLAIN.fullmatch(plain)) is not None:
        named, path, asked = usual.groups("")
        host = named.lower().rstrip(".")
        return f"http://{host}{path.rstrip('/')}{asked if len(asked) > 1 else ''}", host
    return _parsed(plain)


def _parsed(plain: str) -> tuple[str, str | None]:
    """The normal form of any URI without a fragment."""
    try:
        parts = urlsplit(plain)
        port = parts.port
    except ValueError:
        return plain, None
    scheme, host = parts.scheme.lower(), (parts.hostname or "").rstrip(".")
    if not host:
        return f"{scheme}:{plain.partition(':')[2]}", None
    named = "" if port in {None, _DEFAULT_PORTS.get(scheme)} else f":{port}"
    query = f"?{parts.query}" if parts.query else ""
    secure = "http" if scheme == "https" else scheme
    return f"{secure}://{host}{named}{parts.path.rstrip('/')}{query}", host
