"""Making a restored store forget again what was forgotten after its backup was taken.

It is done to the copy that will be put in place, before it is: nothing that was erased is readable
in the restored store at any moment.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from commands.api_keys import ApiKeys
from commands.erasure import Eraser
from commands.service import CommandService
from commands.sqlite_files import connect
from domain.canonical import JsonObject
from domain.context import Context
from domain.contract import ForgetInput
from domain.envelope import EventContext, Head, head_of
from domain.errors import Code, MemorandaError
from domain.requests import CONTRACT_VERSION, Request
from ops.backup_erasures import read_erasures
from ops.backup_format import KEYS, LOG
from ops.beside import Beside, open_beside

_FORGETS_AT_ONCE: Final = 200
_REASON: Final = "erased before the store was restored from an older backup ({erasure})"
_ALIVE: Final = (
    "SELECT key_id FROM json_each(?) AS wanted CROSS JOIN data_key ON key_id = wanted.value"
    " WHERE state = 'reserved'"
)


@dataclass(slots=True)
class Reapplied:
    """Memories that were forgotten again, keys of theirs and of others, API keys revoked."""

    memories: int = 0
    keys: int = 0
    api_keys: int = 0


def reapply(stage: Path, files: Sequence[Path]) -> Reapplied:
    """Carry out in the store of the folder `stage` what the files of erasures say.

    A memory or a version that the store does not have is passed. Raises StoreError,
    WrongMasterKeyError, CorruptEventError, MemorandaError.
    """
    done = Reapplied()
    if not any(True for _ in _lines(files)):
        return done
    done.keys = sum(len(_alive(stage, keys)) for keys in _destroyed(files))
    with open_beside(stage) as beside:
        done.memories += _forget(beside, _asked_for(beside, files))
        done.memories += _forget(beside, _by_keys(stage, files))
        _destroy(beside, files)
        done.api_keys = _revoke(beside, files)
    return done


def _lines(files: Sequence[Path]) -> Iterator[JsonObject]:
    for file in files:
        yield from read_erasures(file)


_Forget = tuple[Context, Request]


def _asked_for(beside: Beside, files: Sequence[Path]) -> Iterator[_Forget]:
    """What the files say was asked for, and the log of the backup does not."""
    for said in _lines(files):
        if "erasure" in said and not beside.store.load({said["erasure"]: 0}):
            asked = EventContext(**said["context"])
            for memory, version in said["targets"]:
                only = version if said["scope"] == "event" else None
                yield _request(asked, said["erasure"], memory, only)


def _by_keys(stage: Path, files: Sequence[Path]) -> Iterator[_Forget]:
    """Where a key was destroyed, and nothing says who asked for that: the versions it sealed."""
    wanted = {key for keys in _destroyed(files) for key in _alive(stage, keys)}
    if not wanted:
        return
    found: defaultdict[str, list[Head]] = defaultdict(list)
    latest: dict[str, int] = {}
    with closing(connect(stage / LOG, read_only=True)) as log:
        for (state,) in log.execute("SELECT state FROM event WHERE topic LIKE 'memory.%'"):
            head = head_of(state)
            if head.key in wanted:
                found[head.stream].append(head)
            if head.stream in found:
                latest[head.stream] = head.version
    for stream, heads in found.items():
        first, whole = heads[0], len(heads) == latest[stream]
        for version in [None] if whole else [head.version for head in heads]:
            yield _request(first.context, "its request is not known", stream, version)


def _request(asked: EventContext, erasure: str, memory: str, version: int | None) -> _Forget:
    context = Context(
        workspace=asked.workspace,
        actor=asked.actor,
        session=asked.session,
        permissions=frozenset(),
        request_id=asked.request,
        agent=asked.agent,
        trace=asked.trace,
    )
    said = ForgetInput(
        memory_id=memory,
        mode="application_delete",
        reason=_REASON.format(erasure=erasure),
        scope="lineage" if version is None else "event",
        version=version,
    )
    # Asked again after another restore, it is a replay.
    key = f"restored {memory}@{version or 'all'} {erasure}"
    return context, Request(CONTRACT_VERSION, "forget", said, key)


def _forget(beside: Beside, wanted: Iterable[_Forget]) -> int:
    """Forget, and destroy the keys of, what is there; how many memories or versions."""
    eraser = Eraser(store=beside.store, keys=beside.keys, engine=beside.engine, log=beside.log)
    service = CommandService(beside.engine, beside.keys, beside.log, eraser, beside.clock)
    forgets, done = iter(wanted), 0
    while block := list(islice(forgets, _FORGETS_AT_ONCE)):
        for answer in service.execute_many(block, atomic=False):
            if not isinstance(answer, MemorandaError):
                done += 1
            elif answer.code is not Code.NOT_FOUND:
                raise answer
    return done


def _destroyed(files: Sequence[Path]) -> Iterator[list[str]]:
    return (said["destroyed"] for said in _lines(files) if "destroyed" in said)


def _alive(stage: Path, keys: Sequence[str]) -> list[str]:
    with closing(connect(stage / KEYS, read_only=True)) as rows:
        return [key for (key,) in rows.execute(_ALIVE, (json.dumps(keys),))]


def _destroy(beside: Beside, files: Sequence[Path]) -> None:
    """Destroy what the files say is destroyed; what is not there gets its mark."""
    for said in _lines(files):
        if "destroyed" in said:
            beside.keys.destroy(said["workspace"], said["destroyed"])
    beside.keys.compact()


def _revoke(beside: Beside, files: Sequence[Path]) -> int:
    keys = ApiKeys(store=beside.store, engine=beside.engine, keys=beside.keys, clock=beside.clock)
    in_force = {one.key_id for one in keys.list() if one.revoked_at is None}
    gone = sorted({said["revoked"] for said in _lines(files) if "revoked" in said} & in_force)
    for key_id in gone:
        keys.revoke(key_id)
    return len(gone)
