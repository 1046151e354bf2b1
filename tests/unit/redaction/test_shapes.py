"""Goal: a secret is found however it is shown, and what looks like one is left alone.

Method: made-up secrets in lists, patches, tables, manifests, other languages and encodings;
beside them the same shapes without a secret. Every text is also taken the way of a hook.
"""

from __future__ import annotations

import base64
import json
from hashlib import md5, sha1, sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.redaction.cards import is_card
from agentx.redaction.redact import redact, redact_value, suspicious
from agentx.surfaces.hooks.cleaning import clean
from tests.support.pace import least_s
from tests.support.secrets import HEX, LOWER, MIXED, body

KEY_LINES = [body(seed, MIXED, 64) for seed in range(500, 524)]
BEGIN, END = "-----BEGIN RSA PRIVATE" + " KEY-----", "-----END RSA PRIVATE" + " KEY-----"
KEY = [BEGIN, *KEY_LINES, END]
TOKEN = "gh" + "p_" + body(71, MIXED, 36)
WORDS = (
    "abandon ability about above absent absorb abstract absurd abuse access accident across".split()
)


def _dumped(value: object) -> str:
    return json.dumps(redact_value(value), ensure_ascii=False)


def _none_left(text: str, parts: list[str]) -> bool:
    return not any(part[:24] in text or part[-24:] in text for part in parts)


# --- private keys -----------------------------------------------------------------------------


@pytest.mark.promise("redact.across-parts")
@pytest.mark.parametrize(
    "value",
    [
        {"structuredPatch": [{"lines": ["+x = 1", *(f"+{line}" for line in KEY), "+y"]}]},
        {"structuredPatch": [{"lines": [f"-{line}" for line in KEY]}]},
        {"source": [f"{line}\n" for line in KEY]},
        {"content": [{"type": "text", "text": line} for line in KEY]},
        {"content": [{"type": "text", "text": f"{line}\n"} for line in KEY[:-1]]},
        {"a": "\n".join(KEY[:9]), "b": {"type": "text", "more": "\n".join(KEY[9:])}},
        {"stdout": "\n".join(f"{n:6}\u2192{line}" for n, line in enumerate(KEY, 1))},
        {"stdout": "\n".join(f"{n:6}\u2192{line}" for n, line in enumerate(KEY[:-1], 1))},
        {"stdout": "\n".join(f"-{line}" for line in KEY)},
        {"stdout": "\n".join(f"-{line}" for line in KEY[1:])},
        {"stdout": "\n".join(f"{n}:{line}" for n, line in enumerate(KEY[1:], 1))},
        {"stdout": "\\n".join(KEY[4:])},
        {"env": "KEY=" + json.dumps("\n".join(KEY))},
        {"yaml": "key: |\n" + "\n".join(f"    {line}" for line in KEY[:-1])},
    ],
)
def test_a_private_key_is_found_in_whatever_parts_it_comes(value: object) -> None:
    assert _none_left(_dumped(value), KEY_LINES)
    assert _none_left(clean(json.dumps(value).encode())[0].decode(), KEY_LINES)


def test_what_stands_around_a_key_stays() -> None:
    lines = ["+before", *(f"+{line}" for line in KEY), "+after"]

    assert redact_value({"lines": lines}) == {
        "lines": ["+before", "+[REDACTED:private-key]", "+after"]
    }


def test_lines_without_a_secret_stay_a_list_of_as_many() -> None:
    value = {"lines": ["+a", " b", "-c", ""], "argv": ["git", "log", "-p"]}

    assert redact_value(value) == value


def test_a_key_that_is_written_as_json_loses_its_private_number() -> None:
    number = body(41, MIXED, 60)

    left = redact(json.dumps({"kty": "EC", "crv": "P-256", "x": body(42, MIXED, 43), "d": number}))

    assert number not in left
    assert body(42, MIXED, 43) in left


# --- names ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Endpoint=https://x.y/;Key={}",
        '\tfooKey := "{}"',
        "GET /v1?key={}",
        "ADAFRUIT={}",
        'algolia = "{}"',
        '{{"mapbox": "{}"}}',
        "run MATTERMOST={} make",
        "yandex_api: {}",
        "TOKEN=abc.{}.def",
        "api_key: pre.{}",
    ],
)
def test_a_random_value_is_a_secret_beside_what_tells_it(text: str) -> None:
    value = body(17, MIXED, 40)

    left = redact(text.format(value))

    assert value not in left
    assert "[REDACTED:" in left


@pytest.mark.parametrize(
    "text",
    [
        "Passwort: hunter2x",
        'Kennwort = "abc"',
        'contrase\u00f1a: "clave99"',
        "contrasena=clave99x",
        "mot de passe : azerty99",
        "MOT_DE_PASSE=azerty99",
        "senha: segredo1",
        "has\u0142o: tajne123",
        "\u043f\u0430\u0440\u043e\u043b\u044c: qwerty12",
        "\u041f\u0410\u0420\u041e\u041b\u042c=qwerty12",
        "wachtwoord: geheim12",
        "l\u00f6senord: hemlig12",
        "salasana: salainen1",
        "\u015fifre: gizli123",
        "\u5bc6\u7801\uff1aabc12345",
        "\u30d1\u30b9\u30ef\u30fc\u30c9: himitsu99",
        "\ube44\ubc00\ubc88\ud638: bimil1234",
    ],
)
def test_passwords_are_known_in_other_languages(text: str) -> None:
    value = text.replace("=", " ").replace("\uff1a", " ").replace('"', " ").split()[-1]

    assert value not in redact(text)
    assert suspicious(json.dumps({"a": text}).encode())
    assert suspicious(json.dumps({"a": text}, ensure_ascii=False).encode())


@pytest.mark.parametrize(
    "name", ["nextToken", "pageToken", "next_page_token", "NextContinuationToken", "syncToken"]
)
def test_a_place_in_a_list_is_no_secret(name: str) -> None:
    value = body(3, MIXED, 40)

    assert redact(f'{name} = "{value}"') == f'{name} = "{value}"'
    assert redact_value({name: value}) == {name: value}


@pytest.mark.parametrize(
    "text",
    [
        f"SPEC CHECKSUMS:\n  Sentry: {sha1(b'a').hexdigest()}\n  mapbox: {sha1(b'b').hexdigest()}",
        f"linear: {md5(b'a').hexdigest()}",
        "facebook: true\ntwitter: summary_large_image\ntravis = build-2-linux-x86_64",
        "asana = https://app.example.com/0/1201234567890123",
        'cacheKey = "user:42:profile"',
        f'cacheKey := "{sha256(b"x").hexdigest()}"',
        f'publicKey = "{body(8, MIXED, 43)}="',
        "keyid:52:D8:88:3A:C8:9F:78:66:ED:89:F3:7B:38:70:94:C9",
        f'"keyId": "{body(9, MIXED, 43)}="',
        "sentry-sdk=2.1=pyhd8ed1ab_0",
        "the password for a user is base64-encoded, the token for paging is opaque",
        "password manager, token bucket, | password | string | required |",
        "the seed phrase is stored in the password manager and never shown to anybody else again",
        "random seed: forty two words that were never meant as one and mean nothing",
        "order 4000 0000 0000 0001 and 1234 5678 9012 3456",
        "timestamp_ms 1763240000000 of card 7",
        "username,password,token\n",
        "def login(username, password):\n    return user, token",
        "asia and Asia/Tokyo, key: value, key is missing",
        base64.b64encode(b"a plain sentence without anything to hide in it").decode(),
        b"plain text as hex, nothing else".hex(),
        base64.b64encode(bytes(range(256)) * 4).decode(),
    ],
)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "password: |\n  {}\nnext: 1",
        "db_password: >-\n    {}\n",
        "<Password Type='x'>{}</Password>",
        'variable "db_password" {{\n  type = string\n  default = "{}"\n}}',
        "%22password%22%3A%22{}%22",
        "ConvertTo-SecureString '{}' -AsPlainText",
        'psk="{}"',
        "the password for the staging database is {}",
        "password\t{}",
        "login --with-token <<< {}",
    ],
)
def test_a_password_is_found_where_settings_and_people_put_it(text: str) -> None:
    left = redact(text.format("hunter2zz"))

    assert "hunter2zz" not in left
    assert redact(left) == left
    assert suspicious(json.dumps({"a": text.format("hunter2zz")}).encode())


def test_a_random_word_behind_a_token_is_one() -> None:
    value = body(23, MIXED, 24)

    for text in ("ENV GITHUB_TOKEN {}", "the token {} works", "| token | {} |"):
        assert value not in redact(text.format(value))


# --- tables, manifests, phrases, cards -----------------------------------------------------------


def test_columns_of_secrets_are_emptied_and_others_kept() -> None:
    secret = body(5, MIXED, 40)
    key_id = "AK" + "IA" + body(6, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)

    browser = redact(
        "name,url,username,password\nmail,https://m.x,me,correct horse\nx,https://y.z,you,a"
    )
    cloud = redact(f"Access key ID,Secret access key\n{key_id},{secret}")

    assert browser == (
        "name,url,username,password\n"
        "mail,https://m.x,me,[REDACTED:password]\n"
        "x,https://y.z,you,[REDACTED:password]"
    )
    assert secret not in cloud
    assert secret not in redact(f"{key_id},{secret}")


def test_a_manifest_that_is_a_secret_loses_its_values_only() -> None:
    manifest = "kind: Secret\nmetadata:\n  name: db\ndata:\n  user: YWRtaW4=\n  pw: MWYyZDFl\n"
    other = "---\nkind: ConfigMap\ndata:\n  colour: YWRtaW4=\n"

    left = redact(manifest + other)

    assert left == (
        "kind: Secret\nmetadata:\n  name: db\ndata:\n"
        "  user: [REDACTED:secret]\n  pw: [REDACTED:secret]\n" + other
    )


@pytest.mark.parametrize(
    "text",
    [
        "seed phrase: {}",
        'MNEMONIC="{}"',
        "my recovery phrase is\n{}\nkeep it",
        "wallet seed = '{}'",
    ],
)
def test_words_that_open_a_wallet_are_a_secret(text: str) -> None:
    for between in (" ", "\n", ", ", "\\n"):
        left = redact(text.format(between.join(WORDS)))

        assert "abstract" not in left
        assert "[REDACTED:" in left
    assert "abstract" not in _dumped({"mnemonic": WORDS})
    assert "abstract" not in _dumped({"lines": ["seed phrase:", " ".join(WORDS)]})


def test_numbers_of_cards_are_found_grouped_or_named() -> None:
    number = "4" + "012888888881881"
    grouped = " ".join(number[at : at + 4] for at in range(0, 16, 4))

    assert is_card(number)
    assert grouped not in redact(f"paid with {grouped} today")
    assert grouped.replace(" ", "-") not in redact(f"paid with {grouped.replace(' ', '-')} today")
    assert number not in redact(f"credit card: {number}")
    assert number not in _dumped({"cardNumber": int(number), "cvv": 123})
    assert redact(f"order {number} shipped") == f"order {number} shipped"


# --- encoded ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "inside", ["{}", "user:{}", '{{"auths": {{"x": "{}"}}}}', "a\nTOKEN={}\nb"]
)
def test_a_token_is_found_in_base64_and_hex(inside: str) -> None:
    raw = inside.format(TOKEN).encode()
    wrapped = base64.encodebytes(raw * 3).decode()

    for text in (
        base64.b64encode(raw).decode(),
        base64.urlsafe_b64encode(raw).decode().rstrip("="),
        f"+data: {base64.b64encode(raw).decode()}",
        wrapped,
        base64.b64encode(inside.format(TOKEN).encode("utf-16-le")).decode(),
        raw.hex(),
        raw.hex().upper(),
    ):
        left = redact(text)

        assert "[REDACTED:" in left, text
        assert text.strip() not in left
        assert suspicious(json.dumps({"a": text}).encode())


@given(st.binary(min_size=24, max_size=200))
def test_random_bytes_in_base64_and_hex_stay(raw: bytes) -> None:
    raw = sha256(raw).digest() + raw

    assert redact(raw.hex()) == raw.hex()


# --- private text -----------------------------------------------------------------------------


def test_an_unclosed_private_ends_with_its_message_and_says_so() -> None:
    value = {
        "prompt": "before <private>hidden",
        "content": [
            {"type": "text", "text": "a <private>b"},
            {"type": "text", "text": "c</private> d"},
            {"type": "text", "text": "e"},
        ],
        "lines": ["x <private>y", "z"],
        "after": "kept",
    }

    assert redact_value(value) == {
        "prompt": "before [REDACTED:private-unclosed]",
        "content": [
            {"type": "text", "text": "a [REDACTED:private-unclosed]"},
            {"type": "text", "text": "[REDACTED:private] d"},
            {"type": "text", "text": "e"},
        ],
        "lines": ["x [REDACTED:private-unclosed]"],
        "after": "kept",
    }


# --- speed ------------------------------------------------------------------------------------

_SLOW = [
    *(BEGIN, BEGIN + "\n", END, END + "\n", "A" * 64 + "\n" + END, "-----BEGIN ", "1\u2192", "\\n"),
    *("ADAFRUIT=", "adafruit", "key=", "Key=a1", "fooKey := ", "seed phrase ", "mnemonic a1b "),
    *("abandon ", "seed:" + "abandon " * 11, "4111 1111 1111 111", "4111-", "card 41111", "4" * 20),
    *("a,password\n", "password,a\n1,2\n", "kind: Secret\ndata:\n  a: b\n", "data:\n  a"),
    *(base64.b64encode(b"plain text " * 6).decode() + " ", b"plain".hex(), "ZXlK", "eyJhbGci."),
    *(
        "\u043f\u0430\u0440\u043e\u043b\u044c ",
        "\u5bc6\u7801",
        "ey" + "A" * 30 + ".ey",
        "AKIA",
        "a1B2" * 5,
    ),
    *("password for a ", "password for a is ", "token | ", 'variable "a_key" {', "<password a>"),
    *("password: |\n ", "token%3a", "token <<<"),
    *("passwort ist ", '"kty" "d": "', "1" * 15 + "|", "s." + "a1" * 12, "pat." + "a" * 22 + "."),
]


@pytest.mark.timed
@pytest.mark.parametrize("unit", _SLOW)
def test_a_long_line_made_to_be_slow_is_not(unit: str) -> None:
    line = unit * (50_000 // len(unit)) + " private key, seed phrase, kind: secret"

    # A megabyte in some seconds at worst, on a machine that is shared.
    assert least_s(lambda: redact(line), 0.25) < 0.25


@given(st.text(alphabet=LOWER + HEX + " =:-\"'\n,|+/", max_size=80))
def test_redacting_shapes_twice_is_redacting_once(tail: str) -> None:
    for head in (
        "ADAFRUIT=",
        "seed phrase: ",
        "Key=",
        BEGIN,
        "password,x\n",
        "card 4111",
        "senha: ",
    ):
        once = redact(head + tail)

        assert redact(once) == once
