"""The ids of a bundle, which two clients must meet on (docs/spec/bundle.md §1, §6).

They are derived (domain/ids.py) from what makes a thing the same thing, by a secret of the
workspace: who has none cannot test a guess. Where sessions are strict, so are concepts.
"""

from __future__ import annotations

import hashlib
import unicodedata
from typing import Final, NamedTuple

from domain.bundles.wording import Wording, wording_key
from domain.canonical import JsonObject, canonical
from domain.ids import CLAIM, CONCEPT, GUARD, WINDOW, derived_id, encode_id
from domain.visibility import Viewer

NO_REPOSITORY: Final = "no-repo"
"""What memories and paths of windows without a repository say in its place."""


class Shelf(NamedTuple):
    """Whose takeaways, of which repository: all that a window can match, and nothing else."""

    secret: bytes
    viewer: Viewer
    repo: str | None

    @property
    def _parts(self) -> tuple[str, ...]:
        """Length-prefixed by `derived_id`, so that no owner can look like another."""
        session = () if self.viewer.session is None else (self.viewer.session,)
        repo = () if self.repo is None else (self.repo,)
        return (self.viewer.actor, str(len(session)), *session, str(len(repo)), *repo)

    def concept_id(self, concept_type: str, title: str) -> str:
        """The concept of a type and a title: blanks and case of the title make no other."""
        return self._id(CONCEPT, "concept", concept_type, title_key(title))

    def takeaway_id(self, concept_id: str, wording: Wording) -> str:
        """The takeaway that a wording would begin in a concept."""
        return self._id(CLAIM, "takeaway", concept_id, wording_key(wording))

    def window_id(self, window_hash: str, proposals: list[JsonObject]) -> str:
        """The window of a content and the proposals on it."""
        said = hashlib.sha256(canonical(proposals)).hexdigest()
        return self._id(WINDOW, "window", window_hash, said)

    def turn(self) -> str:
        """The guard by which the windows of a shelf take turns: each is decided on the last."""
        return self._id(GUARD, "bundle turn")

    def wording_guard(self, wording: Wording) -> str:
        """The guard that names the takeaway which says this."""
        return self._id(GUARD, "bundle wording", wording_key(wording))

    def _id(self, prefix: str, kind: str, *parts: str) -> str:
        return encode_id(prefix, derived_id(self.secret, kind, *self._parts, *parts))


def title_key(title: str) -> str:
    """One form for all spellings of a title."""
    return " ".join(unicodedata.normalize("NFC", title).casefold().split())


def slug(text: str, characters_max: int = 80) -> str:
    """Letters and digits of any script in lower case, with hyphens between them; never empty."""
    folded = unicodedata.normalize("NFC", text).casefold()
    parts = "".join(one if one.isalnum() else " " for one in folded).split()
    return "-".join(parts)[:characters_max].strip("-") or "untitled"


def concept_path(owner: str, repo: str | None, concept_type: str, title: str) -> str:
    """`users/<owner>/repos/<repo or no-repo>/<type>/<title>.md`: a label, no file."""
    places = [_place(part) for part in (repo or "").split("/") if part] or [NO_REPOSITORY]
    return "/".join(["users", slug(owner), "repos", *places, concept_type, f"{slug(title)}.md"])


def _place(part: str) -> str:
    """A part of a repository's address: its dots stay, but for those that lead elsewhere."""
    said = ".".join(slug(piece) for piece in part.split(".") if piece)
    return said or "untitled"
