"""I7, no leak (spec/policy.md §2.12): generated texts that are destroyed are nowhere.

Through the whole embedded system: neither in any file of the data folder nor in any answer, while
the texts that stay are found. Over Redis: no word of a text ever passes through it, before and
after, in whatever encoding.
"""

from __future__ import annotations

import codecs
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import pytest
import redis
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.canonical import Json, canonical
from domain.context import CONTRACT_PERMISSIONS
from domain.errors import MemorandaError
from ops.wiring import open_memoranda
from read_api.list_filters import MemoryFilters
from read_api.past_basis import AskedBasis
from read_api.slot_questions import HistoryQuestion, SlotQuestion
from tests.cli.processes import HOST_KEY, serving
from tests.erasure.test_server import done
from tests.erasure.traces import Words
from tests.erasure.world import BOTH, PLAIN, SAID, WIDE, WORDS, Talk, reader
from tests.server_mode.conftest import MASTER_KEY, working

SLOTS = ("harbor", "den")
POLICIES = ("surface-all/v1", "newest-recorded/v1")
LETTERS = st.text(alphabet="bcdfghjklmnprstvwxz\u00e9\u00f1\u1e85", min_size=7, max_size=12)
# A memory: its slot, and the words of its versions; how it is forgotten: not, all of it, or one.
MEMORY = st.tuples(
    st.sampled_from(SLOTS), st.integers(1, 3), st.sampled_from(["kept", "lineage", "event"])
)


def content(word: str, slot: str) -> Json:
    said = {"text": f"an otter says {word}", "properties": {"slot": slot, "object": word}}
    return {"format": "text_and_properties", "value": said}


@dataclass
class Told:
    """What was said, and which of the words have to be gone."""

    talk: Talk
    memories: list[str] = field(default_factory=list)
    recalls: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    beside: str | None = None

    def tell(self, slot: str, words: list[str], fate: str) -> None:
        """Remember, correct, be asked about it, and forget."""
        first, *others = words
        memory = self.talk.remember(content=content(first, slot), tags=[f"tag {first}"])
        for word in others:
            self.talk.update(memory, content=content(word, slot))
        self.recalls += [self.talk.recall(f"otter {word}")["recall_id"] for word in words[-1:]]
        if self.beside is not None:
            both = [self.beside, memory]
            self.talk.send("consolidate", memory_ids=both, reason=f"both say {words[-1]}")
        self.memories.append(memory)
        self.beside = self.beside if fate == "lineage" else memory
        if fate == "lineage":
            self.talk.forget(memory)
            self.gone += words
        elif fate == "event" and others:
            self.talk.forget(memory, scope="event", version=len(words))
            self.gone.append(words[-1])
            # Its tag, and what an earlier version says, were not asked to go.
            self.kept += words[:-1]
        else:
            self.kept += words

    def answers(self) -> bytes:
        """What every door says of all of it, at the present and at every past basis."""
        said = list(map(canonical, map(_answer, self._questions())))
        return b"\n".join(said)

    def _questions(self) -> Iterator[Any]:
        memoranda, who = self.talk.memoranda, reader(*CONTRACT_PERMISSIONS)
        read, head = memoranda.read, memoranda.log.head()
        self.talk.caught_up()
        yield lambda: read.memories(who, MemoryFilters(limit=200))
        yield lambda: [read.events(who, start, 200) for start in range(0, head, 200)]
        for policy in POLICIES:
            for slot in SLOTS:
                asked = HistoryQuestion(policy=policy)
                yield lambda slot=slot, asked=asked: read.slot_history(who, slot, asked)
                for position in range(0, head, max(1, head // 8)):
                    basis = SlotQuestion(policy=policy, as_known_position=position)
                    yield lambda slot=slot, basis=basis: read.slot(who, slot, basis)
        for memory in self.memories:
            yield lambda memory=memory: read.memory(who, memory).body
            yield lambda memory=memory: read.memory_at(
                who, memory, AskedBasis(as_known_position=head)
            )
            target = {"kind": "memory", "id": memory}
            yield lambda target=target: self.talk.send("trace", who, target=target)
        for recall in self.recalls:
            yield lambda recall=recall: read.recall(who, recall)
            yield lambda recall=recall: memoranda.replay.answer(who, recall)


def _answer(ask: Any) -> Json:
    try:
        return ask()
    except MemorandaError as refusal:
        return refusal.as_wire()


@settings(max_examples=8, deadline=None)
@given(st.lists(MEMORY, min_size=2, max_size=5), st.data())
def test_i7_no_generated_text_that_was_destroyed_is_in_a_file_or_an_answer(memories, data):
    count = sum(versions for _, versions, _ in memories)
    drawn = data.draw(st.lists(LETTERS, min_size=count, max_size=count))
    # Each begins with what no other one has, so that none is a part of another.
    words = (f"q{chr(ord('a') + at)}{letters}" for at, letters in enumerate(drawn))
    with TemporaryDirectory() as folder, closing(open_memoranda(Path(folder) / "data")) as store:
        told = Told(Talk(store))
        for slot, versions, fate in memories:
            told.tell(slot, [next(words) for _ in range(versions)], fate)

        said = told.answers()

        for word in told.kept:
            assert word.encode() in said, "or nothing that follows means anything"
        if told.gone:
            gone = Words(*told.gone)
            assert gone.found_in(said) == set()
            assert gone.found_under(Path(folder)) == {}
        found = {
            item["record"]["id"] for word in told.gone for item in told.talk.recall(word)["items"]
        }
        assert found == set()


# --- Redis ----------------------------------------------------------------------------------------


@contextmanager
def heard(url: str) -> Iterator[list[bytes]]:
    """All that a Redis is sent meanwhile, once the block has ended, as it was sent."""
    said: list[bytes] = []
    address = urlsplit(url)
    with closing(socket.create_connection((address.hostname, address.port))) as monitor:
        for command in (f"AUTH {address.password}", "MONITOR"):
            monitor.sendall(f"{command}\r\n".encode())
            assert monitor.recv(5) == b"+OK\r\n"

        def listen() -> None:
            while part := monitor.recv(1 << 16):
                said.append(part)

        listening = threading.Thread(target=listen)
        listening.start()
        commands: list[bytes] = []
        try:
            yield commands
            with redis.Redis.from_url(url) as client:
                client.ping()  # what came before it has been told by now
        finally:
            monitor.shutdown(socket.SHUT_RDWR)
            listening.join()
        # It tells bytes that are no ASCII by their numbers.
        commands.append(codecs.escape_decode(b"".join(said))[0])


def held(url: str) -> bytes:
    """Everything that a Redis holds: its keys, and what they are, as it stores it."""
    with redis.Redis.from_url(url) as client:
        return b"\n".join(
            part for key in client.scan_iter() for part in (key, client.dump(key) or b"")
        )


@pytest.mark.timeout(300)
def test_i7_no_word_of_a_text_passes_through_redis_and_none_of_a_destroyed_one_stays(
    tmp_path, postgres_url, redis_url
):
    # Given a server and a worker that Redis wakes
    services = {
        "database_url": postgres_url,
        "redis_url": redis_url,
        "master_key": MASTER_KEY,
        "host_key": HOST_KEY,
    }
    with (
        heard(redis_url) as commands,
        working(services) as worker,
        serving(tmp_path / "data", **services) as server,
    ):
        memory = done(server, "remember", SAID)["record"]["id"]
        asked = {"objective": BOTH, "seed_ids": [], "limits": WIDE}
        found = done(server, "recall", asked)
        assert [item["record"]["id"] for item in found["items"]] == [memory]
        before = held(redis_url)
        # When the memory is destroyed
        said = {"memory_id": memory, "mode": "application_delete", "reason": f"of {PLAIN}"}
        done(server, "forget", said)
        assert done(server, "recall", asked)["items"] == []
        after = held(redis_url)
        _, out, err = server.stop()
        worker.terminate()
        printed, _ = worker.communicate(timeout=60)
    # Then
    [sent] = commands
    assert b"memoranda" in sent, "the bell was rung"
    assert WORDS.found_in(sent) == set()
    assert (WORDS.found_in(before), WORDS.found_in(after)) == (set(), set())
    assert WORDS.found_under(tmp_path) == {}
    assert WORDS.found_in("".join([*server.lines, out, err, printed]).encode()) == set()
