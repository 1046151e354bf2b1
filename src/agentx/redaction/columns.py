"""Tables in text: one line says what the lines below it are.

Passwords are exported from browsers and clouds as comma-separated lines, and the first names
the columns; a manifest of Kubernetes that is a secret has its values below `data:`.
"""

from __future__ import annotations

import re

from agentx.redaction.tree import kind_of
from agentx.redaction.values import is_stand_in

_SEPARATORS = (",", ";", "\t", "|")
_HEADER_CHARS_MAX = 400
_CELL_CHARS_MAX = 40
_TOLD = ("passw", "pwd", "secret", "token", "key")
_KINDS = frozenset({"password", "secret", "key", "token"})


def without_columns(text: str) -> str:
    """Return the text without what stands in columns of secrets."""
    lines = text.split("\n")
    told: dict[int, str] = {}
    separator, count = "", 0
    for number, line in enumerate(lines):
        if told and separator in line:
            cells = line.split(separator)
            if len(cells) == count:
                lines[number] = separator.join(
                    _hide(cell, told[place]) if place in told else cell
                    for place, cell in enumerate(cells)
                )
                continue
        told, separator, count = _read_header(line)
    return "\n".join(lines)


def without_manifests(text: str) -> str:
    """Return the text without the values of manifests that are secrets."""
    kept = []
    for manifest in _NEXT_MANIFEST.split(text):
        hidden = manifest
        if _IS_SECRET.search(manifest):
            hidden = _DATA.sub(_hide_data, manifest)
        kept.append(hidden)
    return "".join(kept)


_NEXT_MANIFEST = re.compile(r"(?m)^(?=---\s*$)")
_IS_SECRET = re.compile(r"(?im)^[ \t+-]{0,12}kind:[ \t]{0,4}[\"']?secret\b[\"']?[ \t\r]*$")
_DATA = re.compile(
    r"(?m)^([ \t+-]{0,12})(?:data|stringData):[ \t\r]*\n"
    r"((?:\1[ \t]{1,12}[^\n]*(?:\n|\Z)|[ \t]*\n){1,400})"
)
_ENTRY = re.compile(
    r"(?m)^([ \t+-]{1,24}[\w.-]{1,253}:[ \t]{1,8}[\"']?)(?!\[REDACTED:)([^\s\"'|>{][^\"'\n]{3,})"
)
_BLOCK = re.compile(
    r"(?m)^([ \t+-]{1,24}[\w.-]{1,253}:[ \t]{1,8}[|>][+-]?[ \t]*\n[ \t+-]{2,24})([^\s\[][^\n]*)"
)


def _hide_data(match: re.Match[str]) -> str:
    start = match.start(2) - match.start()
    hidden = _ENTRY.sub(r"\1[REDACTED:secret]", match[0][start:])
    return match[0][:start] + _BLOCK.sub(r"\1[REDACTED:secret]", hidden)


def _read_header(line: str) -> tuple[dict[int, str], str, int]:
    """Return the kinds that a line promises for the columns below it."""
    if len(line) <= _HEADER_CHARS_MAX and any(word in line.lower() for word in _TOLD):
        for separator in _SEPARATORS:
            cells = [cell.strip("\r\"'") for cell in line.split(separator)]
            if len(cells) > 1 and all(map(_is_title, cells)):
                kinds = {place: kind_of(cell) for place, cell in enumerate(cells)}
                told = {place: kind for place, kind in kinds.items() if kind in _KINDS}
                return told, separator, len(cells)
    return {}, "", 0


def _is_title(cell: str) -> bool:
    # A list in a program has a space behind its comma; a table has none.
    return (
        0 < len(cell) <= _CELL_CHARS_MAX
        and cell[0].isalpha()
        and cell.replace(" ", "_").replace("-", "_").isidentifier()
    )


def _hide(cell: str, kind: str) -> str:
    value = cell.strip("\r\"'")
    if not value or value[0] == " " or value.startswith("[REDACTED:") or is_stand_in(value):
        return cell
    if kind != "password" and (len(value) < 8 or " " in value):
        return cell
    return cell.replace(value, f"[REDACTED:{kind}]")
