"""A file that leads the user's browser to the page, so that no command line tells its link.

What a program is started with can be read by every process of the machine. This file lies in the
user's own data folder, for its user alone, and goes once the page ends.
"""

from __future__ import annotations

from contextlib import suppress
from html import escape
from pathlib import Path

from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.plain import exists, remove
from agentx.kernel.errors import AgentXError
from agentx.project.project import Project


def leave_link(project: Project, link: str, port: int) -> Path | None:
    """Leave a file that leads to a link; None where the user has no data folder to leave it in."""
    folder = project.data.root / "view"
    if not exists(project.data.root):
        return None
    told = escape(link)
    text = (
        '<!doctype html><meta charset="utf-8"><title>AgentX</title>'
        f'<meta http-equiv="refresh" content="0;url={told}"><a href="{told}">AgentX</a>\n'
    )
    try:
        make_private_directory(folder)
        replace_file(folder / f"{port}.html", text.encode())
    except (AgentXError, OSError):
        return None
    return folder / f"{port}.html"


def take_link_away(left: Path) -> None:
    """Remove what was left."""
    with suppress(OSError):
        remove(left)
