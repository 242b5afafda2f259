"""What is sent to a model, and the settings that say where."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.bundles.evidence import authority, canonical_events
from domain.bundles.window_body import ProposalBody, parse_proposals
from ops.extraction.answer_schema import response_format
from ops.extraction.chat import PAUSE_SECONDS, PAUSE_SECONDS_MAX
from ops.extraction.model_settings import endpoint_of, model_of
from ops.extraction.places import SETTLING_SECONDS
from ops.extraction.posting import ANSWER_BYTES_MAX, CONNECT_SECONDS_MAX
from ops.extraction.prompt import EVIDENCE_BYTES_MAX, messages
from ops.settings import SettingsError, load_settings


@pytest.fixture
def _no_settings_from_outside(monkeypatch):
    for name in [name for name in os.environ if name.startswith("MEMORANDA_")]:
        monkeypatch.delenv(name)


def test_the_schema_asks_for_every_key_of_a_proposal_and_for_no_other():
    whole = response_format()["json_schema"]
    found = whole["schema"]["properties"]["proposals"]["items"]
    assert whole["strict"] is True
    assert set(found["properties"]) == set(ProposalBody.model_fields)
    for one in objects(whole["schema"]):
        assert one["required"] == list(one["properties"])
        assert one["additionalProperties"] is False
    assert "$ref" not in json.dumps(whole)


def objects(node):
    if isinstance(node, dict):
        if node.get("type") == "object":
            yield node
        for one in node.values():
            yield from objects(one)
    elif isinstance(node, list):
        for one in node:
            yield from objects(one)


def test_what_has_to_be_there_and_has_no_value_is_null_and_is_read_so():
    empty = dict.fromkeys(ProposalBody.model_fields)
    read = parse_proposals([{**empty, "action": "no_output"}])
    assert read == parse_proposals([{"action": "no_output"}])


EVENTS = st.lists(
    st.builds(
        lambda kind, actor, letter, length: {"kind": kind, "actor": actor, "text": letter * length},
        st.sampled_from(["user_message", "tool_result"]),
        st.sampled_from(["user", "agent"]),
        st.sampled_from(["x", "ä", "\U0001f6a2", '"']),
        st.integers(1, 4000),
    ),
    max_size=12,
)


@settings(max_examples=40, deadline=None)
@given(EVENTS, st.integers(0, 60))
def test_evidence_is_bounded_in_its_order_and_the_users_words_go_last(events, times):
    found = canonical_events(events * times)
    text = messages(found)[1]["content"]
    said = json.loads(text)
    ids = [event["id"] for event in said["events"]]
    assert len(text.encode()) <= EVIDENCE_BYTES_MAX + 100
    assert ids == [event.id for event in found if event.id in set(ids)]
    assert said["left_out"] == len(found) - len(ids)
    missing = {event.id for event in found} - set(ids)
    if missing & authority(found):
        # No room for the user's own words: so nothing else has pushed them out.
        spoken = sum(len(event.text.encode()) for event in found if event.id in authority(found))
        assert spoken > EVIDENCE_BYTES_MAX / 2


@pytest.mark.parametrize(
    ("url", "host", "port", "path"),
    [
        ("https://models.example/v1", "models.example", None, "/v1/chat/completions"),
        ("http://127.0.0.1:8080/", "127.0.0.1", 8080, "/chat/completions"),
        ("http://[::1]:1/v1/chat/completions", "::1", 1, "/v1/chat/completions"),
    ],
)
def test_a_base_url_names_where_completions_are_asked_for(url, host, port, path):
    found = endpoint_of(url)
    assert (found.host, found.port, found.path) == (host, port, path)


@pytest.mark.parametrize(
    "url",
    [
        "models.example",
        "ftp://a",
        "https://u:p@a/v1",
        "https://a/v1?key=1",
        "http://a:x",
        "http://ä",
    ],
)
def test_a_url_of_no_use_is_refused_by_name(url):
    with pytest.raises(SettingsError, match="MEMORANDA_EXTRACTOR_URL"):
        endpoint_of(url)


@pytest.mark.usefixtures("_no_settings_from_outside")
def test_without_settings_there_is_no_model():
    for extractor in (None, "proposal", "none"):
        given_url = {"extractor_url": "http://a/v1", "extractor_model": "m"}
        assert model_of(load_settings(extractor=extractor, **given_url)) is None


@pytest.mark.usefixtures("_no_settings_from_outside")
def test_a_model_needs_its_url_and_its_name_and_its_key_is_never_shown():
    said = {"extractor": "openai", "extractor_url": "https://a/v1", "extractor_model": "m"}
    model = model_of(load_settings(**said, extractor_key="canary-1"))
    assert (model.name, model.key, model.seconds, model.tries) == ("m", "canary-1", 60, 3)
    assert "canary" not in repr(model)
    for missing in ("extractor_url", "extractor_model"):
        with pytest.raises(SettingsError, match="MEMORANDA_EXTRACTOR=openai"):
            model_of(load_settings(**{**said, missing: None}))
    with pytest.raises(SettingsError, match="MEMORANDA_EXTRACTOR_KEY") as refused:
        model_of(load_settings(**said, extractor_key="canary 2"))
    assert "canary" not in str(refused.value)
    with pytest.raises(SettingsError, match=r"extractor|EXTRACTOR"):
        load_settings(extractor="magic")


def test_the_page_says_the_limits_that_hold():
    page = (Path(__file__).parents[2] / "docs/how-to/extraction.md").read_text("utf-8")
    said = " ".join(page.split())
    between = int(CONNECT_SECONDS_MAX + PAUSE_SECONDS_MAX)
    for limit in (
        f"at most {EVIDENCE_BYTES_MAX // 1024} KiB",
        f"more than {ANSWER_BYTES_MAX // 1024**2} MiB",
        f"at most {PAUSE_SECONDS_MAX:g} s, else after {PAUSE_SECONDS:g} s, {2 * PAUSE_SECONDS:g} s",
        f"tries × (timeout + {between} s), and {SETTLING_SECONDS:g} s",
    ):
        assert limit in said
