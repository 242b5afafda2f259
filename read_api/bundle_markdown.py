"""A concept as Markdown (spec/bundle.md §5): front matter, title, every claim. Never read back.

What users said cannot become a part of the form: a text stands in a quotation, or on one line, and
nothing in it begins a tag or a comment of HTML. Values of the front matter are JSON strings, which
are double-quoted scalars of YAML 1.2 (§7.3.1); what YAML 1.1 takes for a line break, or refuses,
is escaped too.
"""

from __future__ import annotations

import json
import re
from typing import Final

from domain.canonical import JsonObject

_FRONT: Final = (
    "id",
    "title",
    "concept_type",
    "repo_identifier",
    "owner",
    "visibility",
    "created_at",
    "updated_at",
    "source_id",
)
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")
"""What begins HTML in CommonMark 0.31 §6.6; a number may be less than another one."""
_UNQUOTED: Final = re.compile("[<\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_PLAIN_LINK: Final = re.compile(r"[A-Za-z0-9._~:/?#@!$&'*+,;=%-]+")
_GONE: Final = "*What this claim said was erased.*"


def concept_markdown(concept: JsonObject) -> str:
    """The text of a concept as `Bundles.concept` tells it; it ends with a line break.

    Before each claim stands `<!-- claim: clm_… -->`, and nothing else in it begins with `<!--`.
    """
    front = [f"{name}: {_scalar(concept[name])}" for name in _FRONT]
    title = _line(concept["title"] or "")
    parts = ["\n".join(["---", *front, "---"]), f"# {title}".rstrip()]
    for claim in concept["claims"]:
        parts += [f"<!-- claim: {claim['id']} -->", *_claim(claim)]
    return "\n\n".join(parts) + "\n"


def _claim(claim: JsonObject) -> list[str]:
    if claim["erased"]:
        return [_GONE]
    details = [
        f"- **{name.capitalize()}:** {_line(claim[name])}"
        for name in ("rule", "scope", "rationale")
        if claim[name]
    ]
    cited = [_citation(one) for one in claim["citations"] if one["citation_url"] is not None]
    parts = [_quotation(claim["claim_text"]), "\n".join(details)]
    return [*parts, "\n".join(["Citations:", "", *cited])] if cited else parts


def _citation(one: JsonObject) -> str:
    url = one["citation_url"]
    link = f"[{url}]({url})" if _PLAIN_LINK.fullmatch(url) else _line(url)
    return f"- {link} ({one['cited_as']}, observed {_line(one['observed_at'])})"


def _quotation(text: str) -> str:
    """Whatever a line begins with, it ends with the quotation: fences, headings, rules, lists."""
    lines = [_safe(line) for line in text.splitlines()]
    return "\n".join(f"> {line}".rstrip() for line in lines or [""])


def _line(text: str) -> str:
    return _safe(" ".join(text.split()))


def _safe(text: str) -> str:
    return _TAG.sub("&lt;", text)


def _scalar(value: str | None) -> str:
    said = json.dumps(value, ensure_ascii=False)
    return _UNQUOTED.sub(lambda found: f"\\u{ord(found[0]):04x}", said)
