"""What can be refused, and under which code (spec/operations.md §1, table of errors)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Code(StrEnum):
    """The closed set of error codes; each has one HTTP status in `STATUS`."""

    INVALID_REQUEST = "INVALID_REQUEST"
    IDEMPOTENCY_KEY_REQUIRED = "IDEMPOTENCY_KEY_REQUIRED"
    AUTH_REQUIRED = "AUTH_REQUIRED"
    AUTH_INVALID = "AUTH_INVALID"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    POLICY_APPROVAL_REQUIRED = "POLICY_APPROVAL_REQUIRED"
    NOT_FOUND = "NOT_FOUND"
    VERSION_CONFLICT = "VERSION_CONFLICT"
    IDEMPOTENCY_CONFLICT = "IDEMPOTENCY_CONFLICT"
    INVALID_BUDGET = "INVALID_BUDGET"
    RATE_LIMITED = "RATE_LIMITED"
    INTERNAL = "INTERNAL"
    DURABILITY_FAILED = "DURABILITY_FAILED"
    OVERLOADED = "OVERLOADED"
    CANCELLED = "CANCELLED"


STATUS: Final[dict[Code, int]] = {
    Code.INVALID_REQUEST: 400,
    Code.IDEMPOTENCY_KEY_REQUIRED: 400,
    Code.AUTH_REQUIRED: 401,
    Code.AUTH_INVALID: 401,
    Code.PERMISSION_DENIED: 403,
    Code.POLICY_APPROVAL_REQUIRED: 403,
    Code.NOT_FOUND: 404,
    Code.VERSION_CONFLICT: 409,
    Code.IDEMPOTENCY_CONFLICT: 409,
    Code.INVALID_BUDGET: 422,
    Code.RATE_LIMITED: 429,
    Code.INTERNAL: 500,
    Code.DURABILITY_FAILED: 503,
    Code.OVERLOADED: 503,
    Code.CANCELLED: 503,
}

RETRYABLE: Final = frozenset(
    {Code.RATE_LIMITED, Code.DURABILITY_FAILED, Code.OVERLOADED, Code.CANCELLED}
)


class MemorandaError(Exception):
    """A request that is refused, with all that its sender needs to mend it.

    `field` is a dotted path into the request, `reason` the code of spec/policy.md where there is
    one, `status` overrides the code's HTTP status (413 and 415 are INVALID_REQUEST),
    `retry_after` is in seconds. The message never holds content or internal names.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        field: str | None = None,
        reason: str | None = None,
        current_version: int | None = None,
        status: int | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.reason = reason
        self.current_version = current_version
        self.status = STATUS[code] if status is None else status
        self.retry_after = retry_after

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed later without a change."""
        return self.code in RETRYABLE

    def as_wire(self) -> dict[str, object]:
        """The `error` member of the contract's error body."""
        wire: dict[str, object] = {
            "code": self.code.value,
            "message": self.message,
            "retryable": self.retryable,
        }
        for name in ("field", "reason", "current_version"):
            value = getattr(self, name)
            if value is not None:
                wire[name] = value
        return wire


def invalid(message: str, *, field: str | None = None, reason: str | None = None) -> MemorandaError:
    """An INVALID_REQUEST; the message names the field, the limit and the remedy."""
    return MemorandaError(Code.INVALID_REQUEST, message, field=field, reason=reason)


def not_found(
    what: str,
    *,
    field: str | None = None,
    reason: str | None = None,
    remedy: str = "check its id, and from which workspace and session you ask",
) -> MemorandaError:
    """A NOT_FOUND; absent, foreign and private all read the same."""
    said = f"{what} is not here, or not addressable any more: {remedy}"
    return MemorandaError(Code.NOT_FOUND, said, field=field, reason=reason)
