"""Secrets inside JSON values: what a text holds, and what its name says about it.

`{"password": "x"}` is a secret because of its name; so is the text that follows
`"--password"` in a list of arguments. What is one text to its reader may be a list of lines,
or of parts: a private key and a `<private>` go on from one to the next.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from agentx.kernel.limits import METADATA_DEPTH_MAX
from agentx.redaction.assigned import last_word
from agentx.redaction.cards import is_card
from agentx.redaction.names import OPEN_TOKENS
from agentx.redaction.passages.keys import KeyLines
from agentx.redaction.passages.phrases import is_phrase
from agentx.redaction.passages.private import MARK, UNCLOSED, close_private
from agentx.redaction.values import is_secret, is_stand_in
from agentx.redaction.vendors import is_vendor_key, vendor_of

# The end of a name, without its dashes, and the kind that it tells.
_NAME_ENDS = (
    ("password", "password"),
    ("passwort", "password"),
    ("kennwort", "password"),
    ("contrasena", "password"),
    ("contrase\u00f1a", "password"),
    ("motdepasse", "password"),
    ("senha", "password"),
    ("wachtwoord", "password"),
    ("\u043f\u0430\u0440\u043e\u043b\u044c", "password"),
    ("\u5bc6\u7801", "password"),
    ("\u30d1\u30b9\u30ef\u30fc\u30c9", "password"),
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
    ("cardnumber", "card-number"),
    ("cardno", "card-number"),
    ("cvv", "card-code"),
    ("cvc", "card-code"),
    ("mnemonic", "seed-phrase"),
    ("seedphrase", "seed-phrase"),
    ("recoveryphrase", "seed-phrase"),
)
_ALWAYS = frozenset({"password", "authorization"})
_PATHS = ("/", "./", "~", "../")
_VENDOR = "vendor:"
# What people and agents say, in the parts of a message.
_SAID = frozenset({"text", "content", "thinking", "output", "input", "message"})

Redact = Callable[[str], str]


def redact_tree(value: Any, redact: Redact) -> Any:
    """Return the value with every text redacted, also by the names that hold them."""
    return _Walk(redact).take(value)


class _Walk:
    """Goes through one document from its beginning to its end."""

    def __init__(self, redact: Redact) -> None:
        self._redact = redact
        self._key = KeyLines()
        self._private = False  # a part before this one opened what it did not close

    def take(self, value: Any, depth: int = 0, name: str | None = None, kind: str = "") -> Any:
        """Return a value redacted; its name, or the argument before it, may promise a kind."""
        kind = kind_of(name) if name is not None else kind
        if isinstance(value, str):
            return self._text(value, kind, is_said=name is None or name in _SAID)
        if not isinstance(value, dict | list | tuple):
            return _redact_number(value, kind)
        if depth >= METADATA_DEPTH_MAX:
            return self._redact(_flatten(value))
        if isinstance(value, dict):
            return self._members(value, depth)
        return self._elements(list(value), depth, kind)

    def _members(self, value: dict[Any, Any], depth: int) -> dict[Any, Any]:
        came_private, goes_private = self._private, self._private
        redacted: dict[Any, Any] = {}
        for key, inner in value.items():
            # One member's tag is not another's; the next part of the message has it.
            self._private = came_private
            name = key if isinstance(key, str) else ""
            taken = self.take(inner, depth + 1, name)
            redacted[self._redact(key) if isinstance(key, str) else key] = taken
            if name in _SAID:
                goes_private = self._private
        self._private = goes_private
        return redacted

    def _elements(self, values: list[Any], depth: int, kind: str) -> list[Any]:
        if kind == "seed-phrase" and is_phrase(
            [value for value in values if isinstance(value, str)]
        ):
            return [f"{MARK}{kind}]"]
        if len(values) > 1 and all(isinstance(value, str) for value in values):
            values = self._lines(values)
        came_private = self._private
        redacted: list[Any] = []
        before = ""
        for value in values:
            flag = kind_of(before) if before.startswith("-") and "=" not in before else ""
            redacted.append(self.take(value, depth + 1, kind=flag or kind))
            before = value if isinstance(value, str) else ""
        self._private = came_private
        return redacted

    def _lines(self, lines: list[str]) -> list[str]:
        """Return lines redacted as the one text that they are; it may have fewer of them."""
        if any("\n" in line[:-1] for line in lines):
            return lines
        if all(line.endswith("\n") for line in lines[:-1]):
            return self._redact("".join(lines)).splitlines(keepends=True)
        if any(line.endswith("\n") for line in lines):
            return lines
        return self._redact("\n".join(lines)).split("\n")

    def _text(self, text: str, kind: str, *, is_said: bool) -> str:
        if kind and text and not text.startswith(MARK) and _is_told(kind, text):
            return f"{MARK}{kind.removeprefix(_VENDOR) if kind[0] != 'v' else 'vendor-key'}]"
        hidden = ""
        if self._private and is_said:
            hidden, text, self._private = close_private(text)
        begun, text = self._key.take(text)
        redacted = self._redact(text) if text else ""
        self._private = self._private or redacted.endswith(UNCLOSED)
        return hidden + begun + redacted


def _redact_number(value: Any, kind: str) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number:
        return value
    if kind in {"password", "card-code"} or (kind == "card-number" and is_card(str(value))):
        return f"{MARK}{kind}]"
    return value


@lru_cache(maxsize=4096)
def kind_of(name: str) -> str:
    """Return the kind of secret that a name promises, or nothing."""
    plain = name[-80:].lower().replace("_", "").replace("-", "").replace(".", "").replace(" ", "")
    if plain in {"pass", "auth"}:
        return {"pass": "password", "auth": "credential"}[plain]
    if plain.endswith("token") and last_word(name[:-5]) in OPEN_TOKENS:
        return ""
    kind = next((kind for end, kind in _NAME_ENDS if plain.endswith(end)), "")
    vendor = "" if kind else vendor_of(name)
    return kind or (_VENDOR + vendor if vendor else "")


def _is_told(kind: str, text: str) -> bool:
    """Tell whether a text is what the name before it promises."""
    if kind in _ALWAYS:
        return not is_stand_in(text) and not text.startswith(_PATHS)
    if kind.startswith(_VENDOR):
        return is_vendor_key(kind.removeprefix(_VENDOR), text, named=True)
    if kind == "card-number":
        return is_card(text.replace(" ", "").replace("-", ""))
    if kind == "card-code":
        return text.isdigit() and len(text) in {3, 4}
    if kind == "seed-phrase":
        return is_phrase(text.split())
    return is_secret(kind, text, quoted=True)


def _flatten(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return f"{MARK}depth]"
