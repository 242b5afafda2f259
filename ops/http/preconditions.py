"""Headers that say again, or in HTTP's own words, what the contract says in the body.

`Idempotency-Key` is a twin of `idempotency_key`, `If-Match` of an update's `expected_version`,
`If-None-Match: *` of a remember's `expected_version` 0. They are put into the envelope before it
is read, so that fingerprint, receipt and replay are those of the body (spec/operations.md §8).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers

from domain.canonical import Json
from domain.errors import Code, MemorandaError, invalid
from ops.http.etags import REVIEW
from ops.http.headers import decoded, single

IDEMPOTENCY_KEY: Final = "Idempotency-Key"
IF_MATCH: Final = "If-Match"
IF_NONE_MATCH: Final = "If-None-Match"
_VERSION: Final = re.compile(rf'"(0|[1-9]\d{{0,17}})(?:{REVIEW})?"')


@dataclass(frozen=True, slots=True)
class Preconditions:
    """What the headers ask for beside the body."""

    key: str | None
    if_match: int | None
    only_new: bool = False

    @classmethod
    def of(cls, headers: Headers) -> Preconditions:
        """Read them; INVALID_REQUEST for one that cannot be kept."""
        none_match = single(headers, IF_NONE_MATCH)
        if none_match is not None and none_match.strip() != "*":
            raise invalid(
                f"{IF_NONE_MATCH} of a mutation must be *: it expects a new memory",
                field=IF_NONE_MATCH,
            )
        return cls(
            key=decoded(headers, IDEMPOTENCY_KEY),
            if_match=_version(single(headers, IF_MATCH)),
            only_new=none_match is not None,
        )

    def into(self, envelope: Json) -> Json:
        """The envelope with what the headers add; what is no envelope stays for its own check."""
        if not isinstance(envelope, dict):
            return envelope
        if self.if_match is not None and envelope.get("operation") != "update":
            raise invalid(f"{IF_MATCH} goes with update: leave it out", field=IF_MATCH)
        if self.only_new and envelope.get("operation") != "remember":
            raise invalid(f"{IF_NONE_MATCH} goes with remember: leave it out", field=IF_NONE_MATCH)
        if self.key is not None:
            envelope = _twin(envelope, "idempotency_key", self.key, IDEMPOTENCY_KEY)
        version, header = (0, IF_NONE_MATCH) if self.only_new else (self.if_match, IF_MATCH)
        said = envelope.get("input")
        if version is not None and isinstance(said, dict):
            said = _twin(said, "expected_version", version, header)
            envelope = {**envelope, "input": said}
        return envelope

    def refuse_all(self, what: str, remedy: str = "leave it out") -> None:
        """For what takes none of them: a batch, whose items speak for themselves, and the like."""
        for field, given in (
            (IDEMPOTENCY_KEY, self.key is not None),
            (IF_MATCH, self.if_match is not None),
            (IF_NONE_MATCH, self.only_new),
        ):
            if given:
                raise invalid(f"{field} does not go with {what}: {remedy}", field=field)

    def translated(self, error: MemorandaError) -> MemorandaError:
        """A version conflict is a failed precondition where a header has set it."""
        if error.code is Code.VERSION_CONFLICT and (self.only_new or self.if_match is not None):
            error.status = 412
        return error


def _version(text: str | None) -> int | None:
    if text is None:
        return None
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        raise invalid(
            f'{IF_MATCH} must be one strong ETag, as in "3": the version that is expected',
            field=IF_MATCH,
        )
    return int(match[1])


def _twin(said: dict[str, Json], name: str, value: Json, header: str) -> dict[str, Json]:
    given = said.get(name)
    # 1.0 and true equal 1 in Python, but not in the contract.
    if given is not None and (type(given) is not type(value) or given != value):
        raise invalid(f"{header} and {name} differ: send one of them, or both alike", field=name)
    return {**said, name: value}
