"""Faults in the recall index on disk."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_DAMAGE: Final = "tests/recall_index/test_damage.py::"
_LAG: Final = "tests/recall_index/test_lag.py::"
_MANIFEST: Final = "tests/recall_index/test_manifest.py::"
_PURGING: Final = "tests/recall_index/test_purging.py::"
_TAIL: Final = "tests/recall_index/test_tail_and_segments.py::"

_WORDS: Final = (
    "tests/lexical/test_laws_of_search.py"
    "::test_every_word_is_told_with_what_is_found_of_it[segments]"
)

INDEXING: Final = (
    Fault(
        1701,
        "projections/lexical/segment.py",
        "if digest_of(folder) != digest:",
        "if not digest_of(folder):",
        "A segment that somebody changed or exchanged is opened, pickles and all.",
        (_DAMAGE + "test_segments_of_another_store_are_not_opened",),
    ),
    Fault(
        1702,
        "projections/lexical/segment_writer.py",
        "here = kept[found.rows]",
        "here = np.ones(len(found.rows), dtype=np.bool_)",
        "A segment that is written anew still has the words of what was forgotten.",
        (_PURGING + "test_a_purge_leaves_no_word_in_any_file_and_changes_no_other_answer",),
    ),
    Fault(
        1703,
        "projections/lexical/memtable.py",
        "self._eligibility.close_all(closed, closing)",
        "self._eligibility.close_all(closed[:0], closing[:0])",
        "A version in a segment stays the known one after another segment has the next.",
        (_TAIL + "test_an_update_closes_the_version_that_a_segment_holds",),
    ),
    Fault(
        1704,
        "projections/index_changes.py",
        "if position != done.after:",
        "if position > done.until:",
        "Two processes that make the same segment both have theirs counted.",
        (_MANIFEST + "test_only_the_first_of_two_flushes_counts",),
    ),
    Fault(
        1705,
        "projections/index_changes.py",
        "if row is None or set(connection.scalars(still)) != set(inputs):",
        "if row is None:",
        "A merge takes the place of segments that another one has replaced.",
        (_MANIFEST + "test_segments_are_replaced_once",),
    ),
    Fault(
        1706,
        "workers/indexing.py",
        "if not set(names) <= {one.name for one in known.live}:",
        "if not names:",
        "What was opened before an erasure is written to the disk after it.",
        (_PURGING + "test_segments_that_were_opened_before_a_purge_are_not_written_after_it",),
    ),
    Fault(
        1708,
        "projections/lexical/segment_words.py",
        "        if found is not None:\n            self._cache.keep(term, found)\n",
        "        self._cache.keep(term, found or Found(np.zeros(0), np.zeros(0)))\n",
        "A word that was asked for stays in memory after what had it was erased.",
        (_PURGING + "test_a_reader_that_follows_holds_nothing_of_what_was_purged",),
    ),
    Fault(
        1709,
        "projections/lexical/segment_writer.py",
        "        return RamStorage()",
        "        return super().temp_storage(name)",
        "Who is writing a segment makes its directory again after an erasure removed it.",
        (_PURGING + "test_a_build_whose_name_was_taken_away_is_given_up",),
    ),
    Fault(
        1710,
        "read_api/segment_source.py",
        "position = known.position if whole else known.live[len(usable)].after",
        "position = known.position",
        "What a damaged segment holds is not found, and nobody is told.",
        (_DAMAGE + "test_segments_of_another_store_are_not_opened",),
    ),
    Fault(
        1711,
        "projections/recall_fold.py",
        "for document in self.index.added_after(position):",
        "for document in self.index.added_after(self.position):",
        "What came while a segment was made is lost from the index of a reader.",
        (_TAIL + "test_any_history_flushed_anywhere_says_what_the_log_says",),
    ),
    Fault(
        1712,
        "ops/erasing.py",
        "        self.index.clear(forgotten)\n",
        "",
        "An erasure is completed while a segment on the disk holds the words.",
        ("tests/erasure/test_index_files.py",),
    ),
    Fault(
        1734,
        "projections/lexical/base.py",
        "streams.append(_moved(segment.words(), offset))",
        "streams.append(segment.words())",
        "Merged, a word of the second segment is one of the memories of the first.",
        (_WORDS,),
    ),
    Fault(
        1713,
        "projections/lexical/base.py",
        "parts.append(found.moved_by(offset))",
        "parts.append(found)",
        "A word of the second segment is looked for in the memories of the first.",
        (_TAIL + "test_a_reader_that_was_there_before_moves_to_the_new_segments",),
    ),
    Fault(
        1714,
        "projections/index_news.py",
        "        _W.format != INDEX_FORMAT,\n",
        "",
        "After an update of the program nobody makes the index anew until much is written.",
        (_LAG + "test_an_index_that_is_not_ours_bounds_nothing_and_is_made_anew",),
    ),
    Fault(
        1715,
        "read_api/segment_source.py",
        "whole=whole and ours,",
        "whole=whole,",
        "While an index is of another program, recalls wait for segments and see 5 000 events.",
        (_LAG + "test_an_index_that_is_not_ours_bounds_nothing_and_is_made_anew",),
    ),
    Fault(
        1716,
        "read_api/workspace_index.py",
        "return self._whole and self._fold.index.tail >= LAG_EVENTS_MAX",
        "return False",
        "However far segments are behind, all of it is kept in memory.",
        (_LAG + "test_what_is_behind_segments_by_too_much_is_told_and_found_with_the_next_one",),
    ),
    Fault(
        1717,
        "projections/lexical/counting.py",
        "            self._counts[:-1] = 0.0\n",
        "",
        "A memory counts a word that it lacks, because the term before it had it.",
        ("tests/lexical/test_counting.py",),
    ),
    Fault(
        1718,
        "projections/lexical/scripts.py",
        "        start = space.end()",
        "        start = space.end() + 1",
        "In a long text the first letter after every four thousand is lost.",
        ("tests/lexical/test_analyzer.py::test_a_long_text_has_the_pieces_of_its_parts",),
    ),
    Fault(
        1719,
        "projections/lexical/places.py",
        "if not self._ends[0] <= memory_id <= self._ends[1]:",
        "if not self._ends[0] < memory_id < self._ends[1]:",
        "The first and the last memory of a segment are no ends of a relationship.",
        (_TAIL + "test_an_update_closes_the_version_that_a_segment_holds",),
    ),
    Fault(
        1720,
        "workers/indexing.py",
        "                    build.kept = done.segment is not None\n",
        "                build.kept = done.segment is not None\n",
        "A segment is removed when its commit succeeds, and nobody is told.",
        (
            "tests/bundles/test_following_crash_walk.py::test_a_fault_at_any_point_of_the_manifest_changes_nothing_that_is_found[after]",
        ),
    ),
)
