"""How the words of a page are drawn, and how much of it may still be rendered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agentx.kernel.text import show_name
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.markup import Html, tag
from agentx.surfaces.page.words.markdown import draw_markdown

# Of one page: what is rendered beyond this is shown as it was written.
_RENDERED_CHARS_MAX = 100_000


@dataclass
class Drawing:
    """How turns are drawn, and what is left of a page's bounds."""

    dates: Dates
    root: str = ""  # where the session worked: files are named from there
    told: Mapping[str, str] = field(default_factory=dict)  # the words behind ids
    links: bool = True  # none in what leaves this machine
    rendered_left: int = _RENDERED_CHARS_MAX
    day: str = ""  # of the turn before

    def render(self, text: str) -> Html:
        """Return what an agent wrote, rendered as long as the page has room for it."""
        self.rendered_left -= len(text)
        if self.rendered_left < 0:
            return tag("div", text, class_="words")
        return draw_markdown(text, links=self.links)

    def name_file(self, path: str) -> str:
        """Return the name of a file as those who work there say it."""
        return show_name(path.removeprefix(f"{self.root.rstrip('/')}/") if self.root else path)
