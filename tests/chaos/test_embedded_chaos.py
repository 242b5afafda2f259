"""A short run of `make chaos-embedded`."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.chaos.embedded import Chaos


@pytest.mark.timeout(240)
def test_what_was_answered_before_a_kill_is_there_once_after_it(tmp_path: Path) -> None:
    figures = Chaos(tmp_path, Random(2)).run(2)

    assert figures.wrong == []
    assert (figures.rounds, figures.lost, figures.doubled) == (2, 0, 0)
    assert figures.kills >= 2
    assert figures.repeated > 0
    assert figures.receipts > 0
