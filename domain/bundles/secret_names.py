"""Names under which secrets stand: of settings, headers, options, keys of objects, and in prose."""

from __future__ import annotations

import re
from typing import Final

_PASSWORDS: Final = (
    r"pass(?:word|wort|wd|phrase|code)s?|passw|pswd|pwd|(?<=de[ _-])passe"
    # Not of a test that passes: an ending, a key of an object, or what = is said of.
    r"|(?<=[_.-])pass|(?<=[\"'])pass(?=\\{0,15}[\"'])|(?:(?<![a-z])|(?<=db|pg|my))pass(?==)"
    r"|kennwort|contrase(?:ñ|n)a|senha|wachtwoord|lösenord|has(?:ł|l)o"
    r"|пароль|密码|密碼|口令|パスワード|비밀번호"
)
"""A password may be any word, also one of a dictionary."""

_KEY_OF: Final = (
    *("api", "access", "auth", "private", "secret", "signing", "encryption", "account", "master"),
    *("license", "licence", "service", "deploy", "webhook", "session", "app", "application"),
    *("storage", "subscription", "client", "consumer"),
)
"""What stands before `key`: others (public, primary, cache …) are no secrets."""
_KEYS: Final = (
    "(?:" + "|".join(f"(?<={word})|(?<={word}[ _-])" for word in _KEY_OF) + ")key(?:[ _-]?secret)?"
)
_PAT_OF: Final = ("gh", "github", "gitlab", "azure", "ado", "devops", "bitbucket")
_TOKENS: Final = (
    "token|jwt|bearer|(?:" + "|".join(f"(?<={word}_)" for word in _PAT_OF) + ")pat"
    # Personal access tokens, and not patterns.
    "|(?<![a-z_])pat(?=[:=])"
)
_OTHERS: Final = (
    r"secret|credentials?|(?<![a-z])creds|(?<![a-z])auth|authorization|authentication|cookie"
)

# What stands behind a name and leaves it one: API_KEY_PROD, token2.
_SUFFIX: Final = (
    r"(?:[ _-](?:value|data|prod|production|staging|stage|dev|test|live|old|new|backup|primary"
    r"|secondary|plain|plaintext|base64|b64|main|root|admin|default|base))?(?:[_-]?[0-9]{1,3})?"
)

NAME: Final = (
    rf"(?:(?P<password>{_PASSWORDS})|(?P<key>{_KEYS})|(?P<token>{_TOKENS})|(?P<other>{_OTHERS}))"
    rf"{_SUFFIX}"
)
"""A name from its stem on, or the end of one: `DB_PASSWORD`, `x-api-key`, `githubToken`."""

_STEMS: Final = (
    *(
        "pass",
        "pswd",
        "pwd",
        "key",
        "token",
        "secret",
        "jwt",
        "bearer",
        "_pat",
        "pat:",
        "pat=",
        "auth",
        "cred",
    ),
    *("cookie", "kennwort", "contrase", "senha", "wachtwoord", "lösenord", "hasł", "haslo"),
    *("пароль", "密", "口令", "パスワード", "비밀번호"),
)
_WHOLE: Final = re.compile(rf"{NAME}\Z", re.IGNORECASE)
_NAME_CHARACTERS_MAX: Final = 200
_A_NAME: Final = re.compile(r"[\w.$@/-]{1,80}(?: [\w.$@/-]{1,40}){0,2}")


def stems(lowered: str) -> list[int]:
    """Where names may begin in a text in lower case, in order.

    Finding fixed letters one by one costs a tenth of an expression with all of them.
    """
    found: list[int] = []
    for stem in _STEMS:
        at = lowered.find(stem)
        while at >= 0:
            found.append(at + (stem == "_pat"))
            at = lowered.find(stem, at + len(stem))
    found.sort()
    return found


def kind_of(found: re.Match[str]) -> str:
    """The kind of the secret that a matched `NAME` names."""
    if found["password"]:
        return "password"
    if found["key"]:
        return "api_key"
    if found["token"]:
        return "token"
    return "secret" if found["other"].lower() == "secret" else "credential"


def secret_kind(name: str) -> str | None:
    """The kind of secret that an object's key, a header or an option names; None for another name.

    `dbPassword`, `X-Api-Key`, `--token` name one; `password_policy`, `tokens`, `public_key` do not.
    """
    bare = name.strip()[:_NAME_CHARACTERS_MAX].rstrip(":=").rstrip()
    if not _A_NAME.fullmatch(bare):
        return None
    for at in stems(bare.lower()):
        found = _WHOLE.match(bare, at)
        if found is not None:
            return kind_of(found)
    # A key of an object that is called so is no test that passes.
    return "password" if bare.lower() == "pass" else None
