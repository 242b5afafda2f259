"""Who makes or merges segments may be killed at any moment: the index says what the log says."""

from __future__ import annotations

from random import Random

from tests.chaos.index import Chaos


def test_nothing_is_wrong_missing_or_doubled_after_a_kill(tmp_path):
    figures = Chaos(tmp_path, Random(7)).run(3)

    assert figures.wrong == []
    assert figures.kills == 6
    assert figures.erased
    assert figures.segments_seen
