"""Building a segment that is given up."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from projections.lexical.memtable import Memtable
from projections.lexical.scoring import SearchStopped
from projections.lexical.segment_writer import write_segment
from tests.lexical.builders import document


def open_files(folder):
    """The files of a folder that this process has open."""
    found = []
    for one in Path("/proc/self/fd").iterdir():
        try:
            found.append(str(one.readlink()))
        except FileNotFoundError:  # that of this very listing
            continue
    return [name for name in found if name.startswith(str(folder))]


@pytest.mark.parametrize("after", [0, 1])
def test_a_build_that_is_given_up_leaves_no_file_open(tmp_path, after):
    index = Memtable()
    for number in range(300):
        index.add(document(f"m{number}", f"word{number}", from_position=number + 1))
    asked = count()

    with pytest.raises(SearchStopped):
        write_segment(tmp_path, index, lambda: next(asked) >= after)

    assert open_files(tmp_path) == []
