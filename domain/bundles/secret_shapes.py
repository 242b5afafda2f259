"""Secrets that are known by their own shape, whatever stands around them (docs/spec/bundle.md §2).

The prefixes are those that the issuers document for secret scanning. Each expression is tried only
where its fixed letters stand in the text, and none has a repetition within a repetition, so that
the time is linear in the text.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from domain.bundles.secret_values import is_reference, like_a_key, mixed, scrambled

Span: TypeAlias = tuple[int, int, str]
"""Begin, end and kind of a secret in a text."""

_LEFT: Final = r"(?<![A-Za-z0-9])"
_RIGHT: Final = r"(?![A-Za-z0-9])"


class Shape(NamedTuple):
    """What a token of one issuer looks like; one of the letters has to be in the text."""

    kind: str
    letters: tuple[str, ...]
    pattern: re.Pattern[str]


def _shape(kind: str, pattern: str, *letters: str, right: str = "") -> Shape:
    return Shape(kind, letters, re.compile(_LEFT + pattern + right))


_WORD: Final = r"[A-Za-z0-9_-]"

TOKENS: Final = (
    _shape("anthropic_key", rf"sk-ant-{_WORD}{{16,}}", "sk-ant-"),
    _shape("openai_key", rf"(?:sk|sess)-(?!ant-){_WORD}{{20,}}", "sk-", "sess-"),
    _shape(
        "aws_access_key_id",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
        *("AKIA", "ASIA", "ABIA", "ACCA"),
        right=_RIGHT,
    ),
    _shape("aws_key", r"ABSK[A-Za-z0-9+/=]{80,}", "ABSK"),
    _shape("github_token", r"gh[a-z]_[A-Za-z0-9]{20,}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _shape("github_token", r"github_pat_[A-Za-z0-9_]{20,}", "github_pat_"),
    _shape("gitlab_token", rf"gl[a-z]{{2,5}}-{_WORD}{{20,}}", "gl"),
    _shape("slack_token", rf"xox[a-z]-{_WORD}{{10,}}", "xox"),
    _shape("slack_token", rf"xapp-{_WORD}{{16,}}", "xapp-"),
    _shape("google_key", rf"AIza{_WORD}{{30,}}", "AIza"),
    _shape("google_key", rf"GOCSPX-{_WORD}{{20,}}", "GOCSPX-"),
    _shape("google_key", rf"ya29\.{_WORD}{{20,}}", "ya29."),
    _shape("google_key", rf"1//0{_WORD}{{30,}}", "1//0"),
    _shape(
        "stripe_key",
        r"[srp]k_(?:live|test)_[A-Za-z0-9]{10,}",
        *("sk_live_", "sk_test_", "rk_live_", "rk_test_"),
    ),
    _shape("stripe_key", r"whsec_[A-Za-z0-9+/=]{20,}", "whsec_"),
    _shape("npm_token", r"npm_[A-Za-z0-9]{30,}", "npm_"),
    _shape("pypi_token", rf"pypi-{_WORD}{{40,}}", "pypi-"),
    _shape("sendgrid_key", rf"SG\.{_WORD}{{16,}}\.{_WORD}{{16,}}", "SG."),
    _shape("mailgun_key", r"key-[0-9a-f]{32}", "key-", right=_RIGHT),
    _shape("twilio_key", r"SK[0-9a-f]{32}", "SK", right=_RIGHT),
    _shape("digitalocean_token", r"do[a-z]_v1_[0-9a-f]{40,}", "_v1_", right=_RIGHT),
    _shape("huggingface_token", r"hf_[A-Za-z0-9]{30,}", "hf_"),
    _shape("groq_key", r"gsk_[A-Za-z0-9]{30,}", "gsk_"),
    _shape("xai_key", r"xai-[A-Za-z0-9]{40,}", "xai-"),
    _shape("replicate_token", r"r8_[A-Za-z0-9]{30,}", "r8_"),
    _shape("perplexity_key", r"pplx-[A-Za-z0-9]{30,}", "pplx-"),
    _shape("shopify_token", r"shp[a-z]{2}_[0-9a-fA-F]{32}", "shp", right=_RIGHT),
    _shape("square_token", rf"sq0[a-z]{{3}}-{_WORD}{{20,}}", "sq0"),
    _shape("databricks_token", r"dapi[0-9a-f]{32}", "dapi", right=_RIGHT),
    _shape("vault_token", rf"hv[sbr]\.{_WORD}{{20,}}", "hvs.", "hvb.", "hvr."),
    _shape("terraform_token", rf"[A-Za-z0-9]{{14}}\.atlasv1\.{_WORD}{{40,}}", ".atlasv1."),
    _shape("docker_token", rf"dckr_[a-z]{{3}}_{_WORD}{{20,}}", "dckr_"),
    _shape("rubygems_key", r"rubygems_[0-9a-f]{40,}", "rubygems_", right=_RIGHT),
    _shape("linear_key", r"lin_api_[A-Za-z0-9]{30,}", "lin_api_"),
    _shape("notion_token", r"ntn_[A-Za-z0-9]{40,}", "ntn_"),
    _shape("figma_token", rf"figd_{_WORD}{{20,}}", "figd_"),
    _shape("atlassian_token", r"AT[A-Z]{2}[A-Za-z0-9]{2}[A-Za-z0-9_=-]{60,}", "ATATT", "ATCTT"),
    _shape("grafana_token", rf"gl(?:sa|c)_{_WORD}{{30,}}=*", "glsa_", "glc_"),
    _shape("sentry_token", r"sntry[su]_[A-Za-z0-9_+/=-]{40,}", "sntry"),
    _shape("postman_key", rf"PMAK-{_WORD}{{40,}}", "PMAK-"),
    _shape("newrelic_key", r"NRAK-[A-Z0-9]{20,}", "NRAK-"),
    _shape("pulumi_token", r"pul-[0-9a-f]{40}", "pul-", right=_RIGHT),
    _shape("supabase_key", rf"sb(?:p|_secret)_{_WORD}{{20,}}", "sbp_", "sb_secret_"),
    _shape("age_key", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}", "AGE-SECRET-KEY-1"),
    _shape("azure_secret", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,}", "Q~"),
    _shape("mailchimp_key", r"[0-9a-f]{32}-us[0-9]{1,2}", "-us", right=_RIGHT),
    # -----BEGIN in Base64, as configurations of Kubernetes hold it; certificates begin so too.
    _shape("private_key", r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}={0,2}", "LS0tLS1CRUdJTi"),
    _shape("telegram_token", rf"[0-9]{{8,12}}:AA{_WORD}{{30,}}", ":AA"),
)

_WEBHOOK: Final = re.compile(
    r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/"
    r"|discord(?:app)?\.com/api/webhooks/\d{1,30}/)(?P<secret>[A-Za-z0-9_/+-]{16,})"
)
_AWS_SECRET: Final = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_AWS_SECRET_WITHIN: Final = 120
"""Characters after a key id in which its secret stands, as in a table or an answer of the CLI."""


_LETTERS: Final = tuple(dict.fromkeys(piece for one in TOKENS for piece in one.letters))


def one_of(pieces: Sequence[str], text: str) -> bool:
    """Whether one of some fixed letters stands in a text.

    Windows have texts by the ten thousands, most of them short: this loop costs a quarter of
    `any` over a generator.
    """
    for piece in pieces:  # noqa: SIM110 - see above
        if piece in text:
            return True
    return False


def tokens(text: str) -> Iterator[Span]:
    """Tokens with a prefix of their issuer."""
    for kind, letters, pattern in TOKENS if one_of(_LETTERS, text) else ():
        if one_of(letters, text):
            for found in pattern.finditer(text):
                # sk- and gl are begins of words too: names of styles, flags, packages.
                if kind in _PREFIXES_OF_WORDS and not scrambled(found.group()):
                    continue
                if kind == "private_key" and not _encodes_a_key(found.group()):
                    continue
                yield found.start(), found.end(), kind
                if kind == "aws_access_key_id":
                    yield from _aws_secrets(text, found.end())
    if "hook" in text:
        for found in _WEBHOOK.finditer(text):
            yield *found.span("secret"), "webhook"


_DOTTED: Final = re.compile(r"[A-Za-z0-9_.-]{20,}")


def web_tokens(text: str) -> Iterator[Span]:
    """JSON Web Tokens (RFC 7519), signed, unsigned and encrypted.

    Header and payload are JSON objects, which begin with {" and so with eyJ in Base64. The parts
    are split and not matched: eyJ may stand in a long run as often as anybody likes.
    """
    if "eyJ" not in text:
        return
    for run in _DOTTED.finditer(text):
        parts = run.group().split(".")
        at, skip = run.start(), 0
        for number, part in enumerate(parts):
            begin = part.find("eyJ") if number >= skip else -1
            while begin > 0 and part[begin - 1].isalnum():
                begin = part.find("eyJ", begin + 1)
            if 0 <= begin <= len(part) - 11 and number + 1 < len(parts):
                following = parts[number + 1 : number + 5]
                if len(following[0]) >= 4:
                    end = at + len(part) + sum(len(more) + 1 for more in following)
                    yield at + begin, end - (0 if following[-1] else 1), "jwt"
                    skip = number + 5
            at += len(part) + 1


_PREFIXES_OF_WORDS: Final = frozenset({"openai_key", "gitlab_token", "pypi_token", "slack_token"})


def _encodes_a_key(said: str) -> bool:
    return b"PRIVATE KEY" in base64.b64decode(said[:64])


def _aws_secrets(text: str, at: int) -> Iterator[Span]:
    for found in _AWS_SECRET.finditer(text, at, at + _AWS_SECRET_WITHIN + 40):
        if like_a_key(found.group()):
            yield found.start(), found.end(), "aws_key"


_REST_OF_URL: Final = re.compile(
    r"(?:[^\s\"'`<>\\]|[<>](?=[^\s\"'`/]{0,64}@)|'(?![\s,;)\]}]|$)|\\(?![nrt\"'\\]|$))*"
)
_AUTHORITY_END: Final = re.compile(r"[/?#]")
_LOGIN_MAX: Final = 2048
_PORT: Final = re.compile(r"[0-9]{1,5}(?:[/?#]|$)")
_BARE_LOGIN: Final = re.compile(
    r"(?<![\w./@:-])(?P<user>[\w.+-]{1,64}):(?P<secret>[^\s\"'`<>/@\\]{6,200})"
    r"@(?=[A-Za-z0-9][A-Za-z0-9-]*\.[A-Za-z]|localhost)"
)
_NO_LOGINS: Final = frozenset({"mailto", "xmpp", "sip", "sips", "acct", "urn", "cid", "mid"})


def logins(text: str) -> Iterator[Span]:
    """Passwords, and tokens in the place of a user, before the host of a URL."""
    if "@" not in text:
        return
    at, end = text.find("://"), 0
    while at >= 0:
        begin = at + 3
        if begin > end:
            rest = _REST_OF_URL.match(text, begin)
            end = rest.end() if rest else begin
        yield from _login(text, begin, min(end, begin + _LOGIN_MAX))
        at = text.find("://", begin)
    for found in _BARE_LOGIN.finditer(text):
        if found["user"].lower() not in _NO_LOGINS and mixed(found["secret"]):
            yield *found.span("secret"), "url_password"


def _login(text: str, begin: int, end: int) -> Iterator[Span]:
    """Of `user:password@host/path`; the password may hold `@`, `/`, `?` and `#` by mistake."""
    authority = _AUTHORITY_END.search(text, begin, end)
    stop = authority.start() if authority else end
    at = text.rfind("@", begin, stop)
    colon = text.find(":", begin, stop)
    if at < 0 and colon >= 0 and not _PORT.match(text, colon + 1, end):
        # A slash in the password ends what is the authority for the standard, not for the writer.
        at = text.find("@", colon, end)
    if at < 0:
        return
    colon = text.find(":", begin, at)
    if colon < 0:
        if at - begin >= 16 and scrambled(text[begin:at]):
            yield begin, at, "url_token"
        return
    if at > colon + 1 and not is_reference(text[colon + 1 : at], quoted=True):
        yield colon + 1, at, "url_password"
    if colon - begin >= 16 and scrambled(text[begin:colon]):
        yield begin, colon, "url_token"


_BASIC: Final = re.compile(
    r"\bbasic[ \t]{1,8}(?P<secret>[A-Za-z0-9+/_-]{6,4096}={0,2})", re.IGNORECASE
)
_BEARER: Final = re.compile(r"\bbearer[ \t]{1,8}(?P<secret>[A-Za-z0-9._~+/=-]{16,})", re.IGNORECASE)


def schemes(text: str, lowered: str) -> Iterator[Span]:
    """`Basic` and `Bearer` with a credential after them, also without a header's name."""
    if "basic" in lowered:
        for found in _BASIC.finditer(text):
            if _says_a_login(found["secret"]):
                yield *found.span("secret"), "basic"
    if "bearer" in lowered:
        for found in _BEARER.finditer(text):
            if scrambled(found["secret"]):
                yield *found.span("secret"), "bearer"


def _says_a_login(said: str) -> bool:
    """Whether it is the Base64 of `user:password`; words are the Base64 of nothing readable."""
    try:
        login = base64.b64decode(
            said + "=" * (-len(said) % 4), altchars=b"-_" if "_" in said else None
        )
        return ":" in login.decode()
    except (binascii.Error, ValueError):
        return False
