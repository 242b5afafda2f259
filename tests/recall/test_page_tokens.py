from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.canonical import canonical
from domain.context import Context
from domain.contract import RecallInput
from domain.errors import Code, MemorandaError
from domain.ids import RECALL, encode_id, uuid7
from read_api.page_tokens import PageToken, question_digest, read_token
from tests.recall.recordings import LIMITS

SECRETS = {"w": b"secret of w", "w2": b"secret of w2"}.get
CONTEXT = Context("w", "ann", "monday", frozenset({"read"}), "request")
QUESTION = RecallInput(objective="otter", seed_ids=[], limits=LIMITS)
DIGEST = question_digest(CONTEXT, QUESTION)


def read(text, context=CONTEXT, **said):
    return read_token(context, QUESTION.model_copy(update={"page_token": text, **said}), SECRETS)


def unpadded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


@given(
    st.integers(0, 2**62),
    st.integers(-(2**58), 2**58),
    st.booleans(),
    st.lists(st.integers(0, 2**40), max_size=5),
)
def test_a_token_says_what_was_put_into_it(position, as_of_us, told, times):
    pages = tuple(encode_id(RECALL, uuid7(time, bytes(10))) for time in times)
    token = PageToken("w", DIGEST, position, as_of_us, told, pages)

    assert read(token.encode(SECRETS("w"))) == token


def test_a_question_without_a_token_has_none():
    assert read(None) is None


def test_a_token_of_an_equal_signature_elsewhere_is_not_found():
    token = PageToken("w2", DIGEST, 1, 1, False, ()).encode(SECRETS("w2"))

    with pytest.raises(MemorandaError) as refused:
        read(token)

    assert refused.value.code is Code.NOT_FOUND


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[]",
        b"7",
        b'"a string"',
        b"[" * 100_000,
        b"\xff",
        canonical([2, "w", DIGEST, 1, 1, False, ""]),
        canonical([1, 7, DIGEST, 1, 1, False, ""]),
        canonical([1, "unknown", DIGEST, 1, 1, False, ""]),
        canonical([1, "w", DIGEST, 1, 1, False, ""]),
    ],
)
def test_a_body_that_we_did_not_sign_is_refused_whatever_it_says(body):
    with pytest.raises(MemorandaError, match="none of ours") as refused:
        read(unpadded(bytes(32) + body))

    assert refused.value.code is Code.INVALID_REQUEST
    assert refused.value.field == "page_token"


@given(st.text(max_size=80))
def test_no_text_is_a_token(text):
    with pytest.raises(MemorandaError) as refused:
        read(text)

    assert refused.value.code is Code.INVALID_REQUEST


def test_limits_may_change_between_pages_and_nothing_else():
    token = PageToken("w", DIGEST, 1, 1, False, ()).encode(SECRETS("w"))

    assert read(token, limits=QUESTION.limits.model_copy(update={"max_items": 1})) is not None
    for other in ({"objective": "o"}, {"seed_ids": ["x"]}, {"explain": True}, {"repo": "r"}):
        with pytest.raises(MemorandaError) as refused:
            read(token, **other)
        assert refused.value.code is Code.NOT_FOUND
