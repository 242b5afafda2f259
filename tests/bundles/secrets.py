"""Secrets of twenty kinds, made when they are asked for: none stands in a file."""

from __future__ import annotations

import base64
import random
from typing import Final, NamedTuple

_LETTERS: Final = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_LINE: Final = 64


class Secret(NamedTuple):
    """A kind, a text that holds the secret, and the parts of it that must not come through."""

    kind: str
    text: str
    parts: tuple[str, ...]


def drawn(dice: random.Random, length: int) -> str:
    """Letters and digits as a generator draws them; small and capital letters and a digit."""
    return "".join(dice.choice(_LETTERS) for _ in range(length - 3)) + "Q7x"


def _base64(said: str) -> str:
    return base64.b64encode(said.encode()).decode()


def _url64(said: str) -> str:
    return base64.urlsafe_b64encode(said.encode()).decode().rstrip("=")


def secrets(seed: int) -> list[Secret]:
    """One secret of each kind; another seed gives others of the same lengths."""
    dice = random.Random(seed)

    def one(kind: str, before: str, made: str, after: str = "") -> Secret:
        return Secret(kind, before + made + after, (made,))

    def word(length: int) -> str:
        return drawn(dice, length)

    capitals = "".join(dice.choice("ABCDEFGHJKLMNPQRSTUVWXYZ234567") for _ in range(16))
    signature, lines = word(43), [_base64(word(48)) for _ in range(3)]
    jwt = _url64('{"alg":"HS256","typ":"JWT"}') + "." + _url64('{"sub":"dev-17","adm":true}')
    pem = "\n".join(["-----BEGIN " + "RSA PRIVATE KEY-----", *lines])
    return [
        one("openai", "use ", "sk" + "-proj-" + word(40), " for the model"),
        one("anthropic", "use ", "sk" + "-ant-api03-" + word(48), " for the model"),
        one("aws-id", "the access key is ", "AK" + "IA" + capitals),
        one("aws-secret", "aws_secret_access_key = ", word(40)),
        one("github", "clone with ", "gh" + "p_" + word(36), " please"),
        one("github-fine", "clone with ", "github" + "_pat_" + word(22) + "_" + word(59), " now"),
        one("gitlab", "clone with ", "gl" + "pat-" + word(20), " please"),
        one("slack", "post with ", "xo" + "xb-2345678901-2345678901234-" + word(24), " please"),
        one("google", "maps key ", "AI" + "za" + word(35), " here"),
        one("stripe", "charge with ", "sk" + "_live_" + word(24), " please"),
        one("npm", "publish with ", "np" + "m_" + word(36), " please"),
        one("pypi", "publish with ", "py" + "pi-AgEIcHlwaS5vcmc" + word(60), " please"),
        one("bearer", "Authorization: Bearer ", word(32)),
        one("basic", "Authorization: Basic ", _base64("svc-deploy:" + word(14))),
        one("api-key", "api_key: ", word(28)),
        one("json-token", '{"token":"', word(28), '"}'),
        one("url", "postgres://app:", "Otter-" + word(9), "@db.acme.test:5432/main"),
        one("prose", "the password is ", "Kestrel-" + word(10)),
        Secret("jwt", f"send {jwt}.{signature}", (signature,)),
        Secret("pem", f"{pem}\n-----END " + "RSA PRIVATE KEY-----", tuple(lines)),
    ]
