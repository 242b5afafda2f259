"""Seeded faults in asking a model: its request, its answer, who works on what waits."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_READING: Final = "domain/bundles/extracting.py"
_DECIDING: Final = "commands/extracting.py"
_WINDOWS: Final = "commands/windows.py"
_CHAT: Final = "ops/extraction/chat.py"
_POSTING: Final = "ops/extraction/posting.py"
_PROMPT: Final = "ops/extraction/prompt.py"
_SETTINGS: Final = "ops/extraction/model_settings.py"
_REPLAY: Final = "read_api/extraction_replay.py"
_POOL: Final = "workers/extraction_pool.py"
_BELL: Final = "workers/doorbell.py"
_JOBS: Final = "workers/jobs.py"
_ROUTES: Final = "ops/http/window_routes.py"
_OUTCOMES: Final = "tests/extraction/test_outcomes.py::"
_REQUEST: Final = "tests/extraction/test_request.py::"
_IN_POOL: Final = "tests/extraction/test_pool.py::"
_QUEUE: Final = "tests/extraction/test_queue.py::"
_OVER_HTTP: Final = "tests/extraction/test_over_http.py::"
_BELL_TEST: Final = (
    "tests/workers/test_doorbell.py::test_a_wake_queues_one_job_for_a_projection_and_part"
)
_MISBEHAVES: Final = (
    _OUTCOMES + "test_a_misbehaving_endpoint_fails_the_window_and_the_next_try_may_succeed"
)

EXTRACTING: Final = (
    Fault(
        3801,
        _CHAT,
        "return min(max(pause, asked), PAUSE_SECONDS_MAX)",
        "return max(pause, asked)",
        "An endpoint says how long a worker rests, for ever if it likes.",
        (_OUTCOMES + "test_no_endpoint_says_how_long_a_worker_rests_beyond_the_longest_pause",),
    ),
    Fault(
        3802,
        _CHAT,
        "return float(said) if said.isascii() and said.isdigit() else 0.0",
        "return 0.0",
        "Retry-After is not heeded.",
        (_OUTCOMES + "test_a_busy_endpoint_is_asked_again_when_it_says",),
    ),
    Fault(
        3803,
        _CHAT,
        "if found.status >= HTTPStatus.INTERNAL_SERVER_ERROR:",
        "if found.status > HTTPStatus.INTERNAL_SERVER_ERROR:",
        "A server that fails with 500 is not asked again.",
        (_MISBEHAVES,),
    ),
    Fault(
        3804,
        _POSTING,
        "        if response.length:\n",
        "        if False:\n",
        "An answer that breaks off is taken for one.",
        (_MISBEHAVES,),
    ),
    Fault(
        3805,
        _POSTING,
        "        if len(said) > ANSWER_BYTES_MAX:\n",
        "        if False:\n",
        "An answer that is too large is asked for again.",
        (_MISBEHAVES,),
    ),
    Fault(
        3806,
        _READING,
        "return canonical(redacted(value)[0]).decode()",
        "return content",
        "A secret in what a model wrote is kept.",
        (_OUTCOMES + "test_neither_the_key_nor_a_secret_in_an_answer_is_kept",),
    ),
    Fault(
        3807,
        _READING,
        "        return redacted_text(content)[0]\n",
        "        return content\n",
        "A secret in what a model wrote is kept where it is no JSON.",
        (_OUTCOMES + "test_neither_the_key_nor_a_secret_in_an_answer_is_kept",),
    ),
    Fault(
        3808,
        _READING,
        'if not isinstance(value, dict) or value.keys() != {"proposals"}:',
        'if not isinstance(value, dict) or "proposals" not in value:',
        "Keys that nobody asked for are read over.",
        (_MISBEHAVES,),
    ),
    Fault(
        3809,
        _DECIDING,
        "                if state is None or not _waits(state, waited):\n",
        "                if state is None:\n",
        "The second answer to one window is recorded, too.",
        (_OUTCOMES + "test_of_two_answers_for_one_window_the_first_recorded_stands",),
    ),
    Fault(
        3810,
        _DECIDING,
        "        session=said.session,\n",
        '        session="",\n',
        "What is done for a window later is done in no session.",
        (_OUTCOMES + "test_what_is_made_of_a_window_is_its_senders",),
    ),
    Fault(
        3811,
        _WINDOWS,
        'if state is None or state.mode != "accepted":\n                return WaitPlan',
        "if True:\n                return WaitPlan",
        "A window that waits is recorded again each time that it is sent.",
        (_OUTCOMES + "test_a_window_that_was_extracted_is_never_asked_about_again",),
    ),
    Fault(
        3812,
        _WINDOWS,
        "if said is None or not by_model(said.author) or not said.proposals:",
        "if True:",
        "What a model proposed is asked for again.",
        (
            _OUTCOMES
            + "test_proposals_of_a_model_that_failed_are_decided_again_and_not_asked_for",
        ),
    ),
    Fault(
        3813,
        _WINDOWS,
        "not window.proposals and bool(window.authority)",
        "not window.proposals",
        "A model is asked about what no word of the user can authorise.",
        (_OUTCOMES + "test_without_a_word_of_the_user_no_model_is_asked",),
    ),
    Fault(
        3814,
        _PROMPT,
        "        if size <= room:\n",
        "        if size:\n",
        "The evidence that a model is sent has no limit.",
        (
            _REQUEST
            + "test_evidence_is_bounded_in_its_order_and_the_users_words_go_last",
        ),
    ),
    Fault(
        3815,
        _SETTINGS,
        'or "@" in parts.netloc',
        "",
        "A password in the URL of an endpoint is taken.",
        (_REQUEST + "test_a_url_of_no_use_is_refused_by_name",),
    ),
    Fault(
        3816,
        _REPLAY,
        "    if (again or []) != said.proposals:\n",
        "    if False:\n",
        "A replay does not read the model's answer again.",
        ("tests/extraction/test_replay.py",),
    ),
    Fault(
        3817,
        _POOL,
        "        if name in self._at_work:\n            self._at_work[name] = True\n        elif",
        "        if",
        "A window is asked about twice at once.",
        (_IN_POOL + "test_a_window_is_in_one_pair_of_hands_at_a_time",),
    ),
    Fault(
        3821,
        _POOL,
        "                    if again:\n                        self._hold(name)\n",
        "",
        "A window that fails and is sent again at once waits for the next start.",
        (_IN_POOL + "test_a_window_is_in_one_pair_of_hands_at_a_time",),
    ),
    Fault(
        3818,
        _BELL,
        "self._queue.enqueue_call(\n            job,",
        "self._extractions.enqueue_call(\n            job,",
        "Read models wait behind a model.",
        (_QUEUE + "test_a_window_has_one_job_at_a_time_in_a_queue_of_its_own",
         _BELL_TEST),
    ),
    Fault(
        3819,
        _JOBS,
        "        if bench.stopping():\n            # Given up",
        "        if not bench.stopping():\n            # Given up",
        "What fails is tried again at once, and what is given up is not.",
        (
            _QUEUE
            + "test_a_job_that_fails_says_no_more_than_the_class_and_is_not_repeated_at_once",
        ),
    ),
    Fault(
        3820,
        _ROUTES,
        "return json_response(answer, HTTPStatus.ACCEPTED)",
        "return json_response(answer)",
        "A window that waits is answered as one that is done.",
        (_OVER_HTTP + "test_a_window_that_waits_is_answered_202_and_read_when_it_is_done",),
    ),
    Fault(
        3822,
        "commands/window_citations.py",
        "others = [part for part in earlier if part.range != sent.range]",
        "others: list[Sent] = []",
        "A part that is sent while its window waits is cited nowhere.",
        ("tests/extraction/test_parts.py",),
    ),
    Fault(
        3823,
        "workers/jobs.py",
        "with bench.doorbell.extracting(workspace, window_id):",
        "if True:",
        "A worker that is killed holds its window up for as long as a model may take.",
        (
            _QUEUE
            + "test_a_window_is_held_for_a_lease_while_it_is_worked_on_and_else_as_before",
        ),
    ),
    Fault(
        3824,
        "workers/leases.py",
        "        while not self._done.wait(self._seconds / _RENEWALS):",
        "        while False:",
        "A window is asked about twice where its model takes longer than a lease.",
        (_QUEUE + "test_a_lease_is_renewed_for_as_long_as_the_work_takes",),
    ),
)  # fmt: skip
