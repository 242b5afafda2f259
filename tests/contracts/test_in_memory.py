"""A store of one's own is held to the contract by inheriting from it: this is all it takes."""

from __future__ import annotations

import pytest

from commands.clock import SystemClock
from tests.contracts.in_memory import InMemoryLog, Kept
from tests.contracts.log_store import LogStoreContract


class InMemory:
    def __init__(self):
        self._kept = Kept()

    def open(self, clock=None):
        return InMemoryLog(self._kept, clock or SystemClock())


class TestInMemory(LogStoreContract):
    @pytest.fixture
    def adapter(self):
        return InMemory()
