"""Twenty kinds of secret, made here so that none stands in a file; each with a text around it."""

from __future__ import annotations

import base64
import random

_DICE = random.Random(20261130)
_LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def _drawn(size, letters=_LETTERS):
    return "".join(_DICE.choice(letters) for _ in range(size - 3)) + "Q7x"


def _base64(text):
    return base64.b64encode(text.encode()).decode()


def _url_base64(text):
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


_HEAD = _url_base64('{"alg":"HS256","typ":"JWT"}')
_BODY = _url_base64('{"sub":"dev-17","adm":true}')
_ROWS = {
    "openai": ("use § for the model", "sk" + "-proj-" + _drawn(40)),
    "anthropic": ("use § for the model", "sk" + "-ant-api03-" + _drawn(48)),
    "aws id": ("the access key is §", "AK" + "IA" + _drawn(19, "ABCDEFGHJKLMNPQRST234567")[:16]),
    "aws secret": ("aws_secret_access_key = §", _drawn(40)),
    "github": ("clone with § please", "gh" + "p_" + _drawn(36)),
    "github, fine": ("clone with § please", "github" + "_pat_" + _drawn(22) + "_" + _drawn(59)),
    "gitlab": ("clone with § please", "gl" + "pat-" + _drawn(20)),
    "slack": ("post with § please", "xo" + "xb-2345678901-2345678901234-" + _drawn(24)),
    "google": ("maps key § here", "AI" + "za" + _drawn(35)),
    "stripe": ("charge with § please", "sk" + "_live_" + _drawn(24)),
    "npm": ("publish with § please", "np" + "m_" + _drawn(36)),
    "pypi": ("publish with § please", "py" + "pi-AgEIcHlwaS5vcmc" + _drawn(60)),
    "bearer": ("Authorization: Bearer §", _drawn(32)),
    "basic": ("Authorization: Basic §", _base64("svc-deploy:" + _drawn(14))),
    "api key": ("api_key: §", _drawn(28)),
    "json": ('{"token":"§"}', _drawn(28)),
    "url": ("postgres://app:§@db.acme.test:5432/main", "Otter-" + _drawn(9)),
    "prose": ("the password is §", "Kestrel-" + _drawn(10)),
    "jwt": (f"send {_HEAD}.{_BODY}.§", _drawn(43)),
    "pem": ("-----BEGIN RSA " + "PRIVATE KEY-----\n§\n-----END RSA " + "PRIVATE KEY-----",
            _base64(_drawn(45))),
}  # fmt: skip
SECRETS = {name: (text.replace("§", secret), secret) for name, (text, secret) in _ROWS.items()}
