"""How often a key may ask: a bucket for each key, and for a host key one in each workspace."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.errors import Code, MemorandaError
from ops.http.rates import RateLimiter
from tests.http.api import Api, envelope, memory

READ = "/v1/memories"


class SetClock:
    """Seconds that stand until they are moved."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def let_through(limiter, key="k", workspace="w"):
    """None, or the seconds that the refusal asks to wait."""
    try:
        limiter.take(key, workspace)
    except MemorandaError as refusal:
        return refusal.retry_after if refusal.code is Code.RATE_LIMITED else refusal
    return None


@given(
    st.floats(0.01, 100),
    st.integers(1, 20),
    st.lists(st.floats(0, 10), min_size=1, max_size=60),
)
@example(0.125, 1, [0.0, 1.4858485577280067, 0.0])
def test_no_more_is_let_through_than_the_bucket_held_and_was_given(per_second, burst, pauses):
    clock = SetClock()
    limiter = RateLimiter(per_second, burst, now=clock)
    passed = 0

    for pause in pauses:
        clock.now += pause
        wait = let_through(limiter)
        passed += wait is None
        # Whoever waits as long as told is let through.
        if wait is not None:
            clock.now += wait
            assert let_through(limiter) is None
            passed += 1

        assert passed <= burst + clock.now * per_second + 1e-6


def test_a_pause_gives_a_burst_and_not_more():
    clock = SetClock()
    limiter = RateLimiter(2.0, 3, now=clock)
    clock.now = 3600.0

    assert [let_through(limiter) for _ in range(5)] == [None, None, None, 1, 1]
    clock.now += 0.5
    assert [let_through(limiter) for _ in range(2)] == [None, 1]


@pytest.mark.parametrize(("per_second", "at_once"), [(0.01, 1), (1, 1), (2.5, 3)])
def test_without_a_burst_a_second_may_be_sent_at_once(per_second, at_once):
    limiter = RateLimiter(per_second, now=SetClock())

    passed = [let_through(limiter) is None for _ in range(at_once + 1)]

    assert passed == [True] * at_once + [False]


def test_no_rate_is_no_limit():
    limiter = RateLimiter(0, now=SetClock())

    assert {let_through(limiter) for _ in range(1000)} == {None}


def test_keys_and_workspaces_have_buckets_of_their_own():
    limiter = RateLimiter(1, 1, now=SetClock())

    asked = [("k", "w"), ("k", "w"), ("other", "w"), ("k", "v")]

    assert [let_through(limiter, *one) is None for one in asked] == [True, False, True, True]


def test_only_so_many_buckets_are_kept():
    limiter = RateLimiter(1, 1, now=SetClock(), most=2)
    for key in "abc":
        let_through(limiter, key)

    assert [let_through(limiter, key) is None for key in "cba"] == [False, False, True]


def test_a_key_that_asks_too_often_is_told_when_to_come_again(client_of, store):
    client = client_of(rate_per_second=0.001, rate_burst=3)
    bound = {"workspace": "w", "actor": "ann", "permissions": ["read", "write"]}
    token, other = (store.keys.create(name=name, **bound)[0] for name in ("one", "other"))
    headers = {"Authorization": f"Bearer {token}"}
    statuses = [client.get(READ, headers=headers).status_code for _ in range(3)]
    before = store.log.head()

    reading = client.get(READ, headers=headers)
    writing = client.post(
        "/v1/memory/operations", headers=headers, json=envelope("remember", memory())
    )

    assert statuses == [200] * 3
    assert (reading.status_code, reading.json()["code"]) == (429, "RATE_LIMITED")
    assert (writing.status_code, writing.json()["error"]["code"]) == (429, "RATE_LIMITED")
    assert writing.json()["error"]["retryable"] is True
    assert 900 < int(reading.headers["Retry-After"]) <= 1000
    assert store.log.head() == before
    # Others are not held up by it, and probes have no key.
    assert client.get(READ, headers={"Authorization": f"Bearer {other}"}).status_code == 200
    assert {client.get("/health/ready").status_code for _ in range(9)} == {200}


def test_a_host_key_may_ask_in_one_workspace_what_it_used_up_in_another(client_of):
    api = Api(client_of(rate_per_second=0.001, rate_burst=1))

    statuses = [
        api.send("remember", memory(), workspace=workspace).status_code
        for workspace in ("w", "w", "v")
    ]

    assert statuses == [200, 429, 200]
