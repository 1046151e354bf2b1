"""Goal: no secret survives, and what is not a secret is left alone.

Method: a corpus of made-up secrets of more than a hundred kinds, each met in prose, code,
settings and JSON, also behind escapes and in a document that does not parse. The other
direction: the sources of installed packages, lock files, and whatever Hypothesis makes
of plain words. Lines of a megabyte that were made to be slow must not be.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import subprocess
import sys
import uuid
from collections.abc import Iterator
from hashlib import sha1, sha256, sha512
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.limits import METADATA_DEPTH_MAX
from agentx.redaction import redact as redact_module
from agentx.redaction.redact import (
    redact,
    redact_value,
    suspicious,
)
from agentx.surfaces.hooks.cleaning import clean
from tests.support.pace import least_s
from tests.support.secrets import MIXED, Secret, body, corpus

SECRETS = corpus()
by_name = pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret.name)


def _clean(raw: bytes) -> bytes:
    """Return a payload as the hook lets it through."""
    return clean(raw)[0]


def _places(secret: Secret) -> Iterator[tuple[str, str]]:
    yield "alone", secret.text
    yield "prose", f"Yesterday I tried {secret.text} and, 日本語 too, it worked."
    yield "after a newline", f"first line\n{secret.text}\nlast line"
    yield "comment", f"x = 1  # {secret.text}"
    yield "markdown", f"- run it with `{secret.text}`"
    yield "json", json.dumps({"output": f"ok\n{secret.text}\nok"})
    yield "json in json", json.dumps(json.dumps({"output": f"ok\n{secret.text}\nok"}))
    yield "right to left", f"\u202bשלום {secret.text} עולם\u202c"


def test_the_corpus_has_more_than_a_hundred_kinds() -> None:
    assert len({secret.name for secret in SECRETS}) == len(SECRETS) > 100


@pytest.mark.promise("redact.before-disk")
@by_name
def test_no_secret_survives_anywhere(secret: Secret) -> None:
    for place, text in _places(secret):
        redacted = redact(text)

        assert secret.secret not in redacted, place
        assert "[REDACTED:" in redacted, place
        assert redact(redacted) == redacted, place


@by_name
def test_no_secret_survives_in_a_payload_and_json_stays_json(secret: Secret) -> None:
    raw = json.dumps({"tool_input": {"command": f"x\n{secret.text}\ny"}, "n": [1, True]}).encode()

    redacted = _clean(raw)

    assert suspicious(raw)
    assert secret.secret.encode() not in redacted
    assert json.loads(redacted)["n"] == [1, True]
    assert _clean(redacted) == redacted


@by_name
def test_no_secret_survives_in_a_payload_that_was_cut_off(secret: Secret) -> None:
    raw = json.dumps({"tool_input": {"command": f"x\n{secret.text}\ny"}}).encode()[:-3]

    assert secret.secret.encode() not in _clean(raw)


@pytest.mark.parametrize("assigned", ['{} = "{}"', "export {}={}", "{}: {}", '"{}": "{}",'])
@pytest.mark.parametrize(
    "name",
    ["api_key", "SECRET_KEY", "accessToken", "client-secret", "DB_PASSWORD", "signing_key"],
)
def test_random_values_of_telling_names_are_secrets(assigned: str, name: str) -> None:
    value = body(len(name) + len(assigned), MIXED, 32)

    redacted = redact(f"a\n{assigned.format(name, value)}\nb")

    assert value not in redacted
    assert redacted.startswith("a\n")
    assert redacted.endswith("\nb")


@pytest.mark.parametrize(
    "assigned", ['token = "{}"', "TOKEN={} x", '{{"token": "{}"}}', "token='{}'"]
)
def test_a_long_value_is_redacted_to_its_end(assigned: str) -> None:
    value = body(1, MIXED, 5000)

    redacted = redact(assigned.format(value))

    assert redacted == assigned.format("[REDACTED:token]")


@pytest.mark.parametrize(
    ("before", "secret", "after"),
    [
        ("password: ", "correcthorsebattery", "\n"),
        ('"passwd": "', "abc", '"'),
        ("mongodb://user:", "p@ss", "@host/db"),
        ("ftp://user:", "sesame", "@host/f"),
        ('-H "Authorization: Bearer ', "abc.def.gh1", '"'),
        ("localhost:5432:app:me:", "s3cr3t", "\n"),
        ('<property name="password" value="', "hunter2!", '"/>'),
        ("secret_key_base: ", "0a1b2c3d4e5f60718293a4b5c6d7e8f9", "\n"),
        ('password = """', "hunter2", '"""'),
        ("PASSWORD='", "hunter 2", "'"),
        ("user=admin&password=", "hunter2", "&x=1"),
        ("kubectl create --from-literal=password=", "hunter2", " x"),
        ('passphrase = "', "correct horse battery staple", '"'),
        ('smtp_pass = "', "abcd efgh ijkl mnop", '"'),
        ("pass: ", "hunter2secret", "\n"),
        ("API_TOKEN=", "abcdefghijklmnopqrst", "\n"),
        ("aws configure set aws_secret_access_key ", "abcd1234EFGH5678ijkl9012", "\n"),
        ("spring.datasource.password=", "Sup3r$ecret", "\n"),
    ],
)
def test_only_the_secret_is_taken_out(before: str, secret: str, after: str) -> None:
    redacted = redact(before + secret + after)

    assert redacted.startswith(before + "[REDACTED:")
    assert redacted.endswith("]" + after)
    assert secret not in redacted.removeprefix(before)


# --- private text -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <private>x</private> b", "a [REDACTED:private] b"),
        ("a <PRIVATE>x</Private> b", "a [REDACTED:private] b"),
        ("a <private>x", "a [REDACTED:private-unclosed]"),
        ("<private>x <private>y</private> z</private> b", "[REDACTED:private] b"),
        ("<private>x</private><private>y</private>", "[REDACTED:private][REDACTED:private]"),
        ("a</private> b", "a</private> b"),
        ("<private>日本\n👍</private>.", "[REDACTED:private]."),
        ("\u0130<private>x</private>\u0130", "\u0130[REDACTED:private]\u0130"),
    ],
)
def test_private_text_is_dropped(text: str, left: str) -> None:
    assert redact(text) == left


def test_private_text_is_dropped_from_payloads_however_it_is_escaped() -> None:
    raw = rb'{"prompt": "keep \u003cprivate\u003ehide\u003c/private\u003e this"}'

    assert json.loads(_clean(raw)) == {"prompt": "keep [REDACTED:private] this"}
    assert b"hide" not in _clean(raw[:-1])


def test_letters_that_are_escaped_hide_nothing() -> None:
    secret = SECRETS[0]
    escaped = "".join(f"\\u{ord(char):04x}" for char in secret.text)

    assert json.loads(_clean(f'{{"a": "{escaped}"}}'.encode()))["a"].startswith("[REDAC")


def test_a_payload_in_another_encoding_hides_nothing() -> None:
    secret = SECRETS[0]

    redacted = _clean(json.dumps({"a": secret.text}).encode("utf-16"))

    assert json.loads(redacted) == {"a": "[REDACTED:aws-access-key]"}


def test_a_key_that_comes_twice_hides_nothing() -> None:
    secret = SECRETS[0]

    assert secret.secret.encode() not in _clean(f'{{"a": "{secret.text}", "a": "x"}}'.encode())


# --- values -----------------------------------------------------------------------------------


def test_names_of_values_tell_secrets() -> None:
    value = {
        "password": "x",
        "nested": [{"client_secret": "short", "Authorization": "Bearer abc"}],
        "pin": 1234,
        "db-password": 1234,
        "args": ["--verbose", "--password", "hunter", "file"],
        "tokens": {"input": 5},
        "session_id": "c27a4d0f-b49b-46e7-95b7-8d9723e031e0",
    }

    assert redact_value(value) == {
        "password": "[REDACTED:password]",
        "nested": [
            {"client_secret": "[REDACTED:password]", "Authorization": "[REDACTED:authorization]"}
        ],
        "pin": 1234,
        "db-password": "[REDACTED:password]",
        "args": ["--verbose", "--password", "[REDACTED:password]", "file"],
        "tokens": {"input": 5},
        "session_id": "c27a4d0f-b49b-46e7-95b7-8d9723e031e0",
    }


@pytest.mark.parametrize(
    "name",
    [
        *("password", "dbPassword", "pwd", "passphrase", "client_secret", "secretKey", "apiKey"),
        *("x-api-key", "access_token", "refreshToken", "accountKey", "masterKey", "signing_key"),
        *("Authorization", "Set-Cookie", "aws_secret_access_key", "private_key", "auth"),
    ],
)
def test_a_payload_is_redacted_by_the_names_in_it(name: str) -> None:
    value = body(len(name), MIXED, 24)

    redacted = json.loads(_clean(json.dumps({"a": {name: value}}).encode()))

    assert redacted["a"][name].startswith("[REDACTED:")


def test_a_secret_used_as_a_name_is_redacted_too() -> None:
    secret = SECRETS[0]

    assert redact_value({secret.text: 1}) == {"[REDACTED:aws-access-key]": 1}


def test_what_lies_too_deep_is_flattened_and_still_redacted() -> None:
    value: Any = SECRETS[0].text
    for _ in range(METADATA_DEPTH_MAX + 20):
        value = [value]

    flattened = json.dumps(redact_value(value))

    assert SECRETS[0].secret not in flattened
    assert flattened.count("[REDACTED:aws-access-key]") == 1


def test_a_payload_nested_a_hundred_thousand_levels_is_redacted_as_text() -> None:
    raw = b"[" * 100_000 + SECRETS[0].text.encode() + b"]" * 100_000

    redacted = _clean(raw)

    assert SECRETS[0].secret.encode() not in redacted
    assert redacted.startswith(b"[[[")


def test_bytes_that_are_no_text_stay_as_they_are() -> None:
    raw = b"\xff\xfe\x00 " + SECRETS[0].text.encode() + b" \x80\x81"

    assert _clean(raw) == b"\xff\xfe\x00 [REDACTED:aws-access-key] \x80\x81"


@pytest.mark.parametrize("number", ["1e400", "1" * 5000])
def test_numbers_that_python_cannot_write_back_do_not_matter(number: str) -> None:
    raw = f'{{"n": {number}, "a": "{SECRETS[0].text}"}}'.encode()

    redacted = _clean(raw)

    assert SECRETS[0].secret.encode() not in redacted
    assert number.encode() in redacted


# --- what is not a secret ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "API_KEY=your-api-key-here",
        "API_KEY=${API_KEY}",
        "PASSWORD=$PASSWORD",
        'password = os.environ["PASSWORD"]',
        'token = os.getenv("TOKEN")',
        "const token = process.env.TOKEN;",
        "Authorization: Bearer <token>",
        'password = "xxxxxxxx"',
        "password: ********",
        'SECRET = "changeme"',
        "def login(password: str, token: str | None = None) -> None:",
        "if password is None: raise ValueError",
        "token = self.next_token()",
        "tokens used: 12345, cache_read_input_tokens: 99",
        "the password is stored as a hash",
        "PASS: TestLogin2 (0.00s)",
        "PWD=/home/me/project OLDPWD=/home/me",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        '"session_id": "c27a4d0f-b49b-46e7-95b7-8d9723e031e0"',
        '"sessionID": "ses_e236e93f6ffe4vDdk9Vux7uGr7"',
        '"tool_use_id": "toolu_60c29097e60d489da8c3", "call_id": "call_d070d8c8"',
        "postgres://localhost:5432/app and https://example.com/@scope/name",
        "git@github.com:me/repo.git and me@example.com",
        "docker run -u 1000:1000 image",
        "cache_key = 'd41d8cd98f00b204e9800998ecf8427e'",
        "task-list, risk-based, sk-learn-estimators-are-fine",
        "Basic Authentication and Basic usage",
        'password = ask("Password: ")',
        "a coalescing pass: adjacent ranges collapse",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7 me@host",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        'PASSWORD="$(pass show mail)"',
        "secretName: my-app, tokenizer: fast, keyboard: qwertz123",
    ],
)
def test_stand_ins_and_code_stay(text: str) -> None:
    assert redact(text) == text


def _lock_file() -> str:
    lines = ['{ "lockfileVersion": 3, "packages": {']
    for number in range(200):
        digest = base64.b64encode(sha512(str(number).encode()).digest()).decode()
        lines += (
            f'    "node_modules/package-{number}": {{',
            f'      "version": "1.{number}.0",',
            f'      "resolved": "https://registry.npmjs.org/p/-/p-1.{number}.0.tgz",',
            f'      "integrity": "sha512-{digest}",',
            '      "engines": { "node": ">=18" } },',
        )
        checksum = sha256(str(number).encode()).hexdigest()
        lines.append(f'    {{ file = "p-1.{number}.whl", hash = "sha256:{checksum}" }},')
        lines.append(f"    --hash=sha256:{checksum} \\")
        lines.append(
            f'source = {{ git = "https://x.y/p?rev={sha1(str(number).encode()).hexdigest()}" }}'
        )
        lines.append(f"id: {uuid.UUID(int=number * 7919**9 % 2**128)}")
    image = base64.b64encode(sha512(b"image").digest() * 40).decode()
    lines.append(f'<img src="data:image/png;base64,{image}">')
    return "\n".join(lines)


def test_lock_files_checksums_ids_and_images_stay() -> None:
    assert redact(_lock_file()) == _lock_file()


@pytest.mark.promise("redact.few-false")
def test_of_the_lines_of_installed_packages_fewer_than_one_in_a_thousand_is_touched() -> None:
    lines = touched = 0
    for package in ("click", "rich", "hypothesis"):
        spec = importlib.util.find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        for path in sorted(Path(spec.origin).parent.rglob("*.py"))[:60]:
            before = path.read_text(encoding="utf-8").splitlines()
            after = redact("\n".join(before)).splitlines()
            lines += len(before)
            touched += len(set(before) - set(after))

    assert lines > 20_000
    assert touched / lines < 0.001


@given(st.lists(st.from_regex(r"[a-z]{1,12}", fullmatch=True)))
def test_plain_words_are_never_touched(words: list[str]) -> None:
    text = " ".join(words)

    assert redact(text) == text


_NASTY = st.sampled_from(
    [
        *(secret.text for secret in SECRETS[::7]),
        *("password=", 'token: "', "<private>", "</private>", "[REDACTED:", "]", "\\n", "://", "@"),
        *(
            "secret",
            "key",
            "Bearer ",
            "--password ",
            "eyJ",
            "sk-",
            "-----BEGIN",
            '"',
            "'",
            "=",
            " ",
        ),
    ]
)


@given(st.lists(st.one_of(_NASTY, st.text(max_size=12)), max_size=12))
def test_redacting_twice_is_redacting_once(parts: list[str]) -> None:
    once = redact("".join(parts))

    assert redact(once) == once


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | _NASTY,
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=12,
    )
)
def test_json_stays_json(value: object) -> None:
    redacted = _clean(json.dumps(value).encode())

    assert isinstance(json.loads(redacted), type(value) | str)


@given(st.binary())
def test_any_bytes_are_taken(raw: bytes) -> None:
    assert isinstance(_clean(raw), bytes)


# --- speed ------------------------------------------------------------------------------------

_MEGABYTE = 1_000_000
_PART = 20
_SLOW = [
    "a",
    "A",
    " ",
    "0123456789abcdef",
    "the quick brown fox jumps over the lazy dog. ",
    "password",
    "password=",
    "password\\",
    "secret     ",
    " token",
    "http://",
    "http://a:",
    "://@",
    "a@",
    " sk-abcdefg",
    "eyJ",
    "eyJaaaaaaaa.",
    "AKIA",
    "curl -u ",
    "mysql ",
    "bearer ",
    "cookie: a=",
    "authorization: ",
    "<private>",
    "</private>",
    "login ",
    "heroku ",
    "&sig=",
    "accountkey=",
    "_" * 30 + "session",
    "a" * 30 + ".abcdef.",
    "A" * 64 + "\n",
    "日本語のテキスト",
]


@pytest.mark.timed
@pytest.mark.parametrize("unit", _SLOW)
def test_a_long_line_takes_no_more_than_its_share_of_a_second(unit: str) -> None:
    line = unit * (_MEGABYTE // _PART // len(unit)) + " password private key -----END x@y ://"

    # Twice the promise: the machine that runs the tests is shared.
    assert least_s(lambda: redact(line), 2.0 / _PART) < 2.0 / _PART


@pytest.mark.timed
def test_a_line_of_a_megabyte_takes_less_than_a_second() -> None:
    line = "".join(unit * (_MEGABYTE // len(_SLOW) // len(unit)) for unit in _SLOW)

    assert least_s(lambda: redact(line), 2.0) < 2.0


@pytest.mark.soak
@pytest.mark.parametrize("unit", _SLOW)
def test_a_megabyte_of_anything_takes_less_than_a_second(unit: str) -> None:
    line = unit * (_MEGABYTE // len(unit)) + " password private key -----END x@y ://"

    assert least_s(lambda: redact(line), 2.0) < 2.0


@pytest.mark.timed
@pytest.mark.parametrize("opened", ["-----BEGIN RSA PRIVATE KEY-----", 'password="', "eyJ", "sk-"])
def test_a_megabyte_that_follows_an_opening_takes_less_than_a_second(opened: str) -> None:
    line = opened + "A" * _MEGABYTE

    assert least_s(lambda: redact(line), 2.0) < 2.0


def test_text_without_suspicious_words_does_not_even_load_patterns() -> None:
    root = Path(__file__).parents[3] / "src"
    program = (
        f"import sys; sys.path.insert(0, {str(root)!r})\n"
        "from agentx.redaction.redact import redact, suspicious\n"
        "assert redact('a quick brown fox') == 'a quick brown fox'\n"
        'assert not suspicious(b\'{"prompt": "a quick brown fox"}\')\n'
        "loaded = {'re', 'json', 'enum', 'typing', 'dataclasses', 'pathlib'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )

    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)


def test_a_name_counts_wherever_in_a_word_it_ends() -> None:
    assert suspicious(b"passages?pass=hunter2;")
    assert not suspicious(b"passages passes")


def test_a_text_that_was_plain_is_still_looked_at_with_a_secret_in_it() -> None:
    for text in ("the harbour", "the harbour password=hunter2zz", "the harbour"):
        assert "hunter2" not in redact(text)


def test_what_is_said_twice_is_redacted_twice_and_no_secret_is_remembered() -> None:
    plain = "The pilot boards at the outer buoy. " * 20
    secret = f'{plain} password = "{"hunter2" * 2}" \u2026'
    for _ in range(2):
        assert redact(plain) == plain
        assert "hunter2" not in redact(secret)
    held = {*redact_module._plain_texts, *redact_module._recent_texts}
    assert plain in held
    assert not any("hunter2" in each for each in held)


def test_a_token_behind_an_escape_is_seen_before_the_escape_is_read() -> None:
    assert suspicious(rb'{"a":"first\ns.K3U2C0W76CWYF5264TODXVEU\nlast"}')
    assert suspicious("1\u2192s.K3U2C0W76CWYF5264TODXVEU".encode())
    assert not suspicious(b"args.someLongMethodNameOfAllOurCode() and s.some_other_name_of_it_all")
