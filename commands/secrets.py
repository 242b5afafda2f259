"""The secrets of one workspace, each for one use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Self

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SECRET_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class WorkspaceSecrets:
    """32 bytes each, derived from the workspace's root secret, which is never rotated.

    `ids` makes derived ids, `slots` slot references, `fingerprints` those of commands,
    `page_tokens` signs cursors. Nothing of it is ever shown.
    """

    ids: bytes = field(repr=False)
    slots: bytes = field(repr=False)
    fingerprints: bytes = field(repr=False)
    page_tokens: bytes = field(repr=False)

    @classmethod
    def derive(cls, root: bytes) -> Self:
        """HKDF-SHA256(root, label) for each label; pinned, since stored ids depend on it."""
        return cls(
            ids=_hkdf(root, b"memoranda.ids.v1"),
            slots=_hkdf(root, b"memoranda.slots.v1"),
            fingerprints=_hkdf(root, b"memoranda.fingerprints.v1"),
            page_tokens=_hkdf(root, b"memoranda.page_tokens.v1"),
        )


def _hkdf(root: bytes, label: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=SECRET_BYTES, salt=None, info=label).derive(root)
