"""What the browser is sent beside pages: one style, one script, one picture."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_KINDS = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "theme.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


@cache
def read_static(name: str) -> tuple[str, bytes] | None:
    """Return the kind and the bytes of a file that ships; None where there is no such file."""
    kind = _KINDS.get(name)
    return None if kind is None else (kind, files(__package__).joinpath(name).read_bytes())
