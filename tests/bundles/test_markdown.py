"""A concept as Markdown: whatever users say, the form stays what it is."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from read_api.bundle_markdown import concept_markdown

MARKER = re.compile(r"<!--[^>]*?(clm_[A-Za-z0-9_-]+)[^>]*?-->")
URL = "/v1/bundles/windows/win_1#E1"


def a_claim(number=1, **changes):
    return {
        "id": f"clm_{number}",
        "claim_text": "Charts lie flat, says the user.",
        "rule": "Charts are stored flat",
        "scope": "the chart room",
        "rationale": None,
        "erased": False,
        "citations": [
            {"citation_url": URL, "cited_as": "authorised", "observed_at": "2024-06-01T10:00:00Z"}
        ],
        **changes,
    }


def a_concept(*claims, **changes):
    return {
        "id": "con_1",
        "title": "Chart room",
        "concept_type": "convention",
        "repo_identifier": None,
        "owner": "ann",
        "visibility": "private",
        "created_at": "2024-06-01T10:00:00Z",
        "updated_at": "2024-06-02T10:00:00Z",
        "source_id": "agent-sessions/codex",
        "claims": claims or [a_claim()],
        **changes,
    }


def parts(said):
    """Front matter as YAML reads it, and what follows."""
    opening, front, rest = re.split(r"^---$", said, maxsplit=2, flags=re.MULTILINE)
    assert opening == ""
    return yaml.safe_load(front), rest


def test_front_matter_title_and_claims_follow_one_another():
    said = concept_markdown(a_concept(a_claim(1), a_claim(2, claim_text="No smoking.")))

    front, rest = parts(said)
    assert front["title"] == "Chart room"
    assert front["repo_identifier"] is None
    assert rest.startswith("\n\n# Chart room\n")
    assert MARKER.findall(rest) == ["clm_1", "clm_2"]
    ends = [rest.index(one) for one in ("clm_1", "> Charts lie flat", "clm_2", "> No smoking.")]
    assert ends == sorted(ends)
    assert "- **Rule:** Charts are stored flat\n- **Scope:** the chart room\n" in rest
    assert f"[{URL}]({URL}) (authorised, observed 2024-06-01T10:00:00Z)" in rest
    assert "Rationale" not in rest
    assert said.endswith("\n")
    assert not said.endswith("\n\n")


def test_an_erased_claim_keeps_its_place_and_says_so():
    gone = a_claim(claim_text=None, rule=None, scope=None, erased=True)

    said = concept_markdown(a_concept(gone))

    assert MARKER.findall(said) == ["clm_1"]
    assert "erased" in said
    assert URL not in said


def test_a_text_of_several_lines_stays_within_its_quotation():
    text = "```\n# Heading\n---\n\n- item\r\n<!-- clm_x -->\x0bend"

    said = concept_markdown(a_concept(a_claim(claim_text=text)))

    quoted = said.split("<!-- claim: clm_1 -->\n\n")[1].split("\n\n")[0].split("\n")
    assert quoted == [
        "> ```", "> # Heading", "> ---", ">", "> - item", "> &lt;!-- clm_x -->", "> end",
    ]  # fmt: skip


def test_less_than_stays_where_it_begins_no_tag():
    said = concept_markdown(a_concept(a_claim(claim_text="a < b, 1<2, <b>bold</b>")))

    assert "> a < b, 1<2, &lt;b>bold&lt;/b>" in said


@pytest.mark.parametrize("url", ["javascript:alert(1)", "x) <script>", "a\nb"])
def test_an_address_that_would_end_its_link_is_a_text(url):
    cited = {"citation_url": url, "cited_as": "late", "observed_at": "then"}

    said = concept_markdown(a_concept(a_claim(citations=[cited])))

    assert "](" not in said
    assert "<script" not in said


NASTY = st.one_of(
    st.text(max_size=40),
    st.lists(
        st.sampled_from(
            [
                *("<!--", "-->", "clm_x", "---", "\n", "\r", "\u2028", "\x85", "```", "# ", '"'),
                *("<", ">", "&lt;", "'", ": ", "\ufeff", "\x7f", "\ufffe", "\x00", "{", "\\"),
                "<![CDATA[",
            ]
        ),
        max_size=12,
    ).map("".join),
)


@given(st.lists(NASTY, min_size=1, max_size=3), NASTY, NASTY)
def test_markers_are_exactly_the_ids_whatever_the_texts_hold(texts, title, rule):
    claims = [
        a_claim(number, claim_text=text, rule=rule, scope=title, rationale=text)
        for number, text in enumerate(texts)
    ]

    said = concept_markdown(a_concept(*claims, title=title, owner=rule, source_id=title))

    assert MARKER.findall(said) == [claim["id"] for claim in claims]
    assert said.count("<!--") == len(claims)


@given(NASTY, NASTY)
def test_the_front_matter_is_yaml_that_says_what_was_said(title, owner):
    said = concept_markdown(a_concept(title=title, owner=owner))

    front, rest = parts(said)
    assert (front["title"], front["owner"]) == (title, owner)
    headings = [line for line in rest.split("\n") if line.startswith("#")]
    assert len(headings) == 1
