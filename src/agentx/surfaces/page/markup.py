"""HTML as values: what is words stays words, whatever stands in them.

Every plain string is somebody's words and is escaped; only what these functions return is markup.
Controls and what turns the direction of writing are shown or dropped first, as on a terminal.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from agentx.kernel.text import printable

_EMPTY = frozenset({"br", "hr", "img", "input", "link", "meta"})


class Html(str):
    """Markup; nothing but the functions of this module makes it of words."""

    __slots__ = ()


Inside = str | Iterable["Inside"] | None
Attribute = str | int | float | bool | None

NOTHING = Html("")


def show(words: str) -> Html:
    """Return words as markup that only says them."""
    return words if isinstance(words, Html) else Html(escape(printable(words)))


def join(*parts: Inside, between: str = "") -> Html:
    """Return parts as one piece of markup; what is None says nothing."""
    return Html(show(between).join(_flatten(parts)) if between else "".join(_flatten(parts)))


def tag(name: str, /, *inside: Inside, **attributes: Attribute) -> Html:
    """Return an element. `class_` is `class`, `aria_label` is `aria-label`; None is left out."""
    told = "".join(_write(key, value) for key, value in attributes.items())
    if name in _EMPTY:
        return Html(f"<{name}{told}>")
    return Html(f"<{name}{told}>{join(*inside)}</{name}>")


def _flatten(parts: Iterable[Inside]) -> Iterable[str]:
    for part in parts:
        if part is None:
            continue
        if isinstance(part, str):
            yield show(part)
        else:
            yield from _flatten(part)


def _write(key: str, value: Attribute) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    return f' {name}="{escape(printable(str(value)))}"'
