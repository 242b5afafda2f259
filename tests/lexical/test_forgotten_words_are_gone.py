"""A purge leaves no string in memory that only the purged memory had."""

from __future__ import annotations

import gc
import sys
import types
from uuid import uuid4

from projections.lexical.memtable import Memtable
from tests.lexical.builders import document, found


def strings_in(*roots):
    """Every string that can be reached from the roots and from the modules of the index."""
    modules = [m for name, m in sys.modules.items() if name.startswith("projections.lexical")]
    waiting = [*roots, *map(vars, modules)]
    seen, strings = set(), set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, types.ModuleType):
            continue
        seen.add(id(thing))
        if isinstance(thing, str):
            strings.add(thing)
        else:
            waiting += gc.get_referents(thing)
    return strings


def canaries_in(index, canary):
    return sorted(text for text in strings_in(index) if canary in text)


def secret(memory_id, canary, version=1):
    """A document that has the canary in its words and in every other string but its id."""
    return document(
        memory_id,
        f"the {canary}s were {canary}ing at src/{canary}.py {canary}-17 🚀{canary}",
        version=version,
        private_owner=f"owner-{canary}",
        home_session=f"session-{canary}",
        kind=f"kind-{canary}",
        tags=frozenset({f"tag-{canary}"}),
        epistemic_status=f"status-{canary}",
        slot=f"slot-{canary}",
        repo=f"repo-{canary}",
    )


def fresh_canary():
    """Letters that no constant of this test has."""
    return "q" + "".join(chr(ord("a") + int(digit, 16)) for digit in uuid4().hex)


def test_a_purged_memory_leaves_no_string_anywhere():
    canary, index = fresh_canary(), Memtable()
    index.add(document("m0", "heron"))
    index.add(secret("m1", canary))
    index.add(secret("m1", canary, version=2))
    assert len(canaries_in(index, canary)) > 10

    index.purge("m1")

    assert canaries_in(index, canary) == []
    assert found(index, "heron") == ["m0"]
    assert index.counts().purged == 2


def test_a_purged_version_takes_along_what_only_it_had():
    canary, index = fresh_canary(), Memtable()
    index.add(secret("m1", canary))
    index.add(document("m1", "heron", version=2))

    index.purge("m1", 1)

    assert canaries_in(index, canary) == []
    assert found(index, "heron") == ["m1"]


def test_words_that_come_after_the_purge_are_not_kept():
    canary, index = fresh_canary(), Memtable()
    index.purge("m1")

    index.add(secret("m1", canary))

    assert canaries_in(index, canary) == []


def test_words_that_another_memory_has_stay_its_own():
    index = Memtable()
    index.add(document("m1", "heron lake", tags=frozenset({"bird"}), kind="sighting"))
    index.add(document("m2", "heron", tags=frozenset({"bird"}), kind="sighting"))

    index.purge("m1")
    index.purge("m1")

    how = {"tags": frozenset({"bird"}), "kinds": frozenset({"sighting"})}
    assert found(index, "heron", **how) == ["m2"]
    assert found(index, "lake") == []
    assert index.counts()._asdict() == {
        "memories": 2,
        "documents": 2,
        "purged": 1,
        "terms": 1,
        "postings": 1,
    }


def test_a_string_that_comes_back_after_a_purge_is_found_again():
    index = Memtable()
    index.add(document("m1", "heron", kind="sighting", tags=frozenset({"bird"})))
    index.purge("m1")

    index.add(document("m2", "heron", kind="sighting", tags=frozenset({"bird"})))

    assert found(index, "heron", kinds=frozenset({"sighting"}), tags=frozenset({"bird"})) == ["m2"]
