"""Which events may follow a history (spec/policy.md §2.2, V08 and V10 to V17).

What commands refuse in their own words. Streams from elsewhere may hold such events all the same;
`resolve` gives each of them a meaning.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from domain.canonical import canonical
from domain.errors import Code, MemorandaError, invalid
from domain.resolver.deletion import deletions
from domain.resolver.events import PolicyEvent, Statement, Supersession, Tombstone
from domain.resolver.knowledge import known
from domain.resolver.lineages import Lineages


def admit(history: Iterable[PolicyEvent], event: PolicyEvent) -> bool:
    """Whether an event is new; False for one that is there already and changes nothing.

    Raises IDEMPOTENCY_CONFLICT with the reason ID_CONFLICT, NOT_FOUND with TARGET_NOT_FOUND or
    TARGET_DELETED, INVALID_REQUEST with KEY_MISMATCH, and VERSION_CONFLICT with STALE_TARGET.
    What another session holds is not there: the answer is that for an unknown target.
    """
    own = [one for one in history if one.session == event.session]
    for one in own:
        if one.id == event.id:
            if _said(one) != _said(event):
                raise _refused(Code.IDEMPOTENCY_CONFLICT, "ID_CONFLICT", "id")
            return False
    _check_targets(_Own(own), event)
    return True


class _Own:
    """The statements of one session, and which of them are deleted."""

    def __init__(self, events: Iterable[PolicyEvent]) -> None:
        events = list(events)
        held = known(events, events[0].session) if events else known((), "")
        self.statements = held.statements
        self.lineages = Lineages(held.statements)
        self.deleted = deletions(held.copies, held.tombstones, self.lineages)

    def target(self, statement_id: str, field: str = "target") -> Statement:
        """A known statement."""
        found = self.statements.get(statement_id)
        if found is None:
            raise _refused(Code.NOT_FOUND, "TARGET_NOT_FOUND", field)
        return found

    def is_tip(self, statement_id: str) -> bool:
        """Whether no other version has taken its place; one that was deleted alone gave it back."""
        return all(
            one.id in self.deleted or self.lineages.place(one.id).inert
            for one in self.statements.values()
            if one.target == statement_id
        )


def _check_targets(own: _Own, event: PolicyEvent) -> None:
    match event:
        case Statement(target=str(target)):
            _check_correction(own, event, own.target(target))
        case Supersession():
            for target in event.targets:
                own.target(target, "targets")
            own.target(event.canonical, "canonical")
        case Tombstone(scope="key") | Statement():
            return
        case _:
            own.target(event.target)


def _check_correction(own: _Own, correction: Statement, target: Statement) -> None:
    place = own.lineages.place(target.id)
    if place.root is None:  # held back itself, so that nothing can be said of it yet
        raise _refused(Code.NOT_FOUND, "TARGET_NOT_FOUND", "target")
    if place.inert or target.slot_ref != correction.slot_ref:
        raise invalid(
            "key is not that of the target: make an assertion of its own for another key",
            field="key",
            reason="KEY_MISMATCH",
        )
    if target.id in own.deleted:
        raise _refused(Code.NOT_FOUND, "TARGET_DELETED", "target")
    if not own.is_tip(target.id):
        raise _refused(Code.VERSION_CONFLICT, "STALE_TARGET", "target")


def _said(event: PolicyEvent) -> tuple[PolicyEvent, bytes]:
    """The event without its place in the log, which another delivery changes.

    Values are compared as JSON: 1 and true are not the same.
    """
    value = event.payload.value if isinstance(event, Statement) and event.payload else None
    return replace(event, position=0, appended_us=0), canonical(value)


_MESSAGES = {
    "ID_CONFLICT": "id names another event already: use a new one",
    "TARGET_NOT_FOUND": "{field} is not here, or not addressable any more: check the id",
    "TARGET_DELETED": "{field} was deleted: nothing can be said of it any more",
    "STALE_TARGET": "{field} was corrected already: read the latest version, decide again",
}


def _refused(code: Code, reason: str, field: str) -> MemorandaError:
    return MemorandaError(code, _MESSAGES[reason].format(field=field), field=field, reason=reason)
