"""Names of areas and pages: the same for what a person would not tell apart."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import PurePosixPath

from agentx.kernel.ids import digest, shorten
from agentx.kernel.text import preview
from agentx.lessons.limits import CHECK_NAME_CHARS

EVERYWHERE = "general"  # the area of a learning that belongs to none
_SLUG_CHARS_MAX = 40


def one_line(text: str) -> str:
    """Return a text without line breaks."""
    return " ".join(text.split())


def name_failing(check: str) -> str:
    """Return what the lesson of a check that failed is called."""
    return f"{preview(check, CHECK_NAME_CHARS)} fails"


def area_name(text: str) -> str:
    """Return the one name of an area: `API` and `api` are one area, and so are `a b` and `a-b`."""
    plain = one_line(unicodedata.normalize("NFKC", text)).casefold()
    return slug(plain) if plain.isascii() and plain else plain


def area_of(files: Iterable[str]) -> str:
    """Return the folder that some files share, without the top ones that say nothing."""
    folders = [PurePosixPath(file).parts[:-1] for file in files]
    if not folders:
        return ""
    shared: list[str] = []
    for level in zip(*folders, strict=False):
        if len(set(level)) > 1:
            break
        shared.append(level[0])
    while shared and shared[0] in ("src", "lib", "app", ".", "/"):
        shared.pop(0)
    return "/".join(shared[:2])


def slug(text: str) -> str:
    """Return a text as a part of a file's name; what it loses is made up for by a hash."""
    short = shorten(text, _SLUG_CHARS_MAX)
    if text.isascii() and short:
        return short
    return "-".join(filter(None, (short, digest(text, size=4).hex())))
