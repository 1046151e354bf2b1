"""Whether the digests are still what they would be made as: asked before every room is read.

What they are made from is known by a stamp; and ages in them grow, so a day makes them old.
"""

from __future__ import annotations

from collections.abc import Callable

from agentx.host.files.atomic import replace_file
from agentx.kernel.clock import DAY_MS
from agentx.kernel.ids import digest
from agentx.project.project import Project


def renew_if_changed(
    project: Project, stamp: str, renew: Callable[[], None], *, is_news: bool = False
) -> bool:
    """Call `renew` when there is news, the stamp is another or a day went by; say whether."""
    noted = digest(stamp, str(project.clock.now_ms() // DAY_MS)).hex()
    path = project.store.digest_stamp
    try:
        if not is_news and path.read_text(encoding="ascii") == noted:
            return False
    except (OSError, ValueError):
        pass
    renew()
    replace_file(path, noted.encode())
    return True
