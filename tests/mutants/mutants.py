"""The changes that must be noticed, one a law, and by which tests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """`old` stands once in `file`; with `new` in its place some of `tests` must fail."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def _laws(name: str, *more: str) -> tuple[str, ...]:
    return (f"tests/laws/test_{name}.py", *more)


MUTANTS = (
    Mutant(
        "an update stores what it did not say",
        "domain/registry.py",
        "self.payload.model_dump(exclude_unset=True)",
        "self.payload.model_dump()",
        ("tests/domain/test_patches.py",),
    ),
    Mutant(
        "an update loses the tags",
        "domain/memory.py",
        "tags=(*state.tags, *new_tags),",
        "tags=(*new_tags,),",
        ("tests/domain/test_patches.py",),
    ),
    Mutant(
        "a private record is visible to all",
        "domain/visibility.py",
        'return self.visibility == "workspace" or self.owner == actor',
        "return True",
        _laws("isolation"),
    ),
    Mutant(
        "validity is closed at its end",
        "domain/visibility.py",
        "return self.from_us <= as_of_us < min(self.until_us, self.expires_us)",
        "return self.from_us <= as_of_us <= min(self.until_us, self.expires_us)",
        ("tests/domain/test_visibility.py",),
    ),
    Mutant(
        "permission is asked after the fields",
        "domain/requests.py",
        "        context.require(self.input.PERMISSION)\n",
        "        self.input.check()\n        context.require(self.input.PERMISSION)\n",
        ("tests/domain/test_precedence.py",),
    ),
    Mutant(
        "the expected version is not looked at",
        "domain/memory_decisions.py",
        "if expected is not None and expected != current:",
        "if False:",
        _laws("concurrency"),
    ),
    Mutant(
        "what is sealed is not what was answered",
        "commands/sealing.py",
        "said = event.sealed()",
        'said = event.sealed()\n        (said or {}).pop("confidence", None)',
        _laws("replay"),
    ),
    Mutant(
        "a guard is claimed for nobody",
        "domain/memory_decisions.py",
        "claim = [Fact(guard, IdentityClaimed(target_id=memory))] if guard is not None else []",
        "claim: list[Fact] = []",
        _laws("replay"),
    ),
    Mutant(
        "earlier versions of a forgotten memory keep their text in the read model",
        "projections/records.py",
        "for row in (*older, *rows)]",
        "for row in rows]",
        _laws("rebuild"),
    ),
    Mutant(
        "a fold from a row forgets when the lifecycle expired",
        "projections/rows.py",
        'expired_us=row["expired_us"],',
        "",
        _laws("rebuild"),
    ),
    Mutant(
        "the index of a workspace reads the whole log",
        "read_api/memtables.py",
        "workspace=self._workspace,",
        "",
        _laws("isolation"),
    ),
    Mutant(
        "a known receipt is not looked for",
        "commands/batch.py",
        "            if known is not None:\n                return self._replay(job, known)\n",
        "",
        _laws("idempotence"),
    ),
    Mutant(
        "the fingerprint of a repeat is not compared",
        "commands/batch.py",
        "known.said.fingerprint != job.receipt.fingerprint",
        "False",
        ("tests/reports/test_reports_on_repeats.py",),
    ),
    Mutant(
        "receipts of all actors are one",
        "domain/receipts.py",
        'derived_id(secret, "receipt", workspace, actor, key)',
        'derived_id(secret, "receipt", workspace, key)',
        _laws("idempotence"),
    ),
    Mutant(
        "an erasure destroys no key",
        "commands/erasure.py",
        "destroyed = self._keys.destroy(context.workspace, covered)",
        "destroyed = len(covered)",
        _laws("idempotence", "tests/laws/test_keys_hindered.py"),
    ),
    Mutant(
        "a refused atomic batch writes what came before the refusal",
        "commands/batch.py",
        "del self.rows[marks[0] :], self.events[marks[0] :], self.refs[marks[1] :]",
        "pass",
        _laws("batches"),
    ),
    Mutant(
        "a refused atomic batch leaves what it decided in the working state",
        "commands/batch.py",
        "                self.working.restore(saved)\n",
        "",
        _laws("batches"),
    ),
    Mutant(
        "the queue has no end",
        "commands/engine.py",
        "queue.Queue(QUEUE_MAX)",
        "queue.Queue()",
        _laws("engine_faults"),
    ),
    Mutant(
        "a commit of unknown outcome is made again blindly",
        "commands/engine.py",
        "                if stored is not None:\n                    return stored\n",
        "",
        _laws("engine_faults"),
    ),
    Mutant(
        "a commit of unknown outcome counts as done",
        "commands/sqlite_writer.py",
        "            if undone_at_commit(error):",
        "            if True:\n                return\n            if undone_at_commit(error):",
        _laws("engine_faults"),
    ),
    Mutant(
        "a version that is taken is ignored by the insert",
        "commands/store_writer.py",
        '"INSERT INTO event (position,',
        '"INSERT OR IGNORE INTO event (position,',
        ("tests/reports/test_reports_on_writers.py",),
    ),
    Mutant(
        "an end of an edge need not be there",
        "domain/memory_decisions.py",
        "if state is None or not state.addressable_by(actor):",
        "if state is None:",
        ("tests/reports/test_reports_on_relations.py",),
    ),
    Mutant(
        "ids are read in any case",
        "domain/ids.py",
        "digits = text[len(prefix) :]",
        "digits = text[len(prefix) :].lower()",
        ("tests/domain/test_ids.py",),
    ),
    Mutant(
        "trace is told what the read models have seen",
        "ops/wiring.py",
        'return _body("trace", self.trace.answer(context, request.input))',
        'return _body("trace", {"p": self.runner.position(), **self.trace.answer(context,'
        " request.input)})",
        _laws("trace_reads_the_log"),
    ),
)
