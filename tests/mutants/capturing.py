"""Faults in capture: what is taken for typed, how a log is cut, and what is posted again."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_TYPED: Final = "ops/capture/typed.py"
_CODEX: Final = "ops/capture/codex.py"
_CLAUDE: Final = "ops/capture/claude_code.py"
_LINES: Final = "ops/capture/lines.py"
_WINDOWS: Final = "ops/capture/windows.py"
_STATE: Final = "ops/capture/state.py"
_DELIVERY: Final = "ops/capture/delivery.py"
_CHECKOUT: Final = "ops/capture/checkout.py"
_READING: Final = "ops/capture/reading.py"
_IN_TYPED: Final = "tests/capture/test_typed.py::"
_IN_SESSIONS: Final = "tests/capture/test_sessions.py::"
_IN_LINES: Final = "tests/capture/test_lines.py::"
_IN_WINDOWS: Final = "tests/capture/test_windows.py::"
_IN_POSTING: Final = "tests/capture/test_posting.py::"
_IN_SECRETS: Final = "tests/capture/test_secrets.py::"
_IN_CHECKOUT: Final = "tests/capture/test_checkout.py::"
_LOST: Final = "test_after_a_lost_answer_the_same_bytes_are_sent_though_the_log_has_grown"

CAPTURING: Final = (
    Fault(
        3401,
        _TYPED,
        'text.rfind(f"</{found[1]}>", found.end())',
        'text.find(f"</{found[1]}>", found.end())',
        "What is quoted in a reminder behind its end comes out as said by the user.",
        (_IN_TYPED + "test_the_end_of_an_element_that_is_quoted_in_it_lets_nothing_out",),
    ),
    Fault(
        3402,
        _TYPED,
        "said.rpartition(_IDE_REQUEST)[2]",
        "said.partition(_IDE_REQUEST)[2]",
        "Text that is selected in an editor comes out as said by the user.",
        (_IN_TYPED + "test_a_heading_that_is_quoted_in_the_context_of_an_editor_lets_nothing_out",),
    ),
    Fault(
        3403,
        _CODEX,
        "spoken = waiting.actor == USER and self.session.typed_apart",
        "spoken = False",
        "What a program wrote in the user's place is said by the user.",
        (_IN_SESSIONS + "test_in_a_log_of_codex_with_records_of_what_was_typed_only_those_are_the"
         "_users",),
    ),
    Fault(
        3404,
        _CODEX,
        "            self._waiting = None\n        yield from self.rest()\n        yield found",
        "            pass\n        yield from self.rest()\n        yield found",
        "What was typed is told twice.",
        (_IN_SESSIONS + "test_of_codex_what_was_typed_is_told_once",),
    ),
    Fault(
        3405,
        _CODEX,
        "return CLIENT if self.session.by_agent else USER",
        "return USER",
        "What an agent asks of a sub-agent is said by the user.",
        (_IN_SESSIONS + "test_the_log_of_a_sub_agent_of_codex_has_no_user",),
    ),
    Fault(
        3406,
        _CLAUDE,
        "        if _by_agent(value):\n            return\n",
        "",
        "The prompt of a sub-agent is said by the user.",
        (_IN_SESSIONS
         + "test_what_claude_code_writes_in_the_users_place_is_not_said_by_the_user",),
    ),
    Fault(
        3407,
        _CLAUDE,
        'return origin == "human" and not any(value.get(mark) for mark in _NOT_TYPED)',
        'return origin == "human"',
        "What the client notes for itself is said by the user.",
        (_IN_SESSIONS
         + "test_what_claude_code_writes_in_the_users_place_is_not_said_by_the_user",),
    ),
    Fault(
        3408,
        _LINES,
        "                self.torn = True\n                return\n",
        "                self.torn = True\n",
        "A torn last line is read and not left for the next run.",
        (_IN_LINES + "test_a_torn_last_line_is_left_for_the_next_run",),
    ),
    Fault(
        3409,
        _LINES,
        "readline(LINE_BYTES_MAX + 1)",
        "readline()",
        "A line without end is held in memory.",
        (_IN_LINES + "test_a_line_that_is_too_long_is_skipped_and_counted_in_bounded_memory",),
    ),
    Fault(
        3410,
        _LINES,
        'whole: JsonObject = mended(value) if "\\\\u" in said else value',
        "whole: JsonObject = value",
        "Half a character in a log breaks the capture.",
        (_IN_LINES + "test_half_a_character_becomes_one_that_can_be_sent",),
    ),
    Fault(
        3411,
        _WINDOWS,
        "len(self.events) + events <= EVENTS_MAX and self.size + size <= bytes_max",
        "len(self.events) + events <= EVENTS_MAX",
        "A window has no limit of bytes.",
        (_IN_WINDOWS + "test_windows_hold_all_events_once_in_order_within_their_limits",),
    ),
    Fault(
        3412,
        _WINDOWS,
        "(whole or _has_ended(self._turn.events[-1].event))",
        "True",
        "A turn that is not answered yet is cut in two.",
        (_IN_WINDOWS + "test_a_turn_without_an_answer_waits_unless_the_session_is_over",),
    ),
    Fault(
        3413,
        _WINDOWS,
        "min(times[-1], self._latest)",
        "times[-1]",
        "A clock that was ahead makes the server refuse the window for ever.",
        (_IN_WINDOWS
         + "test_a_window_is_observed_when_its_last_event_was_and_never_in_the_future",),
    ),
    Fault(
        3414,
        _WINDOWS,
        "text, left_out = _both_ends(event.text)",
        "text, left_out = cut_in_the_middle(event.text), 0",
        "A secret that is cut in two is sent.",
        (_IN_WINDOWS + "test_texts_are_redacted_before_they_are_cut",),
    ),
    Fault(
        3415,
        _WINDOWS,
        "_name(text) for name, text in redacted(said)[0].items()",
        "_name(text) for name, text in said.items()",
        "A secret in the name of a branch or a folder is sent.",
        (_IN_SECRETS
         + "test_no_secret_in_any_place_is_sent_or_kept[claude-code-in_claude-npm]",),
    ),
    Fault(
        3416,
        _STATE,
        "Session(**redacted(asdict(session))[0])",
        "Session(**asdict(session))",
        "A secret in the name of a branch or a folder stays in the state.",
        (_IN_SECRETS
         + "test_no_secret_in_any_place_is_sent_or_kept[claude-code-in_claude-npm]",),
    ),
    Fault(
        3417,
        _STATE,
        "if _digest(log, found.head_bytes) == found.head and",
        "if",
        "Another log under the same name is read from the middle.",
        (_IN_POSTING + "test_another_log_under_the_same_name_begins_at_its_beginning",),
    ),
    Fault(
        3418,
        _DELIVERY,
        "first = [] if unanswered is None else [unanswered.window()]",
        "first: list[Window] = []",
        "After a lost answer a part of the log is never posted.",
        (_IN_POSTING + _LOST,),
    ),
    Fault(
        3419,
        _DELIVERY,
        "    state.taken()\n",
        "",
        "A window is posted again by every run.",
        (_IN_POSTING + "test_again_it_posts_only_what_is_new",),
    ),
    Fault(
        3420,
        _DELIVERY,
        'if error.wire["code"] not in _UNSURE:',
        "if True:",
        "What may have been recorded is cut anew and recorded twice.",
        (_IN_POSTING + _LOST,),
    ),
    Fault(
        3421,
        _CHECKOUT,
        'unset = [word for name in _OTHER_REPOSITORY for word in ("-u", name)]',
        "unset: list[str] = []",
        "A session that a hook of git captures is said to be of that repository.",
        (_IN_CHECKOUT + "test_the_repository_of_a_hook_of_git_is_not_taken_for_that_of_the"
         "_session",),
    ),
    Fault(
        3422,
        _READING,
        "if event.place < self._start or",
        "if",
        "Events of a line that were sent are sent again.",
        (_IN_WINDOWS + "test_a_line_of_very_many_events_is_cut_inside_and_goes_on_there",),
    ),
    Fault(
        3423,
        _STATE,
        "hashlib.sha256(os.pread(log.fileno(), size, 0))",
        "hashlib.sha256(log.seek(0) or log.read(size))",
        "Behind the second window the log is read again from its beginning.",
        (_IN_POSTING + "test_a_log_of_many_windows_is_posted_once",),
    ),
)  # fmt: skip
