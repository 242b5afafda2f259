"""A store with every kind of event, and copies of it to spoil."""

from __future__ import annotations

import itertools

import pytest

from tests.verify.stores import Copy, furnish
from tests.verify.writer import Writer


@pytest.fixture(scope="session")
def furnished(tmp_path_factory):
    """A closed store that nobody may change."""
    writer = Writer(tmp_path_factory.mktemp("furnished") / "store")
    furnish(writer)
    writer.close()
    return writer


@pytest.fixture
def writer(tmp_path):
    made = Writer(tmp_path / "written")
    yield made
    made.close()


@pytest.fixture
def copy_of(tmp_path):
    numbers = itertools.count()

    def copied(original: Writer) -> Copy:
        return Copy(original, tmp_path / f"copy-{next(numbers)}")

    return copied
