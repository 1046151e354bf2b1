"""What can be opened by address: the table of contents, by node or by words of time."""

from __future__ import annotations

from typing import Any

SCHEME = "agentx://toc"
_MIME = "text/markdown"
_LISTED = (
    ("", "contents", "What was done when: years, months, weeks"),
    ("/today", "today", "What was done today"),
    ("/yesterday", "yesterday", "What was done yesterday"),
    ("/this week", "this-week", "What was done this week"),
    ("/last week", "last-week", "What was done last week"),
    ("/this month", "this-month", "What was done this month"),
)

RESOURCES: tuple[dict[str, Any], ...] = tuple(
    {
        "uri": SCHEME + path.replace(" ", "%20"),
        "name": name,
        "description": about,
        "mimeType": _MIME,
    }
    for path, name, about in _LISTED
)
TEMPLATES: tuple[dict[str, Any], ...] = (
    {
        "uriTemplate": SCHEME + "/{node}",
        "name": "node",
        "description": "A node of the table of contents: toc:week:2026:W11, 2026-03-02, last month",
        "mimeType": _MIME,
    },
)


def say_content(uri: str, said: str) -> dict[str, Any]:
    """Return what was opened."""
    return {"contents": [{"uri": uri, "mimeType": _MIME, "text": said}]}
