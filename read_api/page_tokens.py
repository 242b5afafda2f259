"""Page tokens: opaque, signed, and bound to a question and its basis (spec/operations.md §6.1).

    token = base64url(HMAC-SHA-256(secret, body) ‖ body), without padding
    body  = canonical [1, workspace, question, position, as_of_us, told, base64url(recall ids)]

and behind them the policy, where the question names none and the workspace chose another than
surface-all/v1: a question is answered to its end by the policy of its first page.

The secret is the workspace's own, so that nobody can make a token, or carry one elsewhere.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias
from uuid import UUID

from domain.canonical import canonical
from domain.context import Context
from domain.contract import RecallInput
from domain.errors import MemorandaError, invalid, not_found
from domain.ids import RECALL, decode_id, encode_id
from domain.instants import Micros

PAGES_MAX: Final = 1_000
"""Pages of one question: the token names the recalls of all pages before."""

_FORMAT: Final = 1
_SIGNATURE_BYTES: Final = 32
_FIELD: Final = "page_token"

Secrets: TypeAlias = Callable[[str], bytes | None]
"""The page-token secret of a workspace; None for one that does not exist. It creates nothing."""


@dataclass(frozen=True, slots=True)
class PageToken:
    """Where the next page starts.

    `question` is the hex digest of what was asked, and by whom; `position` and `as_of_us` are the
    basis; `told` says that the first item of the next page has been announced as too large for
    the payload budget; `pages` are the recall ids of all pages before, in order; `policy` is the
    one that the workspace chose, None for what the question says.
    """

    workspace: str
    question: str
    position: int
    as_of_us: Micros
    told: bool
    pages: tuple[str, ...]
    policy: str | None = None

    def encode(self, secret: bytes) -> str:
        """The text that the client sends back.

        Raises INVALID_REQUEST beyond `PAGES_MAX` pages.
        """
        ids = [decode_id(page, RECALL) for page in self.pages]
        body = canonical(
            [
                _FORMAT,
                self.workspace,
                self.question,
                self.position,
                self.as_of_us,
                self.told,
                _to_text(b"".join(uuid.bytes for uuid in ids if uuid is not None)),
                *([] if self.policy is None else [self.policy]),
            ]
        )
        return _to_text(_signature(secret, body) + body)


def question_digest(context: Context, said: RecallInput) -> str:
    """Hex SHA-256 of the question: all of the input but limits and page token, and who asks."""
    question = said.model_dump(exclude={"limits", "page_token"})
    asker = [name for name in context.viewer if name is not None]
    return hashlib.sha256(canonical([question, *asker])).hexdigest()


def read_token(context: Context, said: RecallInput, secrets: Secrets) -> PageToken | None:
    """The token of a question; None where it has none.

    Raises INVALID_REQUEST for what we never made, NOT_FOUND for a token of another question,
    actor or workspace (spec/operations.md §10).
    """
    if said.page_token is None:
        return None
    token = _opened(said.page_token, secrets)
    named = "policy" in said.model_fields_set and token.policy is not None
    other = token.workspace != context.workspace or token.question != question_digest(context, said)
    if other or named:
        raise not_found("the page of this question", field=_FIELD, remedy="ask from its first page")
    if len(token.pages) >= PAGES_MAX:
        raise invalid(
            f"a question has at most {PAGES_MAX} pages: ask again without a page_token, "
            "with larger limits or a narrower question",
            field=_FIELD,
        )
    return token


def _opened(text: str, secrets: Secrets) -> PageToken:
    data = _from_text(text)
    signature, body = data[:_SIGNATURE_BYTES], data[_SIGNATURE_BYTES:]
    try:
        form, workspace, question, position, as_of_us, told, pages, *policy = json.loads(body)
        secret = secrets(workspace) if form == _FORMAT and isinstance(workspace, str) else None
    except (ValueError, TypeError, RecursionError):
        raise _forged() from None
    if secret is None or not hmac.compare_digest(signature, _signature(secret, body)):
        raise _forged()
    ids = _from_text(pages)
    recalls = [UUID(bytes=ids[start : start + 16]) for start in range(0, len(ids), 16)]
    return PageToken(
        workspace=workspace,
        question=question,
        position=position,
        as_of_us=as_of_us,
        told=told,
        pages=tuple(encode_id(RECALL, recall) for recall in recalls),
        policy=policy[0] if policy else None,
    )


def under_policy(context: Context, said: RecallInput, token: PageToken | None) -> RecallInput:
    """A question with its policy: the one it names, that of its first page, or the workspace's."""
    if "policy" in said.model_fields_set:
        return said
    policy = context.settings.recall_policy if token is None else token.policy
    return said if policy is None else said.model_copy(update={"policy": policy})


def _signature(secret: bytes, body: bytes) -> bytes:
    return hmac.digest(secret, body, "sha256")


def _to_text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _from_text(text: str) -> bytes:
    """The bytes of unpadded base64url; each has one spelling, so that no bit is left unsigned."""
    try:
        data = base64.b64decode(text.encode() + b"=" * (-len(text) % 4), b"-_", validate=True)
    except (ValueError, binascii.Error):
        raise _forged() from None
    if _to_text(data) != text:
        raise _forged()
    return data


def _forged() -> MemorandaError:
    return invalid(
        "page_token is none of ours: send next_page_token of the page before, unchanged",
        field=_FIELD,
    )
