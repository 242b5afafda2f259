"""What may happen to a memory: commands in, facts out, or a refusal. Pure."""

from __future__ import annotations

from domain import limits
from domain.canonical import JsonObject
from domain.checks import empty_validity
from domain.contract import ForgetInput, Patch, RememberInput, plain
from domain.decisions import Decision, Fact, appended
from domain.errors import Code, MemorandaError, invalid, not_found
from domain.event_bases import Reason
from domain.events import (
    ErasureStep,
    IdentityClaimed,
    IdentityReleased,
    MemoryForgotten,
    MemoryRemembered,
    MemoryRevised,
    MemoryUpdated,
    Remembered,
)
from domain.events import Patch as StoredPatch
from domain.ids import ERASURE, MEMORY
from domain.instants import Micros, optional_instant
from domain.memory import UNKNOWN, MemoryState
from domain.memory_events import moved
from domain.slots import named_slot, slot_of
from domain.visibility import Bounds, Home, Viewer
from domain.workspace_settings import refuse_without_source


def remember(
    d: Decision, said: RememberInput, guard: str | None, existing: MemoryState | None
) -> list[Fact]:
    """An upsert of `existing`, else a new memory at version 1 (with a claim on its `guard`).

    An `expected_version` of 0 expects a new memory (bug report 26).
    """
    refuse_without_source(d.context.settings, len(said.provenance))
    if existing is not None and existing.addressable_by(d.context.viewer):
        expect_version(existing.version, said.expected_version, existing.id)
        return [Fact(existing.id, _revision(d, said, existing))]
    expect_version(0, said.expected_version)
    content = said.content.as_json()
    slot = slot_of(content, said.identity_key)
    memory = d.new_id(MEMORY)
    remembered = MemoryRemembered(
        session=d.context.session,
        visibility=said.visibility,
        owner=d.context.actor,
        slot_ref=None if slot is None else d.slot_ref(slot),
        valid_from=said.valid_from,
        valid_until=said.valid_until,
        expires_at=said.expires_at,
        lifecycle="active",
        payload=_payload(said, content),
    )
    claim = [Fact(guard, IdentityClaimed(target_id=memory))] if guard is not None else []
    return [*claim, Fact(memory, remembered)]


def _payload(said: RememberInput, content: JsonObject) -> Remembered:
    confidence = {} if said.confidence is None else {"confidence": said.confidence}
    return Remembered(
        kind=said.kind,
        schema_version=said.schema_version,
        content=content,
        tags=said.tags,
        provenance=plain(said.provenance),
        identity_key=said.identity_key,
        **confidence,
    )


def _revision(d: Decision, said: RememberInput, state: MemoryState) -> MemoryRevised:
    content = said.content.as_json()
    _same_slot(d, state, named_slot(content), "content")
    bounded(len(appended(state.provenance, plain(said.provenance))), "provenance")
    return MemoryRevised(
        **homed(state),
        **_aimed(state),
        valid_from=said.valid_from,
        valid_until=said.valid_until,
        expires_at=said.expires_at,
        lifecycle="active",
        payload=_payload(said, content),
    )


def homed(state: MemoryState) -> JsonObject:
    """The structure that every later event of a memory repeats."""
    home: Home = state.home
    return {
        "session": home.session,
        "visibility": home.visibility,
        "owner": home.owner,
        "slot_ref": state.slot_ref,
    }


def _aimed(state: MemoryState) -> JsonObject:
    """What a correction names: nothing, and so the version before it, unless that is not what the
    memory shows (`MemoryState.tangle`).
    """
    return {} if state.tangle is None else {"targets": [(state.id, state.shows)]}


def _same_slot(d: Decision, state: MemoryState, named: str | None, field: str) -> None:
    """By reference, which holds the slot's identity also after its text was erased."""
    if named is not None and d.slot_ref(named) != state.slot_ref:
        raise invalid(
            f"{field} names another slot than version 1: remember a new memory for it",
            field=field,
            reason="KEY_MISMATCH",
        )


def bounded(count: int, field: str) -> None:
    """Refuse what would make a record grow without end."""
    most = limits.RECORD_TAGS_MAX if field.endswith("tags") else limits.RECORD_PROVENANCE_MAX
    if count > most:
        raise invalid(f"{field} would grow to {count} entries: at most {most}", field=field)


def expect_version(current: int, expected: int | None, holder: str | None = None) -> None:
    """Optimistic concurrency: VERSION_CONFLICT names the current version, and who holds a key."""
    if expected is not None and expected != current:
        of = "" if holder is None else f" of {holder}"
        raise MemorandaError(
            Code.VERSION_CONFLICT,
            f"expected_version is {expected}, the current version{of} is {current}: "
            "read it, decide again",
            field="expected_version",
            reason="STALE_TARGET",
            current_version=current,
        )


def addressable(state: MemoryState | None, viewer: Viewer, field: str) -> MemoryState:
    """The memory, or NOT_FOUND; who may not see it cannot tell that it exists."""
    if state is None or state.forgotten == UNKNOWN or not state.home.visible_to(viewer):
        raise not_found("the memory", field=field, reason="TARGET_NOT_FOUND")
    if state.forgotten is not None:
        raise not_found("the memory", field=field, reason="TARGET_DELETED")
    return state


def changed_bounds(patch: Patch) -> JsonObject:
    """The date fields that a patch sets, those that it clears as None."""
    names = ("valid_from", "valid_until", "expires_at")
    said: JsonObject = {name: getattr(patch, name) for name in names}
    return {name: at for name, at in said.items() if at is not None or name in patch.clear}


def update(
    d: Decision, state: MemoryState | None, patch: Patch, expected: int | None
) -> list[Fact]:
    """A correction or an expiry: only what was set is stored (bug report 1)."""
    known = addressable(state, d.context.viewer, "target.id")
    expect_version(known.version, expected)
    stored: JsonObject = {}
    if patch.content is not None:
        stored["content"] = patch.content.as_json()
        _same_slot(d, known, named_slot(stored["content"]), "patch.content")
    if patch.confidence is not None or "confidence" in patch.clear:
        stored["confidence"] = patch.confidence
    if patch.add_tags:
        stored["add_tags"] = patch.add_tags
        bounded(len({*known.tags, *patch.add_tags}), "patch.add_tags")
    if patch.add_provenance:
        stored["add_provenance"] = plain(patch.add_provenance)
        merged = appended(known.provenance, stored["add_provenance"])
        bounded(len(merged), "patch.add_provenance")
    structure = changed_bounds(patch)
    if patch.lifecycle is not None:
        structure["lifecycle"] = patch.lifecycle
    event = MemoryUpdated(
        **homed(known), **_aimed(known), **structure, payload=StoredPatch(**stored)
    )
    refuse_empty_validity(moved(known.bounds, event, d.now_us), patch)
    return [Fact(known.id, event)]


def refuse_empty_validity(bounds: Bounds, patch: Patch) -> None:
    """A patch of one bound must leave an interval together with the other, kept one."""
    start = optional_instant(bounds.valid_from, "patch.valid_from")
    if start is not None and bounds.until_us <= start:
        raise empty_validity("patch.valid_until" if patch.valid_until else "patch.valid_from")


def forget(
    d: Decision, said: ForgetInput, state: MemoryState | None, guard: str | None
) -> list[Fact]:
    """Hide (`expire`), forget for good (`tombstone`), or destroy (`application_delete`)."""
    if state is None or not _forgettable(d, said, state):
        born = state is not None and state.forgotten != UNKNOWN
        seen = state is not None and born and state.home.visible_to(d.context.viewer)
        why = "TARGET_DELETED" if seen else "TARGET_NOT_FOUND"
        raise not_found("the memory", field="memory_id", reason=why)
    facts = _forgetting(said, state, guard)
    if said.mode == "application_delete":
        facts.append(_erasure_request(d, [(state.id, said.version or state.version)], said))
    return facts


def _forgettable(d: Decision, said: ForgetInput, state: MemoryState) -> bool:
    """Addressable, or only tombstoned so far and to be destroyed now."""
    stronger = said.mode == "application_delete" and state.forgotten == "tombstone"
    return state.home.visible_to(d.context.viewer) and (state.forgotten is None or stronger)


def _forgetting(said: ForgetInput, state: MemoryState, guard: str | None) -> list[Fact]:
    event = MemoryForgotten(
        **homed(state),
        mode=said.mode,
        scope=said.scope,
        **_consequence(said, state),
        payload=Reason(reason=said.reason),
    )
    for_good = said.mode != "expire" and said.scope != "event"
    if guard is None or not for_good or state.forgotten is not None:
        return [Fact(state.id, event)]
    return [Fact(state.id, event), Fact(guard, IdentityReleased(target_id=state.id))]


def _consequence(said: ForgetInput, state: MemoryState) -> JsonObject:
    if said.mode == "expire":
        return {"lifecycle": "expired", "expires_at": said.expires_at}
    if said.scope != "event":
        return {"lifecycle": "tombstoned"}
    version = said.version or 0
    forgotten = said.mode == "tombstone" and version in state.dead_versions
    if forgotten or not 1 <= version <= state.version:
        raise not_found("that version", field="version")
    return {"targets": [(state.id, version)]}


def _erasure_request(d: Decision, targets: list[tuple[str, int]], said: ForgetInput) -> Fact:
    """The first step of an erasure, in the transaction of the forget: it cannot get lost.

    A target names one version where the scope is `event`, else the last of all its versions.
    """
    count = 1 if said.scope == "event" else sum(version for _, version in targets)
    step = ErasureStep(
        mode="requested", scope=said.scope, targets=targets, counts={"versions": count}
    )
    return Fact(d.new_id(ERASURE), step)


def forget_slot(
    d: Decision, said: ForgetInput, slot: list[tuple[MemoryState, str | None]]
) -> list[Fact]:
    """Scope `key`: every addressable memory of the slot that was recorded by now.

    `slot` holds each of its memories with its identity guard.
    """
    covered = [
        (state, guard)
        for state, guard in slot
        if _forgettable(d, said, state) and state.recorded_us <= d.now_us
    ]
    if said.memory_id not in {state.id for state, _ in covered}:
        raise not_found("the memory", field="memory_id")
    facts = [fact for state, guard in covered for fact in _forgetting(said, state, guard)]
    if said.mode == "application_delete":
        targets = [(state.id, state.version) for state, _ in covered]
        facts.append(_erasure_request(d, targets, said))
    return facts


def refuse_forgotten_slot(recorded_us: Micros, forgotten_us: Micros | None) -> None:
    """A late fact may not re-enter a slot that was forgotten after it (spec §10)."""
    if forgotten_us is not None and recorded_us <= forgotten_us:
        raise invalid(
            "the slot was forgotten after this recording time: record it as of now, "
            "or leave it forgotten",
            field="content",
            reason="SLOT_FORGOTTEN",
        )
