"""The ways in which a secret is met: in prose, settings, code, JSON, URLs, lists, patches."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

Shape = Callable[[str, str], Any]


def _quoted(text: str) -> str:
    return json.dumps(text)[1:-1]


# A text, or a JSON value: both are redacted as what they are.
SHAPES: dict[str, Shape] = {
    "bare": lambda vendor, secret: f"I ran it with {secret} yesterday and it worked",
    "line": lambda vendor, secret: f"first\n{secret}\nlast",
    "NAME_KEY=": lambda vendor, secret: f"export {vendor.upper()}_KEY={secret}\n",
    "VENDOR=": lambda vendor, secret: f"{vendor.upper()}={secret}\n",
    "VENDOR= inline": lambda vendor, secret: f"run it as {vendor.upper()}={secret} make test",
    'vendor = ""': lambda vendor, secret: f'  {vendor} = "{_quoted(secret)}"\n',
    "json name": lambda vendor, secret: {f"{vendor}ApiKey": secret},
    "json vendor": lambda vendor, secret: json.dumps({vendor: secret}),
    "tree vendor": lambda vendor, secret: {vendor: secret},
    "yaml": lambda vendor, secret: f"services:\n  {vendor}_token: {secret}\n  on: true\n",
    "Key=": lambda vendor, secret: f"Endpoint=https://example.org/;Key={secret}",
    "fooKey := ": lambda vendor, secret: f'\t{vendor}Key := "{_quoted(secret)}"\n',
    "?key=": lambda vendor, secret: f"GET https://example.org/{vendor}/v1?key={secret}",
    "header": lambda vendor, secret: f"X-Api-Key: {secret}\r\nHost: example.org",
    "list": lambda vendor, secret: {"lines": [" x = 1", f"+{vendor}_key = '{secret}'", " y = 2"]},
    "list bare": lambda vendor, secret: {"argv": ["run", secret, "now"]},
    "patch": lambda vendor, secret: {
        "structuredPatch": [{"lines": [f"+{line}" for line in secret.split("\n")]}]
    },
    "removed": lambda vendor, secret: "\n".join(f"-{line}" for line in secret.split("\n")),
    "numbered": lambda vendor, secret: "\n".join(
        f"{number:6}\u2192{line}" for number, line in enumerate(secret.split("\n"), 1)
    ),
    "base64": lambda vendor, secret: f"data: {base64.b64encode(secret.encode()).decode()}\n",
    "base64 inside": lambda vendor, secret: base64.b64encode(
        f'{{"user": "me", "{vendor}": "{secret}"}}'.encode()
    ).decode(),
    "hex": lambda vendor, secret: f"0000 {secret.encode().hex()} end",
}
# What a rule matches, whatever that is: the word beside the secret included.
AS_MATCHED = "as matched"
# Only what names itself can be told without a name beside it.
NEEDS_NO_NAME = frozenset(
    {
        "bare",
        "line",
        "list bare",
        "patch",
        "removed",
        "numbered",
        "base64",
        "hex",
        "Key=",
        "?key=",
        "header",
        "base64 inside",
    }
)
