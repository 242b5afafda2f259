"""What every store of the log does, as classes to be inherited from.

Who writes another `LogStore` gives a fixture `adapter` (see `Adapter`), and inherits:

    class TestMine(LogStoreContract):
        @pytest.fixture
        def adapter(self): ...

`in_memory.py` is the smallest store that passes.
"""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import pytest

from commands.log_store import LogStore
from commands.store_errors import PlacesTakenError, StoreError, StreamConflictError
from commands.store_rows import ApiKeyChange, ApiKeyRow, Place
from domain.ports import Clock
from tests.store.building import SetClock, new_id, ref, row, rows


class Adapter(Protocol):
    """One store, as the contract needs it."""

    def open(self, clock: Clock | None = None) -> LogStore:
        """Open the store of this test, also several times; every call opens the same log."""
        ...


class _Stores:
    """A store that is opened with the machine's clock."""

    @pytest.fixture
    def log(self, adapter):
        return adapter.open()


def positions_of(log: LogStore) -> list[int]:
    return [stored.position for stored in log.rows_after(0, 10_000)]


class Appending(_Stores):
    def test_rows_come_back_as_they_went_in(self, log):
        stream = new_id("mem_")
        first = row(stream, 1, state=b"\x00\xff", event_hash=b"h" * 32, part=None, workspace="ä")

        appended = log.append([first, row(stream, 2)], [])

        [one, two] = log.load({stream: 0})[stream]
        assert (one.version, one.topic, one.state) == (1, "memory.remembered", b"\x00\xff")
        assert (one.event_hash, one.workspace, one.part) == (b"h" * 32, "ä", None)
        assert (one.position, two.position) == appended.positions
        assert one.appended_us == two.appended_us == appended.appended_us

    def test_positions_follow_the_order_of_the_rows_and_grow(self, log):
        given = [log.append(rows(count), []).positions for count in (1, 3, 2)]

        flat = [position for positions in given for position in positions]
        assert flat == sorted(set(flat)) == positions_of(log)

    def test_nothing_to_append_changes_nothing(self, log):
        assert log.append([], []).positions == ()
        assert log.head() == 0

    def test_a_version_that_is_taken_is_a_conflict_that_names_the_stream(self, log):
        taken, free = new_id("mem_"), new_id("mem_")
        log.append([row(taken)], [])

        with pytest.raises(StreamConflictError) as caught:
            log.append([row(free), row(taken)], [])

        assert caught.value.streams == {taken}

    def test_a_version_that_is_given_twice_is_a_conflict(self, log):
        twice = new_id("mem_")

        with pytest.raises(StreamConflictError) as caught:
            log.append([row(twice), row(new_id("mem_")), row(twice)], [])

        assert caught.value.streams == {twice}

    def test_one_conflicting_row_leaves_nothing_of_the_append(self, log):
        taken, free = new_id("mem_"), new_id("mem_")
        log.append([row(taken)], [])
        before = positions_of(log)

        with pytest.raises(StreamConflictError):
            log.append([row(free), row(taken), *rows(3)], [ref(free, 0)])

        assert positions_of(log) == before
        assert log.load({free: 0}) == {}
        assert log.references("w", "slot", "r") == []

    def test_after_a_failed_append_positions_still_grow_and_none_is_used_twice(self, log):
        taken = rows(1)
        [first] = log.append(taken, []).positions

        for _ in range(3):
            with pytest.raises(StreamConflictError):
                log.append([*rows(2), *taken], [])
        [later] = log.append(rows(1), []).positions

        assert later > first
        assert positions_of(log) == [first, later]

    def test_references_point_at_the_rows_they_came_with(self, log):
        log.append(rows(2), [])
        one, two = rows(2)
        refs = [
            ref(one.stream, 0, kind="endpoint", name="mem_a"),
            ref(one.stream, 0, kind="endpoint", name="mem_b"),
            ref(two.stream, 1, kind="endpoint", name="mem_a"),
        ]

        at_one, at_two = log.append([one, two], refs).positions

        assert log.references("w", "endpoint", "mem_a") == [
            (one.stream, at_one),
            (two.stream, at_two),
        ]
        assert log.references("w", "endpoint", "mem_b") == [(one.stream, at_one)]
        assert log.references("w", "slot", "mem_a") == []
        assert log.references("other", "endpoint", "mem_a") == []

    def test_references_to_several_are_read_at_once(self, log):
        one, two = rows(2)
        refs = [
            ref(one.stream, 0, kind="endpoint", name="mem_a"),
            ref(two.stream, 1, kind="endpoint", name="mem_b"),
            ref(two.stream, 1, kind="slot", name="mem_a"),
        ]

        at_one, at_two = log.append([one, two], refs).positions

        wanted = ["mem_b", "mem_a", "mem_a", "mem_c"]
        assert log.references_to("w", "endpoint", wanted) == [
            ("mem_a", one.stream, at_one),
            ("mem_b", two.stream, at_two),
        ]
        assert log.references_to("w", "endpoint", []) == []
        assert log.references_to("other", "endpoint", wanted) == []

    def test_all_references_of_a_range_can_be_listed(self, log):
        one, two = rows(2)
        [at_one] = log.append([one], [ref(one.stream, 0)]).positions
        [at_two] = log.append([two], [ref(two.stream, 0)]).positions

        assert [found.stream for found in log.references_between(0, at_two)] == [
            one.stream,
            two.stream,
        ]
        assert [found.position for found in log.references_between(at_one, at_two)] == [at_two]
        assert log.references_between(at_two, at_two) == []

    def test_a_failed_reference_leaves_nothing_of_the_append(self, log):
        [new] = rows(1)

        with pytest.raises(StoreError):
            log.append([new], [ref(new.stream, 0), ref(new.stream, 0)])

        assert log.head() == 0
        assert log.append([new], []).positions

    @pytest.mark.parametrize("durable", [True, False])
    def test_an_append_can_be_read_at_once_durable_or_not(self, log, durable):
        [new] = rows(1)

        log.append([new], [], durable=durable)

        assert list(log.load({new.stream: 0})) == [new.stream]

    def test_an_id_that_is_none_of_ours_is_not_appended_to(self, log):
        with pytest.raises(ValueError, match="an id of ours"):
            log.append([row("mem_short")], [])

        assert log.head() == 0


class AppendTimes(_Stores):
    def test_they_are_the_clocks(self, adapter):
        clock = SetClock(5_000)
        log = adapter.open(clock)

        assert log.append(rows(1), []).appended_us == 5_000

    def test_they_grow_when_the_clock_stands_or_jumps_back(self, adapter):
        clock = SetClock(5_000)
        log = adapter.open(clock)
        times = [log.append(rows(1), []).appended_us for _ in range(2)]

        clock.now = 10
        times.append(log.append(rows(1), []).appended_us)

        assert times == [5_000, 5_001, 5_002]

    def test_they_grow_over_a_restart_with_a_clock_that_is_behind(self, adapter):
        before = adapter.open(SetClock(9_000))
        before.append(rows(1), [])
        before.close()

        assert adapter.open(SetClock(1)).append(rows(1), []).appended_us == 9_001

    def test_they_are_not_before_what_the_caller_has_recorded(self, adapter):
        log = adapter.open(SetClock(5_000))

        assert log.append(rows(1), [], not_before_us=7_000).appended_us == 7_000
        assert log.append(rows(1), [], not_before_us=1).appended_us == 7_001

    def test_the_time_of_a_position_is_that_of_the_last_event_up_to_it(self, adapter):
        clock = SetClock(100)
        log = adapter.open(clock)
        assert log.appended_at(10) == 0
        [first] = log.append(rows(1), []).positions
        clock.now = 200
        last = log.append(rows(2), []).positions[-1]

        assert [log.appended_at(at) for at in (0, first, last, last + 50)] == [0, 100, 200, 200]

    def test_what_was_known_at_a_time_is_every_event_appended_until_then(self, adapter):
        clock = SetClock()
        log = adapter.open(clock)
        assert log.position_at(10**9) == 0
        known = {}
        for clock.now in range(100, 2_000, 100):
            known[clock.now] = log.append(rows(clock.now % 3 + 1), []).positions[-1]

        for time, position in known.items():
            assert log.position_at(time) == position
            assert log.position_at(time + 99) == position
        assert log.position_at(99) == 0
        assert log.position_at(10**9) == log.head()


class Placing(_Stores):
    """Events of another log, where they stand there."""

    def test_events_stand_where_they_stood_and_the_next_one_behind_them(self, log):
        first, second = row(new_id("mem_"), 1), row(new_id("mem_"), 1)
        said = ref(first.stream, 0)

        log.append_placed([first, second], [said], [Place(3, 1_000), Place(70, 1_000)])
        later = log.append([row(new_id("mem_"), 1)], [])

        stored = log.rows_after(0, 10)
        assert [one.position for one in stored] == [3, 70, *later.positions]
        assert [one.appended_us for one in stored[:2]] == [1_000, 1_000]
        assert later.positions[0] > 70
        assert log.references(said.workspace, said.kind, said.ref) == [(first.stream, 3)]

    @pytest.mark.parametrize("place", [(1, 2**60), (0, 2**60), (2**40, 5)])
    def test_a_place_that_is_not_behind_the_log_is_refused(self, log, place):
        log.append_placed([row(new_id("mem_"), 1)], [], [Place(1, 1_000)])

        with pytest.raises(PlacesTakenError):
            log.append_placed([row(new_id("mem_"), 1)], [], [Place(*place)])

        assert positions_of(log) == [1]

    def test_what_clashes_is_told_and_nothing_is_placed(self, log):
        stream = new_id("mem_")
        log.append_placed([row(stream, 1)], [], [Place(1, 1_000)])

        with pytest.raises(StreamConflictError) as clash:
            log.append_placed(
                [row(new_id("mem_"), 1), row(stream, 1)], [], [Place(2, 1_000), Place(3, 1_000)]
            )

        assert clash.value.streams == {stream}
        assert positions_of(log) == [1]

    def test_a_page_follows_a_page(self, log):
        for at in (1, 5, 9):
            log.append_placed([row(new_id("mem_"), 1)], [], [Place(at, 1_000 + at)])

        assert positions_of(log) == [1, 5, 9]


class Reading(_Stores):
    def test_load_gives_what_comes_after_the_version_that_is_known(self, log):
        stream, other = new_id("mem_"), new_id("mem_")
        log.append([row(stream, version) for version in (1, 2, 3)], [])
        log.append([row(other)], [])

        loaded = log.load({stream: 1, other: 1})

        assert {key: [r.version for r in events] for key, events in loaded.items()} == {
            stream: [2, 3]
        }

    def test_load_gives_versions_in_order_for_many_streams(self, log):
        streams = [new_id("mem_") for _ in range(40)]
        for version in (1, 2, 3):
            log.append([row(stream, version) for stream in reversed(streams)], [])

        loaded = log.load(dict.fromkeys(streams, 0))

        assert list(loaded) == streams
        assert all([r.version for r in events] == [1, 2, 3] for events in loaded.values())

    @pytest.mark.parametrize("unknown", ["", "mem_", "mem_x", "nonsense", "key_" + "0" * 26])
    def test_what_is_no_id_of_a_stream_is_absent(self, log, unknown):
        assert log.load({unknown: 0}) == {}

    def test_a_stream_that_is_not_there_is_absent(self, log):
        assert log.load({new_id("mem_"): 0}) == {}
        assert log.load({}) == {}

    def test_the_same_bytes_under_another_prefix_are_absent(self, log):
        stream = new_id("mem_")
        relationship = "rel_" + stream.removeprefix("mem_")
        state = b'MEM1....{"stream":"%b","topic":"memory.remembered"}' % stream.encode()
        log.append([row(stream, state=state)], [])

        assert list(log.load({relationship: 0, stream: 0})) == [stream]

    def test_rows_after_a_position_come_in_order_and_no_more_than_asked(self, log):
        given = log.append(rows(10), []).positions

        assert [r.position for r in log.rows_after(given[2], 4)] == list(given[3:7])
        assert log.rows_after(given[-1], 4) == []

    def test_rows_can_be_restricted_by_part_workspace_and_topic(self, log):
        log.append(
            [
                *rows(1, workspace="a", part=None, topic="command.recorded"),
                *rows(2, workspace="a", part=0),
                *rows(1, workspace="b", part=0),
                *rows(1, workspace="b", part=1, topic="identity.claimed"),
            ],
            [],
        )

        def count(**asked) -> int:
            return len(log.rows_after(0, 100, **asked))

        assert count(part=0) == 3
        assert count(part=1) == 1
        assert count(workspace="a") == 3
        assert count(workspace="a", part=0) == 2
        assert count(topics=["command.recorded", "identity.claimed"]) == 2
        assert count(topics=["command.recorded"], workspace="b") == 0
        assert count() == 5

    def test_events_that_name_an_id_are_found_among_all_bytes(self, log):
        one, two = new_id("mem_").encode(), new_id("mem_").encode()
        states = [b"\x00\xff" + one, two + b"\x00", one + two, b"nothing", one[:-1]]
        given = log.append([row(new_id("recall_"), state=state) for state in states], [])
        log.append(rows(1, state=one, workspace="b"), [])
        log.append(rows(1, state=one, topic="memory.updated"), [])

        def found(*ids, after=0, until=10**6):
            named = [name.decode() for name in ids]
            rows = log.naming("w", ["memory.remembered"], named, after, until)
            return [given.positions.index(one.position) for one in rows]

        assert (found(one), found(two), found(one, two)) == ([0, 2], [1, 2], [0, 1, 2])
        assert found(one, after=given.positions[0]) == [2]
        assert found(one, until=given.positions[1]) == [0]
        assert found() == []

    def test_what_grew_is_counted_by_workspace_and_topic(self, log):
        first = log.append(rows(2), []).positions
        log.append(rows(1, topic="memory.updated"), [])
        last = log.append([*rows(1), *rows(1, workspace="b")], []).positions

        def grown(after, until, *topics):
            found = log.grown(after, until, topics)
            return {(one.workspace, one.topic): (one.events, one.position) for one in found}

        assert grown(0, last[-1], "memory.remembered") == {
            ("w", "memory.remembered"): (3, last[0]),
            ("b", "memory.remembered"): (1, last[1]),
        }
        assert grown(first[0], first[1], "memory.remembered") == {
            ("w", "memory.remembered"): (1, first[1])
        }
        assert grown(first[1], last[0], "memory.updated") == {
            ("w", "memory.updated"): (1, first[1] + 1)
        }
        assert grown(last[-1], last[-1] + 9, "memory.remembered") == {}

    def test_a_closed_store_says_so(self, log):
        log.append(rows(1), [])
        log.close()

        for use in (log.head, lambda: log.append(rows(1), [])):
            with pytest.raises(StoreError, match="closed"):
                use()
        log.close()


def api_key(key_id: str, **columns) -> ApiKeyRow:
    """An API key's row."""
    values = {
        "digest": f"digest of {key_id}",
        "name": "ci",
        "workspace": "w",
        "actor": "ann",
        "agent": None,
        "permissions": '["read"]',
        "expires_at": None,
        "created_at": "2026-03-01T09:30:00.250000Z",
        "revoked_at": None,
    }
    return ApiKeyRow(key_id=key_id, **(values | columns))


class ApiKeys(_Stores):
    """A key and its event change together."""

    def test_a_key_comes_with_its_event_and_is_found_by_its_digest(self, log):
        key = api_key("key_1")

        log.append(rows(1), [], api_keys=[ApiKeyChange(issued=key)])

        assert log.api_key(key.digest) == key
        assert log.api_key("another") is None
        assert log.api_keys() == [key]
        assert log.head() == 1

    def test_keys_are_listed_in_the_order_of_their_making(self, log):
        late, early = api_key("key_1", created_at="2026-03-02"), api_key("key_2", created_at="2026")

        log.append(rows(1), [], api_keys=[ApiKeyChange(issued=late), ApiKeyChange(issued=early)])

        assert log.api_keys() == [early, late]

    def test_a_key_is_revoked_once(self, log):
        log.append(rows(1), [], api_keys=[ApiKeyChange(issued=api_key("key_1"))])

        for when in ("first", "second"):
            log.append(rows(1), [], api_keys=[ApiKeyChange(revoked=("key_1", when))])

        assert log.api_keys() == [api_key("key_1", revoked_at="first")]

    def test_no_event_says_that_a_key_was_revoked_which_is_not_there(self, log):
        with pytest.raises(StoreError, match="no such API key"):
            log.append(rows(1), [], api_keys=[ApiKeyChange(revoked=("key_1", "now"))])

        assert log.head() == 0

    def test_a_key_is_not_issued_without_its_event(self, log):
        taken = rows(1)
        log.append(taken, [])

        with pytest.raises(StreamConflictError):
            log.append(taken, [], api_keys=[ApiKeyChange(issued=api_key("key_1"))])

        assert log.api_keys() == []


class Concurrency(_Stores):
    """Threads that append to one log while others follow it."""

    def test_a_follower_who_remembers_one_position_misses_nothing(self, log):
        taken = rows(1)
        log.append(taken, [])
        finished = threading.Event()

        def write(_: int) -> None:
            for number in range(40):
                log.append(rows(number % 3 + 1), [])
                if number % 10 == 0:
                    with pytest.raises(StreamConflictError):
                        log.append([*rows(2), *taken], [])

        with ThreadPoolExecutor(6) as threads:
            followers = [threads.submit(follow, log, finished) for _ in range(2)]
            list(threads.map(write, range(4)))
            finished.set()
            seen = [follower.result() for follower in followers]

        assert seen == [positions_of(log)] * 2
        assert len(seen[0]) == 1 + 4 * 79

    def test_append_times_grow_with_positions_over_all_writers(self, log):
        with ThreadPoolExecutor(4) as threads:
            appended = list(threads.map(lambda _: log.append(rows(2), []), range(100)))

        by_position = sorted(appended, key=lambda one: one.positions)
        times = [one.appended_us for one in by_position]
        assert all(a < b for a, b in itertools.pairwise(times))

    def test_of_many_threads_that_append_the_same_version_one_wins(self, log):
        stream = new_id("mem_")

        def attempt(_: int) -> bool:
            try:
                log.append([row(stream), *rows(1)], [])
            except StreamConflictError:
                return False
            return True

        with ThreadPoolExecutor(8) as threads:
            won = list(threads.map(attempt, range(24)))

        assert sum(won) == 1
        assert len(positions_of(log)) == 2


def follow(log: LogStore, finished: threading.Event) -> list[int]:
    """Positions as a follower sees them, who remembers only the last one."""
    seen: list[int] = []
    while True:
        last_round = finished.is_set()
        batch = log.rows_after(seen[-1] if seen else 0, 7)
        seen.extend(found.position for found in batch)
        if last_round and not batch:
            return seen


class LogStoreContract(Appending, AppendTimes, Placing, Reading, ApiKeys, Concurrency):
    """All of it."""
