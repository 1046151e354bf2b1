"""Secrets inside JSON values: what a text holds, and what its name says about it.

`{"password": "x"}` is a secret because of its name; so is the text that follows
`"--password"` in a list of arguments.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from agentx.kernel.limits import METADATA_DEPTH_MAX
from agentx.redaction.values import is_secret, is_stand_in

# The end of a name, without its dashes, and the kind that it tells.
_NAME_ENDS = (
    ("password", "password"),
    ("passwd", "password"),
    ("passphrase", "password"),
    ("passcode", "password"),
    ("pwd", "password"),
    ("clientsecret", "password"),
    ("secretkey", "password"),
    ("secretaccesskey", "password"),
    ("privatekey", "password"),
    ("authorization", "authorization"),
    ("cookie", "authorization"),
    ("secret", "secret"),
    ("apikey", "key"),
    ("accesskey", "key"),
    ("encryptionkey", "key"),
    ("signingkey", "key"),
    ("masterkey", "key"),
    ("accountkey", "key"),
    ("authkey", "key"),
    ("keydata", "key"),
    ("privatekeyid", "key"),
    ("token", "token"),
    ("credential", "credential"),
    ("credentials", "credential"),
)
_ALWAYS = frozenset({"password", "authorization"})
_PATHS = ("/", "./", "~", "../")

Redact = Callable[[str], str]


def redact_tree(value: Any, redact: Redact, depth: int = 0, kind: str = "") -> Any:
    """Return the value with every text redacted; `kind` is what the name of the value promises."""
    if isinstance(value, str):
        return _redact_text(value, redact, kind)
    if not isinstance(value, dict | list | tuple):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return f"[REDACTED:{kind}]" if is_number and kind == "password" else value
    if depth >= METADATA_DEPTH_MAX:
        return redact(_flatten(value))
    if isinstance(value, dict):
        return {
            redact(key) if isinstance(key, str) else key: redact_tree(
                inner, redact, depth + 1, kind_of(key) if isinstance(key, str) else ""
            )
            for key, inner in value.items()
        }
    return _redact_list(value, redact, depth, kind)


def kind_of(name: str) -> str:
    """Return the kind of secret that a name promises, or nothing."""
    plain = name[-80:].lower().replace("_", "").replace("-", "").replace(".", "").replace(" ", "")
    if plain in {"pass", "auth"}:
        return {"pass": "password", "auth": "credential"}[plain]
    return next((kind for end, kind in _NAME_ENDS if plain.endswith(end)), "")


def _redact_text(text: str, redact: Redact, kind: str) -> str:
    if kind and text and not text.startswith("[REDACTED:"):
        if kind in _ALWAYS:
            named = not is_stand_in(text) and not text.startswith(_PATHS)
        else:
            named = is_secret(kind, text, quoted=True)
        if named:
            return f"[REDACTED:{kind}]"
    return redact(text)


def _redact_list(
    values: list[Any] | tuple[Any, ...], redact: Redact, depth: int, kind: str
) -> list[Any]:
    redacted: list[Any] = []
    before = ""
    for value in values:
        flag = kind_of(before) if before.startswith("-") and "=" not in before else ""
        redacted.append(redact_tree(value, redact, depth + 1, flag or kind))
        before = value if isinstance(value, str) else ""
    return redacted


def _flatten(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return "[REDACTED:depth]"
