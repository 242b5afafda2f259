"""No secret of any kind comes through, and what only looks like one does (spec §2)."""

from __future__ import annotations

import base64
import json
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.bundles.redaction import redacted, redacted_text
from domain.canonical import canonical
from tests.bundles.secrets import drawn, secrets
from tests.bundles.spellings import HARMLESS, PASSWORDS, TOKENS

SECRETS = secrets(20_261_130)
OTHERS = secrets(7)
PASSWORD = "Otter-" + drawn(random.Random(1), 8)
TOKEN = drawn(random.Random(2), 24)


def put_out(text):
    """The redacted text, after which nothing is left to do."""
    said, counted = redacted_text(text)
    assert redacted_text(said) == (said, {})
    assert (said == text) == (not counted)
    assert said.count("[redacted:") - text.count("[redacted:") <= sum(counted.values())
    return said


def named(secret):
    return secret.kind


AROUND = (
    "{}",
    "We {}\nand remember to rotate it.",
    "  {}  ",
    "```\n{}\n```",
    "- {}\n- next",
    "> {}",
    "They said:\r\n{}\r\nDone.",
    "Überprüfe: {} 船 🚢",
    "diff --git a/x b/x\n+{}\n-old",
    "     1\t{}\n     2\tnext",
    "({})",
    '"{}"',
    "`{}`, next",
    "<p>{}</p>",
    "echo '{}' > f",
    "| kind | {} |",
    "{}; next",
    "a={}",
    "https://docs.acme.test/x {}.",
)


@pytest.mark.parametrize("secret", SECRETS, ids=named)
@pytest.mark.parametrize("around", AROUND)
def test_each_of_twenty_kinds_is_put_out_whatever_stands_around_it(secret, around):
    said = put_out(around.format(secret.text))

    assert "[redacted:" in said
    assert not [part for part in secret.parts if part in said]
    assert said == put_out(
        around.format(dict(zip(map(named, OTHERS), OTHERS, strict=False))[secret.kind].text)
    )


@pytest.mark.parametrize("secret", SECRETS, ids=named)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_secret_is_found_in_json_within_a_string(secret, depth):
    text = secret.text
    for _ in range(depth):
        text = json.dumps({"command": text, "cwd": "app"})

    said = put_out(text)

    assert not [part for part in secret.parts if part in said]
    for _ in range(depth):
        said = json.loads(said)["command"]


@pytest.mark.parametrize("spelling", PASSWORDS)
def test_a_password_is_found_however_it_is_written(spelling):
    said = put_out(spelling.replace("§", PASSWORD))

    assert PASSWORD not in said
    assert "[redacted:" in said


@pytest.mark.parametrize("spelling", TOKENS)
def test_a_token_is_found_however_it_is_written(spelling):
    said = put_out(spelling.replace("§", TOKEN))

    assert TOKEN not in said
    assert "[redacted:" in said


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_is_kept(text):
    assert redacted_text(text) == (text, {})
    assert redacted({"text": text, text: [text]}) == ({"text": text, text: [text]}, {})


QUOTED = ('password: "§"', '"password":"§"', 'the password is "§"', "password='§'")
TIGHT = ("PASSWORD=§", "password: §", "password = §", "--password §", "<password>§</password>")


@pytest.mark.parametrize("spelling", QUOTED + TIGHT)
def test_a_word_is_a_password_where_it_is_set_as_one(spelling):
    words = ["swordfish", "my-dog-rex", "flying-circus", "Rosebud"]
    for word in [*words, "hunter(two", "foo.bar.baz", "$wordfish"] if spelling in QUOTED else words:
        assert word not in put_out(spelling.replace("§", word)), word


def test_a_sentence_about_a_password_is_no_password_and_a_word_at_its_end_is_one():
    assert put_out("The password is swordfish.") == "The password is [redacted:password]."
    assert "swordfish" not in put_out("postgres://app:swordfish@db/main")
    assert put_out("the password is swordfish") == "the password is [redacted:password]"
    assert "horse" not in put_out('"password": "correct horse battery staple"')
    for said in ("required", "case-sensitive", "never logged", "too short", "stored hashed"):
        assert put_out(f"The password is {said}.") == f"The password is {said}."


LETTERS = ("kFzQxABcd", "qWmZrTpLxKvB", "48291734")


@pytest.mark.parametrize("password", LETTERS)
def test_a_password_of_letters_or_digits_alone_is_no_word(password):
    for said in ("the password is § for bob", "password: § for bob", "PASSWORD=§ ./run"):
        assert password not in put_out(said.replace("§", password))


@pytest.mark.parametrize(
    "password", ["a/b7Cd", "p#w?7x", "it's7Ab", "t*e<0>J", "a:b@c7", "plain", "[x7"]
)
def test_a_password_in_a_url_may_hold_the_signs_that_end_one(password):
    said = put_out(f"see postgres://app:{password}@db.acme.test:5432/main?x=1#y for it")

    assert said == (
        "see postgres://app:[redacted:url_password]@db.acme.test:5432/main?x=1#y for it"
    )


def test_all_secrets_of_one_text_are_put_out_and_counted():
    text = "\n".join(secret.text for secret in SECRETS)

    said, counted = redacted_text(text)

    assert not [part for secret in SECRETS for part in secret.parts if part in said]
    assert sum(counted.values()) == 20
    assert redacted_text(f"first {SECRETS[0].parts[0]} then {SECRETS[4].parts[0]} done")[1] == {
        "openai_key": 1,
        "github_token": 1,
    }


def test_secrets_that_overlap_are_put_out_as_one():
    github = SECRETS[4].parts[0]

    for said in (f"password={github}!tail9", f"password=head9!{github}", f"token: x-{github}-y"):
        assert sum(redacted_text(said)[1].values()) == 1
        assert not any(part in put_out(said) for part in ("tail9", "head9", github[4:]))


def test_what_stands_behind_a_placeholder_is_not_named_by_it():
    for said in (f"It was [redacted:token] {TOKEN}", f"[redacted:password]: {PASSWORD}"):
        assert redacted_text(said) == (said, {})


def test_the_secret_of_an_access_key_id_stands_near_it():
    key_id, secret = SECRETS[2].parts[0], drawn(random.Random(4), 40)

    for said in (f"{key_id},{secret}", f"{key_id} / {secret}", f"id {key_id}\nkey: {secret}"):
        assert secret not in put_out(said)


ODD = (
    "ends9Xy\\",
    "p@ssw0rd!",
    "u[4;<xC|x:f8Cv",
    "g(Xw,QHm0QmNiL", "it's-A-secret9", 'ab"cd9Xy', "back\\slash9X", "x/y+z==9Abc", "$ecret-Pass1",
    "#hash9Tag", "{brace9}X", "[br9]kXyz", "a,b;c9Xyz", "tab9&amp", "ü-Größe9", "with blank 9Xy7",
)  # fmt: skip


@pytest.mark.parametrize("password", ODD)
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_no_part_of_an_odd_password_is_left_in_json(password, depth):
    value = {"password": password, "next": "kept"}
    text = value
    for _ in range(depth):
        text = json.dumps({"a": text} if text is not value else text)

    said, counted = redacted(text)

    assert counted == {"password": 1}
    for _ in range(depth):
        said = json.loads(said)
        said = said.get("a", said)
    assert said == {"password": "[redacted:password]", "next": "kept"}


def pem(*lines, end=True, break_="\n"):
    said = ["-----BEGIN " + "PRIVATE KEY-----", *lines]
    return break_.join([*said, "-----END " + "PRIVATE KEY-----"] if end else said)


LINES = (*tuple(drawn(random.Random(n), 64) for n in range(4)), "AbCd9fGh==")


@pytest.mark.parametrize(
    "said", ["token: §", "PASSWORD=§ x", '{"token":"§"}', "Authorization: Bearer §", "?key=§&x"]
)
def test_a_secret_of_any_length_is_put_out_whole(said):
    secret = drawn(random.Random(3), 6_000)

    assert len(put_out(said.replace("§", secret))) < 60


def test_a_private_key_that_is_encoded_once_more_is_put_out():
    encoded = base64.b64encode(pem(*LINES).encode()).decode()

    for said in (f"client-key-data: {encoded}", f"key {encoded} end"):
        assert encoded[20:60] not in put_out(said)
        assert encoded[-40:-4] not in put_out(said)


@pytest.mark.parametrize("end", [True, False])
@pytest.mark.parametrize("break_", ["\n", "\r\n", "\\n", "\\r\\n", "\\\\n", "\n    ", "\n     7\t"])
def test_a_private_key_is_put_out_to_its_last_line(end, break_):
    said = put_out("before\n" + pem(*LINES, end=end, break_=break_) + "\nafter it, all goes on")

    assert not [line for line in LINES if line in said]
    assert said.startswith("before\n[redacted:private_key]")
    assert said.endswith("\nafter it, all goes on")


def test_the_rest_of_a_private_key_whose_begin_is_cut_off_is_put_out():
    whole = pem(*LINES)

    said = put_out(whole[whole.index(LINES[1]) + 5 :] + "\nafter")

    assert not [line for line in LINES[2:] if line in said]
    assert said == "[redacted:private_key]\nafter"


def test_a_private_key_in_a_list_of_lines_is_put_out():
    said, counted = redacted({"lines": ["x", *pem(*LINES).split("\n"), "y"]})

    assert not [line for line in LINES if line in str(said)]
    assert said["lines"][0] == "x"
    assert said["lines"][-1] == "y"
    assert counted


def test_a_key_of_an_object_names_the_secret_under_it():
    value = {
        "password": "swordfish",
        "dbPassword": "swordfish",
        "X-Api-Key": TOKEN,
        "Authorization": f"Bearer {TOKEN}",
        "client_secret": TOKEN,
        "credentials": [TOKEN],
        "pin": 1,
        "passcode": 123456,
    }

    said, counted = redacted(value)

    assert "swordfish" not in str(said)
    assert TOKEN not in str(said)
    assert "123456" not in str(said)
    assert said["pin"] == 1
    assert sum(counted.values()) == 7
    assert redacted(said) == (said, {})


@pytest.mark.parametrize(
    "value",
    [
        {"name": "password", "value": "swordfish"},
        {"value": "swordfish", "name": "DB_PASSWORD"},
        {"key": "password", "value": "swordfish"},
        {"header": "X-Api-Key", "value": TOKEN},
        [{"name": "GITHUB_TOKEN", "value": TOKEN}],
        ["--password", "swordfish"],
        ["curl", "--token", TOKEN],
        ["Authorization", f"Bearer {TOKEN}"],
        {"password": {"value": "swordfish"}},
    ],
)
def test_a_member_beside_it_names_a_secret(value):
    said, counted = redacted(value)

    assert "swordfish" not in str(said)
    assert TOKEN not in str(said)
    assert sum(counted.values()) == 1
    assert redacted(said) == (said, {})


@pytest.mark.parametrize(
    "value",
    [
        {"tags": ["password", "rotation", "token", "kubernetes-2024"]},
        {"kind": "tool_call", "name": "get_token", "text": "lists 12 tokens of user42 at step12"},
        {"kind": "tool_call", "name": "read_password", "text": "from vault2"},
        {"password": ["required", "min:8"], "token": None, "secret": True, "auth": 12},
        {"pass": 1234, "fail": 0, "pwd": "/srv/app/src", "session_id": "3f2a9c71-b0de"},
        {"name": "token_count", "value": "a1b2c3d4e5f6"},
        {"key": "sha", "value": "3f2a9c71b0de4455aa0912de77f0c1b2aa33dd44"},
        {"token_type": "bearer", "expires_in": 3600, "password_policy": "min 12 chars, 1 digit"},
    ],
)
def test_names_of_other_things_make_no_secret_of_what_stands_beside_them(value):
    assert redacted(value) == (value, {})


def test_keys_of_objects_are_redacted_and_stay_apart():
    first, second = SECRETS[4].parts[0], OTHERS[4].parts[0]

    said, counted = redacted({first: 1, second: 2, "x": {f"token={TOKEN}": 3}})

    assert said == {
        "[redacted:github_token]": 1,
        "[redacted:github_token] 2": 2,
        "x": {"token=[redacted:token]": 3},
    }
    assert counted == {"github_token": 2, "token": 1}


def test_ten_thousands_of_keys_that_are_redacted_stay_apart():
    # Each is looked for among those before it, one after the other, where it is done badly
    said, counted = redacted({f"token={TOKEN}{number}": number for number in range(40_000)})

    assert list(said.values()) == list(range(40_000))
    assert list(said)[:2] == ["token=[redacted:token]", "token=[redacted:token] 2"]
    assert list(said)[-1] == "token=[redacted:token] 40000"
    assert counted == {"token": 40_000}


def test_texts_that_come_again_are_redacted_and_counted_each_time():
    said, counted = redacted([{"kind": "x", "text": f"token={TOKEN}"} for _ in range(3)])

    assert said == [{"kind": "x", "text": "token=[redacted:token]"}] * 3
    assert counted == {"token": 3}


def test_the_value_given_is_not_changed():
    value = {"a": [{"password": "swordfish"}, f"token={TOKEN}"]}
    before = json.dumps(value)

    redacted(value)

    assert json.dumps(value) == before


WORDS = st.text(max_size=12)
HARMLESS_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(HARMLESS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "text", "note", "Ü"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def planted(draw):
    """A JSON value with a secret somewhere in it, in a text of whatever, and the secret."""
    secret = draw(st.sampled_from(SECRETS))
    blank = draw(st.sampled_from([" ", "\n", "\t", "\r\n", " \n"]))
    value = draw(WORDS) + blank + secret.text + blank + draw(WORDS)
    for _ in range(draw(st.integers(0, 4))):
        shape, other = draw(st.integers(0, 2)), draw(HARMLESS_JSON)
        if shape == 0:
            value = {"a": other, "b": value}
        elif shape == 1:
            value = [other, value, other]
        else:
            value = {value if isinstance(value, str) else "k": other, "k2": value}
    return value, secret


@given(planted())
def test_a_secret_planted_anywhere_in_any_json_never_survives(given_):
    value, secret = given_

    said, counted = redacted(value)

    written = canonical(said).decode()
    assert not [part for part in secret.parts if part in written]
    assert counted
    assert redacted(said) == (said, {})


@given(HARMLESS_JSON)
def test_what_holds_no_secret_is_equal_byte_for_byte(value):
    said, counted = redacted(value)

    assert canonical(said) == canonical(value)
    assert counted == {}


FRAGMENTS = st.sampled_from(
    [
        "password",
        "token",
        "api key",
        "secret",
        "is",
        "=",
        ":",
        " ",
        "\n",
        '"',
        "\\",
        "'",
        ",",
        "://",
        "@",
        "[redacted:token]",
        "[redacted:",
        "]",
        "aB3dE5gH7",
        "Basic",
        "Bearer",
        "x",
        "(",
        ")",
        "value",
        "name",
        "user",
        "eyJhbGciOiJI",
        ".",
        "-----BEGIN PRIVATE KEY-----",
        "/",
        "&",
        "?",
    ]
)


@given(st.lists(FRAGMENTS, max_size=14).map("".join) | st.text(max_size=30))
def test_what_was_redacted_is_redacted(text):
    put_out(text)


def filled(piece, size):
    return (piece * (size // len(piece) + 1))[:size]


HARD = (
    *("password ", "password=", 'password:\\"', "token:'a", "cookie=a", "password for a ", "eyJ-"),
    *("://a:b@", ",a:aaaaaa", "name: password value:", "-----BEGIN PRIVATE KEY-----", "AKIA"),
    *(
        "password:<",
        "curl ",
        " is a",
        "?key",
        "basic a",
        "((((",
        "\\",
        "token: aB1",
        "A" * 20 + "\n",
        "密码",
    ),
)


@pytest.mark.parametrize("piece", HARD)
def test_time_grows_with_the_length_of_a_text_and_not_faster(piece):
    """Eight times the text in at most thirty times the CPU: a square would be sixty-four."""
    put_out(filled(piece, 2048))
    times = []
    for size in (3 * 1024, 24 * 1024):
        text = filled(piece, size)
        begin = time.process_time()
        redacted_text(text)
        times.append(time.process_time() - begin)

    assert times[1] <= 30 * max(times[0], 0.002)
