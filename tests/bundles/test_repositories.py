"""The identifier of a repository is the same for every way to write its address (spec §2)."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.bundles.repositories import repo_identifier

APP = "github.com/acme/app"


@pytest.mark.parametrize(
    "address",
    [
        "ssh://git@github.com:22/acme/app.git",
        "git@github.com:Acme/App.git",
        "https://u:t@github.com/acme/app.git/",
        "github.com/acme/app",
        "github.com:acme/app.git",
        "  https://GitHub.com//acme///app  ",
        "http://github.com:80/acme/app",
        "https://github.com:443/acme/app.git",
        "git://github.com:9418/acme/app.git",
        "git+ssh://git@github.com/acme/app.git",
        "SSH://git@github.com/acme/app",
        "https://github.com/acme/app?tab=readme#usage",
        "https://github.com/acme/app.git?private_token=abc#x",
        "https://oauth2:p@ss@github.com/acme/app",
        "https://x-access-token:abc@github.com/acme/app.git",
        "oauth2:abc@github.com/acme/app",
        "git@github.com/acme/app",
        "git@github.com:/acme/app",
        "ssh://git@github.com:acme/app.git",
        "https://github.com:/acme/app",
        "github.com:22/acme/app",
        "https://github.com/acme/app/.git",
        "\tgithub.com/acme/app.git//\n",
    ],
)
def test_every_spelling_of_an_address_has_one_identifier(address):
    assert repo_identifier(address) == APP


@pytest.mark.parametrize(
    ("address", "identifier"),
    [
        # Only the ports that nobody has to write are dropped.
        ("ssh://git@git.acme.test:2222/team/app.git", "git.acme.test:2222/team/app"),
        ("https://git.acme.test:8443/team/app", "git.acme.test:8443/team/app"),
        ("git.acme.test:8443/team/app", "git.acme.test:8443/team/app"),
        ("localhost:3000", "localhost:3000"),
        # With a user it is ssh's form, and what follows the colon is the path.
        ("git@git.acme.test:42/app.git", "git.acme.test/42/app"),
        ("git@git.acme.test:~ann/app.git", "git.acme.test/~ann/app"),
        ("git@git.acme.test:team/a@b.git", "git.acme.test/team/a@b"),
        ("ssh://git@[2001:DB8::1]:22/team/app", "[2001:db8::1]/team/app"),
        ("ssh://git@[2001:db8::1]:2222/team/app", "[2001:db8::1]:2222/team/app"),
        ("git@[2001:db8::1]:team/app.git", "[2001:db8::1]/team/app"),
        ("C:\\Code\\App\\.git", "c:/code/app"),
        ("C:/Code/App", "c:/code/app"),
        ("file:///C:/Code/App", "c:/code/app"),
        ("file:///C:\\Code\\App", "c:/code/app"),
        ("\\\\server\\share\\App", "/server/share/app"),
        ("file:///srv/git/app.git", "/srv/git/app"),
        ("/srv/git/app.git/", "/srv/git/app"),
        ("file://server/git/app.git", "server/git/app"),
        ("../app", "../app"),
        # One .git is the suffix; a second one is a name.
        ("https://github.com/acme/app.git.git", "github.com/acme/app.git"),
        ("https://github.com/acme/legit", "github.com/acme/legit"),
        ("https://git.acme.test/ÜBER/Größe.git", "git.acme.test/über/größe"),
    ],
)
def test_what_names_another_place_stays_apart(address, identifier):
    assert repo_identifier(address) == identifier


@pytest.mark.parametrize("address", [None, "", "  ", "\n", "/", "//", ".git", "https://", "?x#y"])
def test_an_empty_address_is_none(address):
    assert repo_identifier(address) is None


PARTS = st.sampled_from(
    [
        *("https://", "ssh://", "file://", "git@", "u:p@", "host", "Acme", ":", ":22", ":2222"),
        *("/", "//", "\\", "c:", "C:\\", ".git", "?", "#", " ", "[::1]", "@", ".", "İ", "\u3000"),
    ]
)
ADDRESSES = st.lists(PARTS, max_size=9).map("".join) | st.text(max_size=20)


@given(ADDRESSES)
@example("a:b:c")
def test_an_identifier_is_its_own_identifier(address):
    once = repo_identifier(address)

    # Of two .git one is left, which is the name then: the one exception, asked for by the spec.
    if once is None or not once.endswith(".git"):
        assert repo_identifier(once) == once


@given(ADDRESSES)
def test_an_identifier_has_neither_blanks_around_nor_capitals_nor_runs_of_slashes(address):
    said = repo_identifier(address)

    if said is not None:
        assert said
        assert said == said.strip() == said.lower()
        assert "//" not in said
        assert not said.endswith("/")
        assert "?" not in said
        assert "#" not in said
