"""Takeaways made from templates, and mutants of them: one identifier, number, version or name."""

from __future__ import annotations

import random
import string
import unicodedata
from typing import Final, NamedTuple

from domain.bundles.wording import Wording

TEMPLATES: Final = (
    ("The {word} service listens on port {number} for plain requests", "the whole repository"),
    ("A failed {word} is tried again {number} times before {name} is called", "operations"),
    ("Set {identifier} to {number} before the workers start", "staging"),
    ("The command line tools need Python {version} or newer", "the {name} service"),
    ("Never edit {identifier} by hand, ask {name} first", "generated code"),
    ("In CI always run `{identifier}` with {name} and {version}", "everything"),
    ("The release that broke the {word} import is {version}, see {identifier}", "releases"),
    ("We ask {name} about the {word} schema", "the {identifier} module"),
    ("Backups of the {word} database are kept for {number} days", "the {name} cluster"),
    ("Le service {word} écoute sur le port {number} pour {name}", "le projet"),
    ("Der Dienst {name} hört auf Port {number}", "{identifier}"),
    ("Токен сервиса {name} живёт {number} минут", "весь проект"),
    ("上传失败后由 {name} 重试{number}次并写入 {identifier}", "整个项目"),
    ("ログは {identifier} に書き込み、{number}日間保存する", "the {name} service"),
)
NAMES: Final = (
    *("Mira", "Jonas", "Priya", "Kelpie", "Selkie", "Orrin", "Kelda", "PostgreSQL", "MySQL"),
    *("Redis", "Memcached", "GitHub", "GitLab", "Kubernetes", "Terraform", "GraphQL", "OAuth"),
    *("Zoë", "Łukasz", "Ирина", "Øystein"),
)
WORDS: Final = ("mail", "billing", "search", "tide", "invoice", "customer", "gateway", "upload")
PARTS: Final = (
    "user",
    "order",
    "pool",
    "lint",
    "api",
    "web",
    "max",
    "min",
    "gen",
    "model",
    "event",
)
KINDS: Final = ("identifier", "number", "version", "name")


class Mutant(NamedTuple):
    """A wording, the same with one thing swapped, and the kind of that thing."""

    accepted: Wording
    swapped: Wording
    kind: str


def mutant(dice: random.Random) -> Mutant:
    """One more: a template filled twice, alike but for one slot."""
    while True:
        rule, scope = dice.choice(TEMPLATES)
        values = {kind: _value(dice, kind) for kind in (*KINDS, "word")}
        kind = dice.choice(KINDS)
        if f"{{{kind}}}" in rule + scope:
            break
    other = {**values, kind: _other(dice, kind, values[kind])}
    swapped = Wording(rule.format(**other), scope.format(**other))
    return Mutant(Wording(rule.format(**values), scope.format(**values)), swapped, kind)


def respelled(dice: random.Random, text: str) -> str:
    """The text in another case, with other blanks, in another normal form."""
    case = dice.choice((str, str.upper, str.lower, str.swapcase, str.title))
    form = dice.choice(("NFC", "NFD"))
    blanks = dice.choice((" ", "  ", "\t", "\n", "\u00a0", " \r\n "))
    edges = dice.choice(("", " ", "\n"))
    return edges + blanks.join(unicodedata.normalize(form, case(text)).split()) + edges


def _value(dice: random.Random, kind: str) -> str:
    if kind == "number":
        return str(dice.choice((dice.randint(2, 99), dice.randint(100, 99_999), dice.random() * 9)))
    if kind == "version":
        dots = ".".join(str(dice.randint(0, 40)) for _ in range(dice.randint(2, 3)))
        return dice.choice(("", "v")) + dots
    if kind == "identifier":
        return _identifier(dice)
    return dice.choice(NAMES if kind == "name" else WORDS)


def _identifier(dice: random.Random) -> str:
    one, two = dice.sample(PARTS, 2)
    number = dice.randint(10, 9_999)
    return dice.choice(
        (
            *(f"{one}_{two}", f"{one}_{two}".upper(), f"{one}-{two}", one + two.title()),
            *(f"src/{one}/{two}.py", f"{one}.{two}", f"--{one}-{two}", f"{one.upper()}-{number}"),
            *(f"{dice.getrandbits(40):010x}0", f"{one}@{two}.test", f"https://{one}.test/{two}"),
            *(f"@acme/{one}", f"${one.upper()}", f"{one}::{two}", f"#{number}"),
        )
    )


def _other(dice: random.Random, kind: str, value: str) -> str:
    """Another value of the kind: a new one, or this one with one letter or figure changed."""
    while True:
        other = (
            _value(dice, kind) if kind == "name" or dice.random() < 0.5 else _edited(dice, value)
        )
        if other.casefold() != value.casefold() and other.lstrip("v") != value.lstrip("v"):
            return other


def _edited(dice: random.Random, value: str) -> str:
    places = [place for place, char in enumerate(value) if char.isalnum()]
    place = dice.choice(places)
    letters = string.digits if value[place].isdigit() else string.ascii_lowercase
    return value[:place] + dice.choice(letters) + value[place + 1 :]
