"""Both of our stores of the log do what every one does (tests/contracts)."""

from __future__ import annotations

from tests.contracts import log_store


class TestAppending(log_store.Appending):
    pass


class TestAppendTimes(log_store.AppendTimes):
    pass


class TestReading(log_store.Reading):
    pass


class TestApiKeys(log_store.ApiKeys):
    pass


class TestConcurrency(log_store.Concurrency):
    pass
