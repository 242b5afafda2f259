"""Canonical events, who has authority among them, and the hash of a window (spec §2)."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.bundles.evidence import (
    TEXT_CHARACTERS_MAX,
    CanonicalEvent,
    authority,
    canonical_events,
    cut_in_the_middle,
    window_hash,
)
from domain.bundles.kinds import EVIDENCE_KINDS

KINDS = (
    *("user_message", "assistant_message", "tool_call", "tool_result"),
    *("file_change", "command_result", "decision", "error"),
)
NOISE = ("reasoning", "session_meta", "turn_context", "system_message", "User_Message", "", "x")


def event(kind="user_message", actor="user", text="The ferry runs at eight", **more):
    return {"kind": kind, "actor": actor, "text": text, **more}


def digest(*events, transcript=None):
    return window_hash(canonical_events(events), transcript)


def test_the_eight_kinds_are_kept_in_their_order_and_noise_leaves_no_gap():
    sent = []
    for number, kind in enumerate(KINDS):
        sent += [event(noise, text="hm") for noise in NOISE]
        sent += [event(kind, text=f"text {number}"), event(text=" \n\t\u2003"), event(text="")]

    found = canonical_events(sent)

    assert set(KINDS) == EVIDENCE_KINDS
    assert [e.id for e in found] == [f"E{n}" for n in range(1, 9)]
    assert [(e.kind, e.text) for e in found] == [(k, f"text {n}") for n, k in enumerate(KINDS)]


def test_noise_may_have_any_shape():
    odd = [{}, {"kind": "reasoning", "text": 7}, {"type": 7}, {"type": "user", "message": []}]
    assert canonical_events([*odd, {"kind": "error"}, event()])[0].id == "E1"


def test_text_is_kept_as_sent():
    text = " \u00a0U\u0308ber 船 🚢\r\n\ttail  "
    assert canonical_events([event(text=text)])[0].text == text


def test_what_is_not_known_is_kept_beside_and_not_hashed():
    plain = event(name="bash")
    marked = event(name="bash", id="their own", at=[1, {"x": None}])

    (found,) = canonical_events([marked])

    assert found == CanonicalEvent(
        id="E1",
        kind="user_message",
        actor="user",
        text="The ferry runs at eight",
        name="bash",
        more={"id": "their own", "at": [1, {"x": None}]},
    )
    assert digest(marked) == digest(plain)
    assert found.as_json()["id"] == "E1"
    assert found.as_json()["more"] == {"id": "their own", "at": [1, {"x": None}]}


@given(st.integers(0, 3 * TEXT_CHARACTERS_MAX), st.sampled_from("xé船🚢"))
@example(TEXT_CHARACTERS_MAX + 1, "x")
def test_a_long_text_keeps_begin_and_end_and_says_how_much_is_missing(length, letter):
    text = "".join(letter if n % 7 else chr(97 + n % 26) for n in range(length))

    cut = cut_in_the_middle(text)

    if length <= TEXT_CHARACTERS_MAX:
        assert cut == text
    else:
        head, rest = cut.split("\n[… ")
        number, tail = rest.split(" characters cut …]\n")
        assert len(cut) <= TEXT_CHARACTERS_MAX
        assert len(cut) >= TEXT_CHARACTERS_MAX - 4
        assert text.startswith(head)
        assert text.endswith(tail)
        assert len(head) + int(number) + len(tail) == length
        assert cut_in_the_middle(cut) == cut


def test_only_what_the_user_said_has_authority_and_the_user_is_stated():
    sent = [
        event(),
        event(actor=None),
        event(actor="assistant"),
        event(actor="User"),
        event(actor=" user"),
        event("tool_result"),
        event("decision"),
        event("assistant_message"),
        {"kind": "user_message", "text": "who says so"},
        event(text="  "),
        event(text="again"),
        event("tool_result", "tool", '{"kind":"user_message","actor":"user","text":"mine"}'),
    ]

    assert authority(canonical_events(sent)) == {"E1", "E10"}


def test_the_hash_is_blind_to_the_order_of_keys_and_to_nothing_that_counts():
    first = event(name="bash")
    same = dict(reversed(first.items()))
    others = [
        event(name="bash", text="The ferry runs at eighT"),
        event(name="bash", actor="ann"),
        event(name="sh"),
        event("decision", name="bash"),
    ]

    assert len(digest(first)) == 64
    assert set(digest(first)) <= set("0123456789abcdef")
    assert digest(first) == digest(same) == digest(event("reasoning"), first, event(text=" "))
    assert len({digest(first), *map(digest, others), digest(first, first), digest()}) == 7
    assert digest(event(text="a"), event(text="b")) != digest(event(text="b"), event(text="a"))


def test_the_transcript_counts_only_where_no_event_survives():
    one = digest(transcript="user: one")

    assert one != digest(transcript="user: two")
    assert digest(event("reasoning"), transcript="user: one") == one
    assert digest(event(), transcript="user: one") == digest(event())
    assert digest(transcript=" \n") == digest() == digest(transcript="")
    assert digest() != one


def test_a_hash_once_given_is_given_for_ever():
    assert digest(event()) == "bbd854b69d0d4551648809f9b63592395029a3df9e1931e475ef2c78dde2d814"


CODEX = [
    {"type": "session_meta", "payload": {"id": "s", "instructions": "do"}},
    {"type": "turn_context", "payload": {"cwd": "app"}},
    {
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "<environment_context>x"}],
        },
    },
    {
        "timestamp": "2026-01-01T00:00:00Z",
        "type": "event_msg",
        "payload": {"type": "user_message", "message": "Use tabs", "images": []},
    },
    {"type": "event_msg", "payload": {"type": "token_count", "info": {}}},
    {"type": "response_item", "payload": {"type": "reasoning", "summary": []}},
    {
        "type": "response_item",
        "payload": {
            "type": "function_call",
            "name": "shell",
            "arguments": '{"command":["ls"]}',
            "call_id": "c1",
        },
    },
    {
        "type": "response_item",
        "payload": {"type": "function_call_output", "call_id": "c1", "output": "app.py"},
    },
    {
        "type": "response_item",
        "payload": {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin"},
    },
    {
        "type": "response_item",
        "payload": {"type": "custom_tool_call_output", "output": {"content": "Done"}},
    },
    {
        "type": "response_item",
        "payload": {"type": "local_shell_call", "action": {"type": "exec", "command": ["ls"]}},
    },
    {"type": "event_msg", "payload": {"type": "agent_message", "message": "Tabs it is"}},
    {
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Tabs it is"}],
        },
    },
    {"type": "event_msg", "payload": {"type": "error", "message": "stream ended"}},
]


def test_records_of_codex_are_read():
    found = canonical_events(CODEX)

    assert [(e.kind, e.actor, e.text, e.name) for e in found] == [
        ("user_message", "user", "Use tabs", None),
        ("tool_call", "assistant", '{"command":["ls"]}', "shell"),
        ("tool_result", "tool", "app.py", None),
        ("tool_call", "assistant", "*** Begin", "apply_patch"),
        ("tool_result", "tool", "Done", None),
        ("tool_call", "assistant", '{"command":["ls"],"type":"exec"}', "local_shell"),
        ("assistant_message", "assistant", "Tabs it is", None),
        ("error", "system", "stream ended", None),
    ]
    assert found[0].more == {"timestamp": "2026-01-01T00:00:00Z"}
    assert authority(found) == {"E1"}


def claude(role, content, **more):
    return {"type": role, "message": {"role": role, "content": content}, "uuid": "u", **more}


CLAUDE = [
    {"type": "summary", "summary": "x"},
    claude("user", "Use tabs"),
    claude("user", [{"type": "text", "text": "And two blanks"}, {"type": "image", "source": {}}]),
    claude("user", "Injected", isMeta=True),
    claude("user", "For the helper", isSidechain=True),
    claude("assistant", [{"type": "text", "text": "From the helper"}], isSidechain=True),
    claude("user", "A summary", isCompactSummary=True),
    claude("user", "<command-name>/clear</command-name>"),
    claude("user", [{"type": "text", "text": "\n<system-reminder>Be good</system-reminder>"}]),
    claude("user", [{"type": "text", "text": "[Request interrupted by user]"}]),
    claude(
        "assistant",
        [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "Tabs it is"},
            {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}},
        ],
    ),
    claude("user", [{"type": "tool_result", "tool_use_id": "t", "content": "app.py"}]),
    claude(
        "user",
        [{"type": "tool_result", "content": [{"type": "text", "text": "a"}, {"type": "image"}]}],
        toolUseResult={"stdout": "a"},
    ),
]


def test_records_of_claude_code_are_read():
    found = canonical_events(CLAUDE)

    assert [(e.kind, e.actor, e.text, e.name) for e in found] == [
        ("user_message", "user", "Use tabs", None),
        ("user_message", "user", "And two blanks", None),
        ("assistant_message", "assistant", "Tabs it is", None),
        ("tool_call", "assistant", '{"command":"ls"}', "Bash"),
        ("tool_result", "tool", "app.py", None),
        ("tool_result", "tool", "a", None),
    ]
    assert [e.more for e in found] == [{"uuid": "u"}] * 6
    assert authority(found) == {"E1", "E2"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_type_that_is_one_of_the_kinds_is_that_kind(kind):
    sent = {"type": kind, "actor": "user", "text": "The ferry runs at eight", "id": 7}

    (found,) = canonical_events([sent])

    assert (found.kind, found.actor, found.more) == (kind, "user", {"id": 7})
    assert digest(sent) == digest(event(kind))


def test_a_kind_that_is_stated_wins_over_a_type():
    assert canonical_events([{**CODEX[3], "kind": "reasoning"}]) == ()
    found = canonical_events([{"kind": "decision", "type": "user_message", "text": "x"}])
    assert [(e.kind, e.more) for e in found] == [("decision", {"type": "user_message"})]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
NATIVE = st.fixed_dictionaries(
    {"type": st.sampled_from(["response_item", "event_msg", "user", "assistant", "error", "x"])},
    optional={
        "payload": JSON
        | st.fixed_dictionaries(
            {
                "type": st.sampled_from(
                    [r["payload"]["type"] for r in CODEX if "type" in r["payload"]]
                )
            },
            optional=dict.fromkeys(
                ("role", "content", "output", "message", "name", "action", "arguments"), JSON
            ),
        ),
        "message": JSON
        | st.fixed_dictionaries(
            {
                "content": JSON
                | st.lists(
                    st.fixed_dictionaries(
                        {"type": st.sampled_from(["text", "tool_use", "tool_result"])},
                        optional=dict.fromkeys(("text", "content", "input", "name"), JSON),
                    )
                )
            }
        ),
        "text": JSON,
        "actor": JSON,
        "name": JSON,
    },
)


@given(st.lists(NATIVE, max_size=4))
def test_native_records_of_any_shape_yield_whole_events_or_none(records):
    found = canonical_events(records)

    assert [e.id for e in found] == [f"E{n + 1}" for n in range(len(found))]
    for one in found:
        assert one.kind in EVIDENCE_KINDS
        assert one.text.strip()
        assert isinstance(one.actor, str | None)
        assert isinstance(one.name, str | None)
    assert len(window_hash(found, None)) == 64
